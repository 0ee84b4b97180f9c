#include "transform/gradients/row_updates.h"

#include <algorithm>
#include <set>

#include "graph/builder/builder.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// Variants add up by AddN alone.
Output Plus(const Scope& scope, const Output& x, const Output& y) {
  return x.dtype() == DType::kVariant ? AddN(scope, {x, y}) : Add(scope, x, y);
}

bool IsKnownEmpty(const PartialShape& shape) {
  return shape.known_rank() && std::ranges::count(shape.dims(), 0) > 0;
}

}  // namespace

GradientUpdate AddAtCoordinates(const Output& indices, const Output& slices,
                                const std::string& bad_indices_policy) {
  return [=](const Scope& scope, const Output& sum) -> Output {
    if (IsKnownEmpty(sum.shape())) return sum;  // where an update would be refused
    AttrMap attrs;
    if (!bad_indices_policy.empty()) attrs = {{"bad_indices_policy", bad_indices_policy}};
    return Op(scope, "TensorScatterAdd", {sum, indices, slices}, attrs);
  };
}

GradientUpdate AddAtRows(const Scope& scope, const Output& indices, const Output& rows) {
  const PartialShape shape = indices.shape();
  if (shape.known_rank() && shape.rank() > 0) {
    return AddAtCoordinates(ExpandDims(scope, indices, -1), rows);
  }
  // A lone index is a list of one, and its row one of one row.
  if (shape.known_rank()) {
    const Output one = Reshape(scope, indices, Const(scope, std::vector<int32_t>{1, 1}));
    return AddAtCoordinates(one, ExpandDims(scope, rows, 0));
  }
  const Output count = AsVector(scope, Size(scope, indices));
  const Output counted =
      Reshape(scope, indices, Concat(scope, {count, Const(scope, std::vector<int32_t>{1})}, 0));
  const Output row_dims = Slice(scope, Shape(scope, rows), AsVector(scope, Rank(scope, indices)),
                                Const(scope, std::vector<int32_t>{-1}));
  return AddAtCoordinates(counted, Reshape(scope, rows, Concat(scope, {count, row_dims}, 0)));
}

GradientUpdate AddToElement(const Output& index, const Output& gradient, const Output& shape) {
  return [=](const Scope& scope, const Output& sum) -> Output {
    const Output before =
        Op(scope, "TensorListGetItem", {sum, index, shape}, {{"element_dtype", gradient.dtype()}});
    return Op(scope, "TensorListSetItem", {sum, index, Plus(scope, before, gradient)});
  };
}

GradientUpdate AddToElements(const Scope& scope, const Output& indices, const Output& gradients,
                             const Output& shape, bool distinct) {
  Output places = indices, rows = gradients;
  if (!distinct) {
    const Operation unique = Op(scope, "Unique", {indices});
    places = unique[0];
    rows = Op(scope, "UnsortedSegmentSum", {gradients, unique[1], Size(scope, places)});
  }
  return [=](const Scope& in, const Output& sum) -> Output {
    const Output before =
        Op(in, "TensorListGather", {sum, places, shape}, {{"element_dtype", rows.dtype()}});
    return Op(in, "TensorListScatterIntoExistingList", {sum, Add(in, before, rows), places});
  };
}

Status RequireNumbers(const NodeGradient& node) {
  if (node.input_dtype(0) != DType::kVariant) return Status();
  return Unimplemented("the gradient of " + node.node().op +
                       " on a tensor of lists is not known: take it apart with Unpack");
}

bool AreDistinct(const NodeGradient& node, size_t slot) {
  if (const auto values = KnownIntegers(node, slot)) {
    return std::set<int64_t>(values->begin(), values->end()).size() == values->size();
  }
  const Graph& graph = node.scope().graph();
  const Node* source = &graph.node(node.node().inputs[slot].node);
  while (source->op == "Identity" || source->op == "Enter" || source->op == "Switch") {
    source = &graph.node(source->inputs[0].node);
  }
  return source->op == "Range";
}

}  // namespace tagflow
