// Stacks of tensors, which gradients of loops keep their history in.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status StackShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  return shapes::Scalar(context);
}

Status StackPushShape(ShapeContext& context) {
  context.set_output(0, context.input(1));
  return Status();
}

std::vector<OpDefBuilder> StackOps() {
  return {
      OpDefBuilder("StackV2")
          .Input("max_size: int32", ArgRole::kCountOrAny)
          .Output("handle: resource")
          .Attr("elem_type: type")
          .Attr("stack_name: string = ''")
          .Stateful()
          .Summary(
              "A new stack that holds up to max_size tensors, any number when that is negative.")
          .Shape(StackShape),
      OpDefBuilder("StackPushV2")
          .Input("handle: resource")
          .Input("elem: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("swap_memory: bool = false")
          .Stateful()
          .Summary("Pushes elem and passes it on.")
          .Shape(StackPushShape),
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
          .Shape(shapes::NoOutputs),
  };
}

// A handle is two texts: where it is kept, and its name.
Status TextHandleShape(ShapeContext& context) {
  context.set_output(0, PartialShape(Dims{2}));
  return Status();
}

// As graphs had them before there were handles of their own.
std::vector<OpDefBuilder> OlderStackOps() {
  return {
      OpDefBuilder("Stack")
          .Output("handle: Ref(string)")
          .Attr("elem_type: type")
          .Attr("stack_name: string = ''")
          .Stateful()
          .Summary("A new stack.")
          .Shape(TextHandleShape),
      OpDefBuilder("StackPush")
          .Input("handle: Ref(string)")
          .Input("elem: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("swap_memory: bool = false")
          .Summary("StackPushV2 of a stack that Stack has made.")
          .Shape(StackPushShape),
      OpDefBuilder("StackPop")
          .Input("handle: Ref(string)")
          .Output("elem: elem_type")
          .Attr("elem_type: type")
          .Summary("StackPopV2 of a stack that Stack has made.")
          .Shape(shapes::Unknown),
      OpDefBuilder("StackClose")
          .Input("handle: Ref(string)")
          .Summary("StackCloseV2 of a stack that Stack has made.")
          .Shape(shapes::NoOutputs),
  };
}

}  // namespace

Status RegisterStackOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, StackOps()));
  return RegisterAll(registry, OlderStackOps());
}

}  // namespace tagflow
