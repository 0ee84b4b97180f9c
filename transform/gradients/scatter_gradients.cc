// Gradients of the ops that put slices at places by index, and of those that share rows out and
// put them together again. Where a place is named twice and not added to, the last slice counts.

#include <algorithm>
#include <string>

#include "graph/builder/builder.h"
#include "transform/gradients/families.h"
#include "transform/gradients/last_writer.h"
#include "transform/gradients/row_updates.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

Result<AttrMap> PolicyOf(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy, StringAttr(node, "bad_indices_policy"));
  return policy.empty() ? AttrMap() : AttrMap{{"bad_indices_policy", policy}};
}

// Unsigned indices are for TensorScatterUpdate alone.
Output Coordinates(NodeGradient& node, size_t slot) {
  const Output indices = node.input(slot);
  const bool is_wide = indices.dtype() == DType::kInt32 || indices.dtype() == DType::kInt64;
  return is_wide ? indices : Cast(node.scope(), indices, DType::kInt32);
}

Output SlicesAt(NodeGradient& node, const Output& x, const Output& indices, const AttrMap& policy,
                const PartialShape& shape) {
  const Output slices = Op(node.scope(), "GatherNd", {x, indices}, policy);
  node.scope().SetShape(slices, shape);
  return slices;
}

//   indices, updates, shape
Status ScatterNdGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap policy, PolicyOf(node.node()));
  node.Give(1, SlicesAt(node, node.grad(0), node.input(0), policy, node.input_shape(1)));
  return Status();
}

//   tensor, indices, updates
Status ScatterAddGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap policy, PolicyOf(node.node()));
  node.Give(0, node.grad(0));
  if (!node.wants(2)) return Status();
  const Output slices = SlicesAt(node, node.grad(0), node.input(1), policy, node.input_shape(2));
  node.Give(2, node.node().op == "TensorScatterSub" ? Neg(node.scope(), slices) : slices);
  return Status();
}

//   tensor, indices, updates
Status ScatterUpdateGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap policy, PolicyOf(node.node()));
  const Scope& scope = node.scope();
  const Output indices = Coordinates(node, 1);
  const Output slices = SlicesAt(node, node.grad(0), indices, policy, node.input_shape(2));
  if (node.wants(0)) {
    node.Give(0, Op(scope, "TensorScatterUpdate", {node.grad(0), indices, ZerosLike(scope, slices)},
                    policy));
  }
  if (!node.wants(2)) return Status();
  const Output dims = Shape(scope, indices);
  const Output last = Sub(scope, Size(scope, dims), 1);
  const Output depth = Gather(scope, dims, AsVector(scope, last), 0);
  const Output outer =
      Slice(scope, node.shape_of_input(0), Const(scope, std::vector<int32_t>{0}), depth);
  node.Give(2, OfLastWritersAt(scope, indices, slices, outer, policy));
  return Status();
}

// The gradient is shared out evenly among all that are equal to the extreme.
//   tensor, indices, updates
Status ScatterExtremeGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrMap policy, PolicyOf(node.node()));
  const Scope& scope = node.scope();
  const DType dtype = node.input_dtype(0);
  const Output indices = node.input(1);
  const Output found = Cast(scope, Equal(scope, node.input(0), node.output(0)), dtype);
  const Output extremes = SlicesAt(node, node.output(0), indices, policy, node.input_shape(2));
  const Output hits = Cast(scope, Equal(scope, node.input(2), extremes), dtype);
  const Output shares = Op(scope, "TensorScatterAdd", {found, indices, hits}, policy);
  const Output each = RealDiv(scope, node.grad(0), shares);
  if (node.wants(0)) node.Give(0, Mul(scope, found, each));
  if (!node.wants(2)) return Status();
  node.Give(2, Mul(scope, hits, SlicesAt(node, each, indices, policy, node.input_shape(2))));
  return Status();
}

// The rows that input 1 names, counted modulo the rows of input 0.
Output RowsOf(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output rows =
      Reshape(scope, DimsOfInput(node, 0, 0, 1), Const(scope, std::vector<int32_t>{}));
  return FloorMod(scope, node.input(1), Maximum(scope, rows, 1));
}

//   x, i, v
Status InplaceAddGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  node.Give(0, node.grad(0));
  if (!node.wants(2)) return Status();
  const Output rows = Gather(scope, node.grad(0), RowsOf(node), 0);
  node.Give(2, node.node().op == "InplaceSub" ? Neg(scope, rows) : rows);
  return Status();
}

//   x, i, v
Status InplaceUpdateGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output indices = RowsOf(node);
  const Output rows = Gather(scope, node.grad(0), indices, 0);
  if (node.wants(0)) {
    node.Give(0, Op(scope, "InplaceUpdate", {node.grad(0), indices, ZerosLike(scope, rows)}));
  }
  if (node.wants(2)) node.Give(2, OfLastWriters(scope, {indices}, {rows})[0]);
  return Status();
}

// The rows are put back where they came from.
//   data, partitions
Status DynamicPartitionGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(node.node(), "num_partitions"));
  const Scope& scope = node.scope();
  const Output partitions = node.input(1);
  const Output numbers =
      Reshape(scope, Range(scope, 0, Size(scope, partitions), 1), Shape(scope, partitions));
  const Operation shared =
      Op(scope, "DynamicPartition", {numbers, partitions}, {{"num_partitions", count}});
  OutputList indices, grads;
  for (int64_t i = 0; i < count; ++i) {
    indices.push_back(shared[static_cast<int>(i)]);
    grads.push_back(node.grad(static_cast<size_t>(i)));
  }
  const Output rows = Op(scope, "ParallelDynamicStitch", {indices, grads});
  node.Give(0, Reshape(scope, rows, node.shape_of_input(0)));
  return Status();
}

