// Gradients of TensorArrays. The gradient of a flow is a list with the gradients of the array's
// elements (array_flow.h), and not, as in TensorFlow, another array: nothing is written to, so
// nothing has to be ordered, and there are gradients of any order.
//
// A write leaves the list as it is: what was at an index before is never read after it, since each
// index is written once.

#include "graph/builder/builder.h"
#include "transform/gradients/array_flow.h"
#include "transform/gradients/families.h"
#include "transform/gradients/row_updates.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// Lists of lists begin without elements, and what is not there has no zeros.
Status RequireNumbers(DType dtype) {
  if (dtype != DType::kVariant) return Status();
  return Unimplemented("the gradient of a TensorArray of lists is not known: use a TensorList");
}

// The update of a list that has at least `size` elements.
GradientUpdate Grown(const Output& size, const GradientUpdate& update) {
  return [=](const Scope& scope, const Output& sum) -> Output {
    return update(scope, GrownTo(scope, sum, size));
  };
}

//   handle, index, value, flow
Status WriteGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType dtype = node.input_dtype(2);
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(dtype));
  if (node.wants(2)) {
    const Output list = GrownTo(scope, node.grad(0), Add(scope, node.input(1), 1));
    const Output value =
        Op(scope, "TensorListGetItem", {list, node.input(1), node.shape_of_input(2)},
           {{"element_dtype", dtype}});
    scope.SetShape(value, node.input_shape(2));
    node.Give(2, value);
  }
  node.Give(3, node.grad(0));
  return Status();
}

//   handle, index, flow
Status ReadGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node.output_dtype(0)));
  const Output index = node.input(1);
  node.GiveUpdate(2, Grown(Add(node.scope(), index, 1),
                           AddToElement(index, node.grad(0), node.shape_of_output(0))));
  return Status();
}

//   handle, indices, flow
Status GatherGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node.output_dtype(0)));
  const Scope& scope = node.scope();
  const Output indices = node.input(1);
  const GradientUpdate add =
      AddToElements(scope, indices, node.grad(0), RowShapeOfOutput(node, 0), AreDistinct(node, 1));
  node.GiveUpdate(2, Grown(SizeToHold(scope, indices), add));
  return Status();
}

//   handle, indices, value, flow
Status ScatterGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType dtype = node.input_dtype(2);
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(dtype));
  if (node.wants(2)) {
    const Output list = GrownTo(scope, node.grad(0), SizeToHold(scope, node.input(1)));
    const Output value =
        Op(scope, "TensorListGather", {list, node.input(1), DimsOfInput(node, 2, 1)},
           {{"element_dtype", dtype}});
    scope.SetShape(value, node.input_shape(2));
    node.Give(2, value);
  }
  node.Give(3, node.grad(0));
  return Status();
}

//   handle, flow -> value, lengths
Status ConcatGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(node.output_dtype(0)));
  node.Give(
      1, Op(scope, "TensorListSplit", {node.grad(0), Const(scope, int32_t{-1}), node.output(1)}));
  return Status();
}

//   handle, value, lengths, flow
Status SplitGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const DType dtype = node.input_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(RequireNumbers(dtype));
  if (node.wants(1)) {
    const Output shape =
        Concat(scope, {Const(scope, std::vector<int32_t>{-1}), DimsOfInput(node, 1, 1)}, 0);
    const Output list = Op(scope, "TensorListResize", {node.grad(0), Size(scope, node.input(2))});
    const Operation value =
        Op(scope, "TensorListConcatV2", {list, shape, node.input(2)}, {{"element_dtype", dtype}});
    scope.SetShape(value[0], node.input_shape(1));
    node.Give(1, value[0]);
  }
  node.Give(3, node.grad(0));
  return Status();
}

Status NoGradientOfGradientArray(NodeGradient& node) {
  return Unimplemented("the gradient goes through " + node.node().op +
                       ", whose array is written to more than once: gradients made by Gradients "
                       "have gradients themselves, those that TensorFlow made do not; make them "
                       "anew from the forward graph");
}

Status NoGradientOfOlderArray(NodeGradient& node) {
  return Unimplemented("the gradient goes through " + node.node().op +
                       ", whose array nothing but a name shows: make the array by TensorArrayV3");
}

}  // namespace

Status RegisterTensorArrayGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayWriteV3", WriteGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayReadV3", ReadGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayGatherV3", GatherGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayScatterV3", ScatterGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayConcatV3", ConcatGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArraySplitV3", SplitGradient));
  for (const char* op : {"TensorArrayGradV3", "TensorArrayGradWithShape"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, NoGradientOfGradientArray));
  }
  for (const char* op : {"TensorArrayV3", "TensorArraySizeV3", "TensorArrayCloseV3"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  for (const char* use : {"", "Grad", "Write", "Read", "Gather", "Scatter", "Concat", "Split"}) {
    for (const char* version : {"", "V2"}) {
      const std::string op = std::string("TensorArray") + use + version;
      TAGFLOW_RETURN_IF_ERROR(registry.Register(op, NoGradientOfOlderArray));
    }
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register("TensorArrayPack", NoGradientOfOlderArray));
  return registry.Register("TensorArrayUnpack", NoGradientOfOlderArray);
}

}  // namespace tagflow
