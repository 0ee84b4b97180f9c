// Gradients of the ops that join, cut, repeat and rename elements, and of those that pass a tensor
// on.

#include <numeric>
#include <optional>
#include <string>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

Status PassGradient(NodeGradient& node) {
  node.Give(0, node.grad(0));
  return Status();
}

Status IdentityNGradient(NodeGradient& node) {
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    if (node.wants(i) && node.has_grad(i)) node.Give(i, node.grad(i));
  }
  return Status();
}

Status PreventGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(node.node(), "message"));
  return InvalidArgument("a gradient reaches a PreventGradient: " + message);
}

// As in TensorFlow the gradient is checked too.
Status CheckNumericsGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(node.node(), "message"));
  node.Give(0,
            Op(node.scope(), node.node().op, {node.grad(0)},
               {{"message",
                 "Not a number (NaN) or infinity (Inf) values detected in gradient. " + message}}));
  return Status();
}

// The same elements in the same order under another shape.
Status ReshapeGradient(NodeGradient& node) {
  node.Give(0, Reshape(node.scope(), node.grad(0), node.shape_of_input(0)));
  return Status();
}

Status BroadcastToGradient(NodeGradient& node) {
  node.GiveReduced(0, node.grad(0));
  return Status();
}

//   dims, value
Status FillGradient(NodeGradient& node) {
  GiveSum(node, 1, node.grad(0));
  return Status();
}

// Each dimension of the output is two, which copy and where in it; the copies are summed.
Status TileGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output multiples = AsDType(scope, node.input(1), DType::kInt32);
  const Output pairs = Pack(scope, {multiples, node.shape_of_input(0)}, 1);
  const Output split = Reshape(scope, pairs, Const(scope, std::vector<int32_t>{-1}));
  const Output copies = Range(scope, 0, Size(scope, split), 2);
  const Output sum = Sum(scope, Reshape(scope, node.grad(0), split), copies);
  scope.SetShape(sum, node.input_shape(0));
  node.Give(0, sum);
  return Status();
}

// The permutation that undoes the one in input 1.
Output Inverse(NodeGradient& node) {
  const Scope& scope = node.scope();
  const auto perm = KnownIntegers(node, 1);
  if (!perm.has_value()) {
    const Output axes = node.input(1);
    return Op(scope, "InvertPermutation", {FloorMod(scope, axes, Size(scope, axes, axes.dtype()))});
  }
  const auto rank = static_cast<int64_t>(perm->size());
  std::vector<int32_t> inverse(perm->size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t axis = (*perm)[static_cast<size_t>(i)];
    inverse[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = static_cast<int32_t>(i);
  }
  return Const(scope, inverse);
}

// Of ConjugateTranspose too.
Status TransposeGradient(NodeGradient& node) {
  node.Give(0, Op(node.scope(), node.node().op, {node.grad(0), Inverse(node)}));
  return Status();
}

// The lengths of inputs [begin, end) along the axis in input `axis_slot`, if they can be known.
struct Joint {
  int axis = 0;
  std::vector<int32_t> lengths;
};
std::optional<Joint> KnownJoint(const NodeGradient& node, size_t begin, size_t end,
                                size_t axis_slot) {
  Joint joint;
  const auto axis = KnownAxis(node, axis_slot, node.input_shape(begin));
  if (!axis.has_value()) return std::nullopt;
  joint.axis = *axis;
  for (size_t slot = begin; slot < end; ++slot) {
    const PartialShape shape = node.input_shape(slot);
    if (!shape.known_rank() || joint.axis >= shape.rank()) return std::nullopt;
    const int64_t length = shape.dim(joint.axis);
    if (length == PartialShape::kUnknownDim || length > INT32_MAX) return std::nullopt;
    joint.lengths.push_back(static_cast<int32_t>(length));
  }
  return joint;
}

// Inputs [begin, end) lie one after the other in the output.
Status JoinGradient(NodeGradient& node, size_t begin, size_t end, size_t axis_slot) {
  const Scope& scope = node.scope();
  if (const auto joint = KnownJoint(node, begin, end, axis_slot)) {
    const Operation parts =
        Op(scope, "SplitV", {node.grad(0), Const(scope, joint->lengths), joint->axis},
           {{"num_split", static_cast<int64_t>(end - begin)}});
    for (size_t slot = begin; slot < end; ++slot) {
      node.Give(slot, parts[static_cast<int>(slot - begin)]);
    }
    return Status();
  }
  OutputList shapes;
  for (size_t slot = begin; slot < end; ++slot) shapes.push_back(node.shape_of_input(slot));
  const Output axis = AsDType(scope, node.input(axis_slot), DType::kInt32);
  const Operation offsets = Op(scope, "ConcatOffset", {axis, shapes});
  for (size_t slot = begin; slot < end; ++slot) {
    if (!node.wants(slot)) continue;
    const size_t i = slot - begin;
    const Output part = Slice(scope, node.grad(0), offsets[static_cast<int>(i)], shapes[i]);
    scope.SetShape(part, node.input_shape(slot));
    node.Give(slot, part);
  }
  return Status();
}

Status ConcatV2Gradient(NodeGradient& node) {
  const size_t count = node.num_inputs() - 1;
  return JoinGradient(node, 0, count, count);
}

Status ConcatGradient(NodeGradient& node) { return JoinGradient(node, 1, node.num_inputs(), 0); }

OutputList AllGrads(NodeGradient& node, size_t count) {
  OutputList grads;
  for (size_t port = 0; port < count; ++port) grads.push_back(node.grad(port));
  return grads;
}

// Input `slot` is what the outputs are one after the other along the axis in input `axis_slot`.
Status CutGradient(NodeGradient& node, size_t slot, size_t axis_slot) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(node.node(), "num_split"));
  const OutputList grads = AllGrads(node, static_cast<size_t>(count));
  node.Give(slot, count == 1 ? grads[0] : Concat(node.scope(), grads, node.input(axis_slot)));
  return Status();
}