// Whether the indices are the parts of a range that a DynamicPartition shared out.
bool ArePartsOfARange(const NodeGradient& node, size_t count) {
  const Graph& graph = node.scope().graph();
  const NodeId partition = node.node().inputs[0].node;
  for (size_t i = 0; i < count; ++i) {
    if (node.node().inputs[i] != OutputRef{partition, static_cast<int32_t>(i)}) return false;
  }
  if (graph.node(partition).op != "DynamicPartition") return false;
  const Node* data = &graph.node(graph.node(partition).inputs[0].node);
  if (data->op == "Reshape") data = &graph.node(data->inputs[0].node);
  return data->op == "Range";
}

//   N indices, then N data
Status DynamicStitchGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const size_t count = node.num_inputs() / 2;
  OutputList indices, rows;
  for (size_t i = 0; i < count; ++i) {
    indices.push_back(node.input(i));
    rows.push_back(Gather(scope, node.grad(0), indices[i], 0));
  }
  if (!ArePartsOfARange(node, count)) rows = OfLastWriters(scope, indices, rows);
  for (size_t i = 0; i < count; ++i) {
    scope.SetShape(rows[i], node.input_shape(count + i));
    node.Give(count + i, rows[i]);
  }
  return Status();
}

// What is left of x, and where it was.
//   x, y -> out, idx
Status ListDiffGradient(NodeGradient& node) {
  node.GiveUpdate(0, AddAtRows(node.scope(), node.output(1), node.grad(0)));
  return Status();
}

// The gradient where `mask` holds.
Output Where(const Scope& scope, const Output& mask, const Output& gradient) {
  return Select(scope, mask, gradient, ZerosLike(scope, gradient));
}

//   indices, depth, on_value, off_value
Status OneHotGradient(NodeGradient& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(node.node(), "axis"));
  const Scope& scope = node.scope();
  const Output on =
      Op(scope, "OneHot", {node.input(0), node.input(1), true, false}, {{"axis", axis}});
  if (node.wants(2)) GiveSum(node, 2, Where(scope, on, node.grad(0)));
  if (node.wants(3)) GiveSum(node, 3, Where(scope, LogicalNot(scope, on), node.grad(0)));
  return Status();
}

// Element i is start * (1 - w) + stop * w, where w goes from 0 to 1.
//   start, stop, num
Status LinSpaceGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const auto number = [&](double value) {
    return AsDType(scope, Const(scope, value), node.input_dtype(0));
  };
  for (const size_t slot : {0, 1}) {
    if (!node.wants(slot)) continue;
    const Output begin = number(slot == 0 ? 1 : 0), end = number(slot == 0 ? 0 : 1);
    const Output weights = Op(scope, "LinSpace", {begin, end, node.input(2)});
    GiveSum(node, slot, Mul(scope, node.grad(0), weights));
  }
  return Status();
}

bool IsEmpty(const PartialShape& shape) {
  return shape.known_rank() && std::ranges::find(shape.dims(), 0) != shape.dims().end();
}

// Of coordinates, how many there are to a place; -1 where that is not known.
int64_t DepthOf(const PartialShape& indices) {
  return indices.known_rank() && indices.rank() > 0 ? indices.dims().back() : -1;
}

// A gradient by slices that GatherNd takes: in a tensor without elements it refuses to look for any
// ([op.2]), and there the gradients have no elements either. Coordinates without dimensions are for
// such tensors alone; and where there are no updates, the tensor's gradient is the result's.
//   kUpdates: the input that is scattered; kTensor: that it is scattered into, or none
constexpr int kNoTensor = -1;
template <Status (*kGradient)(NodeGradient&), int kTensor, int kUpdates>
Status UnlessEmpty(NodeGradient& node) {
  const bool is_empty = IsEmpty(node.output_shape(0)) || IsEmpty(node.input_shape(kUpdates)) ||
                        DepthOf(node.input_shape(kUpdates - 1)) == 0;
  if (!is_empty) return kGradient(node);
  if (kTensor != kNoTensor) node.Give(0, node.grad(0));
  if (node.wants(kUpdates)) node.Give(kUpdates, ZerosLike(node.scope(), node.input(kUpdates)));
  return Status();
}

struct Rule {
  const char* op;
  Status (*gradient)(NodeGradient&);
};
constexpr Rule kRules[] = {
    {"ScatterNd", UnlessEmpty<ScatterNdGradient, kNoTensor, 1>},
    {"TensorScatterAdd", UnlessEmpty<ScatterAddGradient, 0, 2>},
    {"TensorScatterSub", UnlessEmpty<ScatterAddGradient, 0, 2>},
    {"ScatterNdNonAliasingAdd", UnlessEmpty<ScatterAddGradient, 0, 2>},
    {"TensorScatterUpdate", UnlessEmpty<ScatterUpdateGradient, 0, 2>},
    {"TensorScatterMax", UnlessEmpty<ScatterExtremeGradient, 0, 2>},
    {"TensorScatterMin", UnlessEmpty<ScatterExtremeGradient, 0, 2>},
    {"InplaceAdd", InplaceAddGradient},
    {"InplaceSub", InplaceAddGradient},
    {"InplaceUpdate", InplaceUpdateGradient},
    {"DynamicPartition", DynamicPartitionGradient},
    {"DynamicStitch", DynamicStitchGradient},
    {"ParallelDynamicStitch", DynamicStitchGradient},
    {"ListDiff", ListDiffGradient},
    {"OneHot", OneHotGradient},
    {"LinSpace", LinSpaceGradient},
};

}  // namespace

Status RegisterScatterGradients(GradientRegistry& registry) {
  for (const auto& [op, gradient] : kRules) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, gradient));
  }
  return registry.RegisterStop("Range");
}

}  // namespace tagflow
