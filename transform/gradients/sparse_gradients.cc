// Gradients of the ops on sparse tensors, by the values and by dense inputs; places and shapes have
// none.
//
// An op that only moves values is run again on their numbers: so it tells which value came where,
// whatever its rules are. Where values and a dense tensor meet, the place of each value in the
// dense one is its own place, 0 along the dimensions that are repeated or folded away.

#include <string>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

Output Flat(const Scope& scope, const Output& x) {
  return Reshape(scope, x, Const(scope, std::vector<int32_t>{-1}));
}
Output OfInts(const Scope& scope, std::initializer_list<int32_t> values) {
  return Const(scope, std::vector<int32_t>(values));
}
// How many elements the vector `slot` has.
Output CountOf(NodeGradient& node, size_t slot) {
  return ElementAt(node.scope(), node.shape_of_input(slot), 0);
}
// The numbers of its elements.
Output Numbers(NodeGradient& node, size_t slot) {
  return Range(node.scope(), 0, CountOf(node, slot), 1);
}
// The gradients that come to each of `count` values, where map says which value an element is;
// -1: none.
Output Collected(const Scope& scope, const Output& grads, const Output& map, const Output& count) {
  return Op(scope, "UnsortedSegmentSum", {grads, map, count});
}

// ---- Values that are moved ----

//   sparse_indices, output_shape, sparse_values, default_value
Status SparseToDenseGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output dims = node.shape_of_input(2);
  const Output count = Op(scope, "Prod", {dims, 0});
  const Output numbers = Reshape(scope, Range(scope, 0, count, 1), dims);
  const Output map =
      Flat(scope, Op(scope, "SparseToDense", {node.input(0), node.input(1), numbers, -1},
                     {{"validate_indices", false}}));
  const Output grads = Flat(scope, node.grad(0));
  if (node.wants(2)) {
    node.Give(2, Reshape(scope, Collected(scope, grads, map, count), dims));
  }
  if (!node.wants(3)) return Status();
  const Output of_default = Select(scope, Less(scope, map, 0), grads, ZerosLike(scope, grads));
  node.Give(3, SumAll(scope, of_default));
  return Status();
}

//   input_indices, input_values, input_shape; outputs: indices, values
Status SparseReorderGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Operation moved =
      Op(scope, "SparseReorder", {node.input(0), Numbers(node, 1), node.input(2)});
  node.Give(1, Collected(scope, node.grad(1), moved[1], CountOf(node, 1)));
  return Status();
}

//   indices, values, dense_shape, default_value; outputs: …, values, …, reverse_index_map
Status SparseFillEmptyRowsGradient(NodeGradient& node) {
  const Operation grads =
      Op(node.scope(), "SparseFillEmptyRowsGrad", {node.output(3), node.grad(1)});
  node.Give(1, grads[0]);
  node.Give(3, grads[1]);
  return Status();
}

//   reverse_index_map, grad_values; outputs: what the map names, the sum of the rest
Status SparseFillEmptyRowsGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output map = node.input(0);
  const Output count = CountOf(node, 1);
  if (node.has_grad(0)) node.Give(1, Collected(scope, node.grad(0), map, count));
  if (!node.has_grad(1)) return Status();
  const Output named = Collected(scope, OnesLike(scope, map), map, count);
  const Output rest = Fill(scope, Pack(scope, {count}), node.grad(1));
  node.Give(1, Select(scope, Equal(scope, named, int64_t{0}), rest, ZerosLike(scope, rest)));
  return Status();
}

