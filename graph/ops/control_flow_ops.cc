// Switch, Merge, the ops of loops, and what sends tensors between devices.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status SwitchShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 0));
  return shapes::Unchanged(context);
}

// What is known of the output is what holds for every input from the `first` on.
PartialShape JoinedInputs(const ShapeContext& context, int first) {
  PartialShape joined = context.input(first);
  for (int i = first + 1; i < context.num_inputs(); ++i) {
    joined = JoinShapes(joined, context.input(i));
  }
  return joined;
}

Status MergeShape(ShapeContext& context) {
  context.set_output(0, JoinedInputs(context, 0));
  context.set_output(1, PartialShape::Scalar());
  return Status();
}

Status RefSelectShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 0));
  context.set_output(0, JoinedInputs(context, 1));
  return Status();
}

// Switch and Merge.
std::vector<OpDefBuilder> BranchOps() {
  return {
      OpDefBuilder("Switch")
          .Input("data: T")
          .Input("pred: bool")
          .Output("output_false: T")
          .Output("output_true: T")
          .Attr("T: type")
          .Summary("Forwards data to output_true when pred holds, else to output_false; the other "
                   "is dead.")
          .Shape(SwitchShape),
      OpDefBuilder("RefSwitch")
          .Input("data: Ref(T)")
          .Input("pred: bool")
          .Output("output_false: Ref(T)")
          .Output("output_true: Ref(T)")
          .Attr("T: type")
          .AllowsUninitializedInput()
          .Summary("Switch for a reference to a variable.")
          .Shape(SwitchShape),
      OpDefBuilder("_SwitchN")
          .Input("data: T")
          .Input("output_index: int32")
          .Output("outputs: num_outs * T")
          .Attr("num_outs: int >= 1")
          .Attr("T: type")
          .Summary("Forwards data to the output that output_index names, the last one when it is "
                   "out of range.")
          .Shape(SwitchShape),
      OpDefBuilder("Merge")
          .Input("inputs: N * T")
          .Output("output: T")
          .Output("value_index: int32")
          .Attr("T: type")
          .Attr("N: int >= 1")
          .Summary("Forwards the live one of its inputs and says in value_index which it was.")
          .Shape(MergeShape),
      OpDefBuilder("RefMerge")
          .Input("inputs: Ref(N * T)")
          .Output("output: Ref(T)")
          .Output("value_index: int32")
          .Attr("T: type")
          .Attr("N: int >= 1")
          .Summary("Merge for references to variables.")
          .Shape(MergeShape),
  };
}

// What crosses the borders of frames and iterations.
std::vector<OpDefBuilder> LoopOps() {
  return {
      OpDefBuilder("Enter")
          .Input("data: T")
          .Output("output: T")
          .Attr("T: type")
          .Attr("frame_name: string")
          .Attr("is_constant: bool = false")
          .Attr("parallel_iterations: int = 10")
          .Summary(
              "Brings data into the child frame frame_name; constant: into each of its iterations.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("RefEnter")
          .Input("data: Ref(T)")
          .Output("output: Ref(T)")
          .Attr("T: type")
          .Attr("frame_name: string")
          .Attr("is_constant: bool = false")
          .Attr("parallel_iterations: int = 10")
          .Summary("Enter for a reference to a variable.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Exit")
          .Input("data: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Brings data out of a frame into its parent.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("RefExit")
          .Input("data: Ref(T)")
          .Output("output: Ref(T)")
          .Attr("T: type")
          .Summary("Exit for a reference to a variable.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("NextIteration")
          .Input("data: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("Brings data into the next iteration of its frame.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("RefNextIteration")
          .Input("data: Ref(T)")
          .Output("output: Ref(T)")
          .Attr("T: type")
          .Summary("NextIteration for a reference to a variable.")
          .Shape(shapes::Unchanged),
  };
}

// Predicates, triggers and choices.
std::vector<OpDefBuilder> OtherControlOps() {
  return {
      OpDefBuilder("LoopCond")
          .Input("input: bool")
          .Output("output: bool")
          .Summary("Forwards the predicate of a loop and marks it as such.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("ControlTrigger")
          .Summary("Runs live once its control inputs have arrived, dead ones too.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("Abort")
          .Attr("error_msg: string = ''")
          .Attr("exit_without_error: bool = false")
          .Summary("Fails the step with error_msg, or ends it quietly.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("RefSelect")
          .Input("index: int32", ArgRole::kScalar)
          .Input("inputs: Ref(N * T)")
          .Output("output: Ref(T)")
          .Attr("T: type")
          .Attr("N: int >= 1")
          .Summary("Forwards the reference that index names.")
          .Shape(RefSelectShape),
  };
}

// What a partitioned graph sends between devices.
std::vector<OpDefBuilder> TransferOps() {
  return {
      OpDefBuilder("_Send")
          .Input("tensor: T")
          .Attr("T: type")
          .Attr("tensor_name: string")
          .Attr("send_device: string")
          .Attr("send_device_incarnation: int")
          .Attr("recv_device: string")
          .Attr("client_terminated: bool = false")
          .Stateful()
          .Summary("Sends a tensor to the _Recv of the same key, dead or live.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("_Recv")
          .Output("tensor: tensor_type")
          .Attr("tensor_type: type")
          .Attr("tensor_name: string")
          .Attr("send_device: string")
          .Attr("send_device_incarnation: int")
          .Attr("recv_device: string")
          .Attr("client_terminated: bool = false")
          .Stateful()
          .Summary("Receives the tensor that the _Send of the same key sent.")
          .Shape(shapes::Unknown),
      OpDefBuilder("_HostSend")
          .Input("tensor: T")
          .Attr("T: type")
          .Attr("tensor_name: string")
          .Attr("send_device: string")
          .Attr("send_device_incarnation: int")
          .Attr("recv_device: string")
          .Attr("client_terminated: bool = false")
          .Stateful()
          .Summary("_Send from host memory.")
          .Shape(shapes::NoOutputs),
      OpDefBuilder("_HostRecv")
          .Output("tensor: tensor_type")
          .Attr("tensor_type: type")
          .Attr("tensor_name: string")
          .Attr("send_device: string")
          .Attr("send_device_incarnation: int")
          .Attr("recv_device: string")
          .Attr("client_terminated: bool = false")
          .Stateful()
          .Summary("_Recv into host memory.")
          .Shape(shapes::Unknown),
  };
}

}  // namespace

Status RegisterControlFlowOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, BranchOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, LoopOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, OtherControlOps()));
  return RegisterAll(registry, TransferOps());
}

}  // namespace tagflow