Status SplitGradient(NodeGradient& node) { return CutGradient(node, 1, 0); }
Status SplitVGradient(NodeGradient& node) { return CutGradient(node, 0, 2); }

Status PackGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(node.node(), "axis"));
  const auto count = static_cast<int64_t>(node.num_inputs());
  const OutputList parts = Unpack(node.scope(), node.grad(0), count, axis);
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) node.Give(slot, parts[slot]);
  return Status();
}

//   values, of one row each -> output
Status ParallelConcatGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const OutputList rows =
      Unpack(scope, node.grad(0), static_cast<int64_t>(node.num_inputs()), /*axis=*/0);
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) {
    if (node.wants(slot)) node.Give(slot, ExpandDims(scope, rows[slot], 0));
  }
  return Status();
}

Status UnpackGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(node.node(), "axis"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(node.node(), "num"));
  node.Give(0, Pack(node.scope(), AllGrads(node, static_cast<size_t>(count)), axis));
  return Status();
}

}  // namespace

Status RegisterArrayGradients(GradientRegistry& registry) {
  for (const char* op : {"Identity", "RefIdentity", "Snapshot", "DeepCopy", "GuaranteeConst",
                         "EnsureShape", "PlaceholderWithDefault", "Print"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, PassGradient));
  }
  for (const char* op : {"Reshape", "ExpandDims", "Squeeze"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, ReshapeGradient));
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register("IdentityN", IdentityNGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("PreventGradient", PreventGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("CheckNumerics", CheckNumericsGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("CheckNumericsV2", CheckNumericsGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("BroadcastTo", BroadcastToGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Fill", FillGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Tile", TileGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Transpose", TransposeGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ConjugateTranspose", TransposeGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ConcatV2", ConcatV2Gradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Concat", ConcatGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Split", SplitGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("SplitV", SplitVGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Pack", PackGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ParallelConcat", ParallelConcatGradient));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Unpack", UnpackGradient));
  for (const char* op : {"StopGradient", "ZerosLike", "OnesLike", "Shape", "ShapeN", "Size", "Rank",
                         "Bitcast", "Empty", "Where", "InvertPermutation"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  return Status();
}

}  // namespace tagflow