//   all indices, all values, all shapes; outputs: indices, values, shape
Status SparseConcatGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, IntAttr(node.node(), "concat_dim"));
  const size_t lists = node.num_inputs() / 3;
  OutputList indices, numbers, shapes, begins, counts;
  Output begin = Const(scope, int32_t{0});
  for (size_t i = 0; i < lists; ++i) {
    indices.push_back(node.input(i));
    shapes.push_back(node.input(2 * lists + i));
    const Output count = CountOf(node, lists + i);
    counts.push_back(count);
    begins.push_back(begin);
    const Output end = Add(scope, begin, count);
    numbers.push_back(Range(scope, begin, end, 1));
    begin = end;
  }
  const Operation moved =
      Op(scope, "SparseConcat", {indices, numbers, shapes}, {{"concat_dim", axis}});
  const Output all = Collected(scope, node.grad(1), moved[1], begin);
  for (size_t i = 0; i < lists; ++i) {
    node.Give(lists + i, Slice(scope, all, Pack(scope, {begins[i]}), Pack(scope, {counts[i]})));
  }
  return Status();
}

//   split_dim, indices, values, shape; outputs: all indices, all values, all shapes
Status SparseSplitGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t parts, IntAttr(node.node(), "num_split"));
  const Operation moved =
      Op(scope, "SparseSplit", {node.input(0), node.input(1), Numbers(node, 2), node.input(3)},
         {{"num_split", parts}});
  for (size_t part = 0; part < static_cast<size_t>(parts); ++part) {
    const size_t port = static_cast<size_t>(parts) + part;
    if (!node.has_grad(port)) continue;
    node.Give(2, Collected(scope, node.grad(port), moved[port], CountOf(node, 2)));
  }
  return Status();
}

//   indices, values, shape, start, size; outputs: indices, values, shape
Status SparseSliceGradient(NodeGradient& node) {
  node.Give(1, Op(node.scope(), "SparseSliceGrad",
                  {node.grad(1), node.input(0), node.input(3), node.output(0)}));
  return Status();
}

// From numbers that count from 1, with 0 for none.
Output Renumbered(const Scope& scope, const Output& map) { return Sub(scope, map, 1); }
Output NumbersFromOne(NodeGradient& node, size_t slot) {
  return Add(node.scope(), Numbers(node, slot), 1);
}

//   backprop_val_grad, input_indices, input_start, output_indices
Status SparseSliceGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output moved = Op(scope, "SparseSliceGrad",
                          {NumbersFromOne(node, 0), node.input(1), node.input(2), node.input(3)});
  node.Give(0, Collected(scope, node.grad(0), Renumbered(scope, moved), CountOf(node, 0)));
  return Status();
}

// ---- Sums ----

//   a, b: indices, values, shape each, thresh; outputs: indices, values, shape
Status SparseAddGradient(NodeGradient& node) {
  const Operation grads = Op(node.scope(), "SparseAddGrad",
                             {node.grad(1), node.input(0), node.input(3), node.output(0)});
  node.Give(1, grads[0]);
  node.Give(4, grads[1]);
  return Status();
}

//   backprop_val_grad, a_indices, b_indices, sum_indices
Status SparseAddGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Operation moved =
      Op(scope, "SparseAddGrad",
         {NumbersFromOne(node, 0), node.input(1), node.input(2), node.input(3)});
  for (const size_t side : {0, 1}) {
    if (!node.has_grad(side)) continue;
    node.Give(0,
              Collected(scope, node.grad(side), Renumbered(scope, moved[side]), CountOf(node, 0)));
  }
  return Status();
}

//   a: indices, values, shape; b
Status SparseTensorDenseAddGradient(NodeGradient& node) {
  if (node.wants(1)) node.Give(1, Op(node.scope(), "GatherNd", {node.grad(0), node.input(0)}));
  node.Give(3, node.grad(0));
  return Status();
}

// ---- Products of matrices ----

// The coordinates along one dimension.
Output Coordinates(NodeGradient& node, int32_t dim) {
  return Gather(node.scope(), node.input(0), dim, 1);
}

