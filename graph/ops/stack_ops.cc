// Stacks of tensors, which gradients of loops keep their history in.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

Status RegisterStackOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("StackV2")
          .Input("max_size: int32")
          .Output("handle: resource")
          .Attr("elem_type: type")
          .Attr("stack_name: string = ''")
          .Stateful()
          .Summary(
              "A new stack that holds up to max_size tensors, any number when that is negative.")
          .Shape(shapes::Unknown),
      OpDefBuilder("StackPushV2")
          .Input("handle: resource")
          .Input("elem: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("swap_memory: bool = false")
          .Stateful()
          .Summary("Pushes elem and passes it on.")
          .Shape(shapes::Unknown),
      OpDefBuilder("StackPopV2")
          .Input("handle: resource")
          .Output("elem: elem_type")
          .Attr("elem_type: type")
          .Stateful()
          .Summary("Takes the topmost tensor off a stack.")
          .Shape(shapes::Unknown),
      OpDefBuilder("StackCloseV2")
          .Input("handle: resource")
          .Stateful()
          .Summary("Drops the tensors of a stack; using it after is an error.")
          .Shape(shapes::Unknown),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
