// If, While, For, Case, and calls of functions, whose bodies are functions of the graph's library;
// and what occurs in such bodies only.

#include <string>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// What output_shapes says, where it says something of every output.
Status OutputShapes(ShapeContext& context) {
  const Result<AttrList> shapes = ListAttr(context.node(), "output_shapes");
  const auto count = static_cast<size_t>(context.num_outputs());
  for (int i = 0; i < context.num_outputs(); ++i) {
    const bool is_said = shapes.ok() && shapes->shapes.size() == count;
    context.set_output(i, is_said ? shapes->shapes[static_cast<size_t>(i)] : PartialShape());
  }
  return Status();
}

OpDefBuilder Call(const char* op) {
  return OpDefBuilder(op)
      .Input("args: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("f: func")
      .Attr("config: string = ''")
      .Attr("config_proto: string = ''")
      .Attr("executor_type: string = ''")
      .Summary("What the function f gives for args.")
      .Shape(OutputShapes);
}

OpDefBuilder If(const char* op) {
  return OpDefBuilder(op)
      .Input("cond: Tcond")
      .Input("input: Tin")
      .Output("output: Tout")
      .Attr("Tcond: type")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("then_branch: func")
      .Attr("else_branch: func")
      .Attr("output_shapes: list(shape) = []")
      .Summary(
          "What then_branch gives for input where cond holds (as ToBool has it), else what "
          "else_branch does.")
      .Shape(OutputShapes);
}

OpDefBuilder Case(const char* op) {
  return OpDefBuilder(op)
      .Input("branch_index: int32", ArgRole::kScalar)
      .Input("input: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("branches: list(func) >= 1")
      .Attr("output_shapes: list(shape) = []")
      .Summary("What the branch of that index gives for input; the last one, where there is none.")
      .Shape(OutputShapes);
}

OpDefBuilder While(const char* op) {
  return OpDefBuilder(op)
      .Input("input: T")
      .Output("output: T")
      .Attr("T: list(type) >= 0")
      .Attr("cond: func")
      .Attr("body: func")
      .Attr("output_shapes: list(shape) = []")
      .Attr("parallel_iterations: int = 10")
      .Summary(
          "input, and then what body gives for it, as long as cond holds of it (as ToBool has "
          "it).")
      .Shape(OutputShapes);
}

OpDefBuilder For() {
  return OpDefBuilder("For")
      .Input("start: int32", ArgRole::kScalar)
      .Input("limit: int32", ArgRole::kScalar)
      .Input("delta: int32", ArgRole::kScalar)
      .Input("input: T")
      .Output("output: T")
      .Attr("T: list(type) >= 0")
      .Attr("body: func")
      .Summary(
          "input, and then what body gives for the count and it, for every count from start by "
          "delta, up or down, before limit.")
      .Shape(OutputShapes);
}

OpDefBuilder SymbolicGradient() {
  return OpDefBuilder("SymbolicGradient")
      .Input("input: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 1")
      .Attr("Tout: list(type) >= 1")
      .Attr("f: func")
      .Summary(
          "The gradients by the arguments of the function f, for these and then the gradients by "
          "its results.")
      .Shape([](ShapeContext& context) {
        for (int i = 0; i < context.num_outputs(); ++i) {
          context.set_output(i, i < context.num_inputs() ? context.input(i) : PartialShape());
        }
        return Status();
      });
}

OpDefBuilder RemoteCall() {
  return OpDefBuilder("RemoteCall")
      .Input("target: string", ArgRole::kScalar)
      .Input("args: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 1")
      .Attr("Tout: list(type) >= 1")
      .Attr("f: func")
      .Stateful()
      .Summary("What the function f gives for args, run on the device that target names.")
      .Shape(OutputShapes);
}

OpDefBuilder FakeParam() {
  return OpDefBuilder("FakeParam")
      .Output("output: dtype")
      .Attr("dtype: type")
      .Attr("shape: shape")
      .Summary("What a branch gives for a result that only the other one has: zeros.")
      .Shape(shapes::FromShapeAttr);
}

OpDefBuilder DeviceIndex() {
  return OpDefBuilder("DeviceIndex")
      .Output("index: int32")
      .Attr("device_names: list(string)")
      .Stateful()
      .Summary(
          "Where the kind of device that it runs on stands in device_names, or how many there "
          "are.")
      .Shape(shapes::Scalar);
}

}  // namespace

Status RegisterFunctionalOps(OpRegistry& registry) {
  return RegisterAll(
      registry, {Call("PartitionedCall"), Call("StatefulPartitionedCall").Stateful(),
                 If("StatelessIf"), If("If").Stateful(), Case("StatelessCase"),
                 Case("Case").Stateful(), While("StatelessWhile"), While("While").Stateful(), For(),
                 RemoteCall(), SymbolicGradient(), FakeParam(), DeviceIndex()});
}

}  // namespace tagflow