//   a: indices, values, shape; b
// Element (row, inner) of the sparse matrix, adjoint or not, meets row `inner` of the dense one.
Status SparseTensorDenseMatMulGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const bool adjoint_a = BoolAttrOf(node, "adjoint_a");
  const bool adjoint_b = BoolAttrOf(node, "adjoint_b");
  if (node.wants(1)) {
    const Output b = adjoint_b ? Adjoint(scope, node.input(3)) : node.input(3);
    const Output rows = Gather(scope, node.grad(0), Coordinates(node, adjoint_a ? 1 : 0), 0);
    const Output met = Gather(scope, b, Coordinates(node, adjoint_a ? 0 : 1), 0);
    const Output each = Sum(scope, Mul(scope, rows, Conjugate(scope, met)), 1);
    node.Give(1, adjoint_a ? Conjugate(scope, each) : each);
  }
  if (!node.wants(3)) return Status();
  const Output of_b =
      Op(scope, "SparseTensorDenseMatMul",
         {node.input(0), node.input(1), node.input(2), node.grad(0)}, {{"adjoint_a", !adjoint_a}});
  node.Give(3, adjoint_b ? Adjoint(scope, of_b) : of_b);
  return Status();
}

// ---- With dense tensors ----

// A dense tensor whose dimensions are the sparse one's, or 1, and where in it its elements are met.
struct Meeting {
  Output dims;    // int64
  Output places;  // int64 [n, rank]

  Output At(const Scope& scope, const Output& dense) const {
    return Op(scope, "GatherNd", {Reshape(scope, dense, dims), places});
  }
  // The sums of values, one for each element, of those that meet in one place.
  Output Sums(const Scope& scope, const Output& values) const {
    return Op(scope, "ScatterNd", {places, values, dims});
  }
};

Meeting MeetingIn(NodeGradient& node, const Output& dims) {
  return {dims, FloorMod(node.scope(), node.input(0), dims)};
}

Output SparseRank(NodeGradient& node) { return ElementAt(node.scope(), node.shape_of_input(2), 0); }

// With input 3, which is broadcast.
Meeting WithDense(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output missing = Sub(scope, SparseRank(node), RankOf(node, 3));
  const Output ones = Ones(scope, Pack(scope, {missing}), DType::kInt32);
  const Output dims = Concat(scope, {ones, node.shape_of_input(3)}, 0);
  return MeetingIn(node, Cast(scope, dims, DType::kInt64));
}

void GiveDense(NodeGradient& node, const Meeting& meeting, const Output& values) {
  const Scope& scope = node.scope();
  node.Give(3, Reshape(scope, meeting.Sums(scope, values), node.shape_of_input(3)));
}

//   sp: indices, values, shape; dense
Status SparseDenseCwiseMulGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Meeting meeting = WithDense(node);
  if (node.wants(1)) node.Give(1, Mul(scope, node.grad(0), meeting.At(scope, node.input(3))));
  if (node.wants(3)) GiveDense(node, meeting, Mul(scope, node.grad(0), node.input(1)));
  return Status();
}

Status SparseDenseCwiseDivGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Meeting meeting = WithDense(node);
  const Output share = Div(scope, node.grad(0), meeting.At(scope, node.input(3)));
  node.Give(1, share);
  if (node.wants(3)) GiveDense(node, meeting, Neg(scope, Mul(scope, share, node.output(0))));
  return Status();
}

Status SparseDenseCwiseAddGradient(NodeGradient& node) {
  node.Give(1, node.grad(0));
  if (node.wants(3)) GiveDense(node, WithDense(node), node.grad(0));
  return Status();
}

// ---- Reductions ----

// With the output, its folded dimensions being 1.
Meeting WithReduced(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output rank = SparseRank(node);
  const Output axes = FloorMod(scope, Flat(scope, node.input(3)), rank);
  const Output ones = Cast(scope, OnesLike(scope, axes), DType::kInt64);
  const Output all = Range(scope, 0, rank, 1);
  const Output dims =
      Op(scope, "DynamicStitch", {OutputList{all, axes}, OutputList{node.input(2), ones}});
  return MeetingIn(node, dims);
}

//   input: indices, values, shape; reduction_axes
Status SparseReduceSumGradient(NodeGradient& node) {
  node.Give(1, WithReduced(node).At(node.scope(), node.grad(0)));
  return Status();
}

Status SparseReduceMaxGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Meeting meeting = WithReduced(node);
  const Output is_most = Equal(scope, node.input(1), meeting.At(scope, node.output(0)));
  const Output most = Cast(scope, is_most, node.output_dtype(0));
  const Output count = Maximum(scope, meeting.At(scope, meeting.Sums(scope, most)), 1);
  node.Give(1, Mul(scope, Div(scope, most, count), meeting.At(scope, node.grad(0))));
  return Status();
}

//   sp: indices, values, shape
Status SparseSoftmaxGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output but_last = Pack(scope, {Sub(scope, SparseRank(node), 1)});
  const Output rows = Slice(scope, node.input(2), OfInts(scope, {0}), but_last);
  const Output one = Const(scope, std::vector<int64_t>{1});
  const Meeting meeting = MeetingIn(node, Concat(scope, {rows, one}, 0));
  const Output softmax = node.output(0);
  const Output sums = meeting.Sums(scope, Mul(scope, node.grad(0), softmax));
  node.Give(1, Mul(scope, Sub(scope, node.grad(0), meeting.At(scope, sums)), softmax));
  return Status();
}

//   indices, values, dense_shape, size, weights: one for each value, or none
Status SparseBincountGradient(NodeGradient& node) {
  if (BoolAttrOf(node, "binary_output")) return Status();
  const Scope& scope = node.scope();
  const auto wide = [&](const Output& x) { return AsDType(scope, x, DType::kInt64); };
  const Output numbers = wide(node.input(1));
  const Output size = wide(node.input(3));
  const Output all = wide(Op(scope, "Prod", {node.shape_of_output(0), 0}));
  // A vector has one row.
  const Output has_rows = wide(Minimum(scope, Sub(scope, SparseRank(node), 1), 1));
  const Output rows = Mul(scope, Coordinates(node, 0), has_rows);
  const Output is_counted =
      LogicalAnd(scope, GreaterEqual(scope, numbers, int64_t{0}), Less(scope, numbers, size));
  const Output bins = Add(scope, Mul(scope, rows, size), numbers);
  const Output no_bin = Zeros(scope, OfInts(scope, {1}), node.output_dtype(0));
  const Output grads = Concat(scope, {Flat(scope, node.grad(0)), no_bin}, 0);
  const Output each = Gather(scope, grads, Select(scope, is_counted, bins, all), 0);
  const Output dims = node.shape_of_input(4);
  const Output given =
      Slice(scope, each, OfInts(scope, {0}), Pack(scope, {Op(scope, "Prod", {dims, 0})}));
  node.Give(4, Reshape(scope, given, dims));
  return Status();
}

const GradientEntry kEntries[] = {
    {"SparseToDense", SparseToDenseGradient},
    {"SparseReorder", SparseReorderGradient},
    {"SparseFillEmptyRows", SparseFillEmptyRowsGradient},
    {"SparseFillEmptyRowsGrad", SparseFillEmptyRowsGradGradient},
    {"SparseConcat", SparseConcatGradient},
    {"SparseSplit", SparseSplitGradient},
    {"SparseSlice", SparseSliceGradient},
    {"SparseSliceGrad", SparseSliceGradGradient},
    {"SparseAdd", SparseAddGradient},
    {"SparseAddGrad", SparseAddGradGradient},
    {"SparseTensorDenseAdd", SparseTensorDenseAddGradient},
    {"SparseTensorDenseMatMul", SparseTensorDenseMatMulGradient},
    {"SparseDenseCwiseMul", SparseDenseCwiseMulGradient},
    {"SparseDenseCwiseDiv", SparseDenseCwiseDivGradient},
    {"SparseDenseCwiseAdd", SparseDenseCwiseAddGradient},
    {"SparseReduceSum", SparseReduceSumGradient},
    {"SparseReduceMax", SparseReduceMaxGradient},
    {"SparseSoftmax", SparseSoftmaxGradient},
    {"SparseBincount", SparseBincountGradient},
};

}  // namespace

Status RegisterSparseGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
