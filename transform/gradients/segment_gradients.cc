// Gradients of reductions of the rows of a tensor, grouped by an id for each row: every row gets
// that of its group. Rows with a negative id are in none and get zeros. So do weights, of numbers
// that are counted.
//
// An extreme that several rows share is shared out among them equally. The gradient of a product is
// right where factors are 0, to the second order.

#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

// How a node groups its rows: what its kinds differ in.
class Groups {
 public:
  Groups(NodeGradient& node, bool is_unsorted)
      : node_(node), scope_(node.scope()), is_unsorted_(is_unsorted), ids_(node.input(1)) {
    if (is_unsorted_) {
      is_in_any_ = PerRow(GreaterEqual(scope_, ids_, ZerosLike(scope_, ids_)));
      safe_ids_ = Maximum(scope_, ids_, ZerosLike(scope_, ids_));
    }
  }

  // The group's value for every row, one of the data's shape.
  Output ToRows(const Output& groups) const {
    if (!is_unsorted_) return Gather(scope_, groups, ids_, 0);
    const Output rows = Gather(scope_, groups, safe_ids_, 0);
    return Select(scope_, is_in_any_, rows, ZerosLike(scope_, rows));
  }
  // The rows of each group summed (op "Sum") or multiplied ("Prod").
  Output Reduce(const std::string& op, const Output& rows) const {
    if (!is_unsorted_) return Op(scope_, "Segment" + op, {rows, ids_});
    return Op(scope_, "UnsortedSegment" + op, {rows, ids_, node_.input(2)});
  }
  // A value for each id with dimensions of size 1 for those of a row.
  Output PerRow(const Output& values) const {
    const Output rest = Sub(scope_, RankOf(node_, 0), RankOf(node_, 1));
    const Output ones = Ones(scope_, Pack(scope_, {rest}), DType::kInt32);
    return Reshape(scope_, values, Concat(scope_, {node_.shape_of_input(1), ones}, 0));
  }

 private:
  NodeGradient& node_;
  const Scope& scope_;
  bool is_unsorted_;
  Output ids_;
  Output is_in_any_, safe_ids_;  // where ids may be negative
};

GradientFunction OfSum(bool is_unsorted) {
  return [is_unsorted](NodeGradient& node) {
    node.Give(0, Groups(node, is_unsorted).ToRows(node.grad(0)));
    return Status();
  };
}

// How many of the ids in input `slot` are the same, for each group.
Output Counts(NodeGradient& node, size_t slot, DType dtype) {
  const Scope& scope = node.scope();
  const Output ones = Ones(scope, node.shape_of_input(slot), dtype);
  return Op(scope, "SegmentSum", {ones, node.input(slot)});
}

Status SegmentMeanGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Groups groups(node, false);
  const Output counts = Gather(scope, Counts(node, 1, node.output_dtype(0)), node.input(1), 0);
  node.Give(0, RealDiv(scope, groups.ToRows(node.grad(0)), groups.PerRow(counts)));
  return Status();
}

GradientFunction OfExtreme(bool is_unsorted) {
  return [is_unsorted](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Groups groups(node, is_unsorted);
    const Output is_chosen = Equal(scope, node.input(0), groups.ToRows(node.output(0)));
    const Output chosen = Cast(scope, is_chosen, node.output_dtype(0));
    // At least 1, also of a group without rows.
    const Output count = Maximum(scope, groups.Reduce("Sum", chosen), 1);
    const Output share = RealDiv(scope, node.grad(0), count);
    const Output rows = groups.ToRows(share);
    node.Give(0, Select(scope, is_chosen, rows, ZerosLike(scope, rows)));
    return Status();
  };
}

// For a row that is 0, the product of the other rows of its group that are 0: 1 where there is
// none, the other where there is one (which is 0, but moves), and 0.
Output OtherZeros(const Scope& scope, const Groups& groups, const Output& x,
                  const Output& is_zero) {
  const Output count = groups.ToRows(groups.Reduce("Sum", Cast(scope, is_zero, DType::kInt32)));
  const Output sum = groups.ToRows(groups.Reduce("Sum", Select(scope, is_zero, x, 0)));
  const Output other = Select(scope, Equal(scope, count, 2), Sub(scope, sum, x), 0);
  return Select(scope, Equal(scope, count, 1), OnesLike(scope, x), other);
}

GradientFunction OfProduct(bool is_unsorted) {
  return [is_unsorted](NodeGradient& node) {
    const Scope& scope = node.scope();
    const Groups groups(node, is_unsorted);
    const Output x = Conjugate(scope, node.input(0));
    const Output is_zero = Equal(scope, x, 0);
    const Output not_zero = Select(scope, is_zero, 1, x);
    const Output nonzeros = groups.ToRows(groups.Reduce("Prod", not_zero));
    const Output of_zero = Mul(scope, nonzeros, OtherZeros(scope, groups, x, is_zero));
    const Output all = groups.ToRows(Conjugate(scope, node.output(0)));
    const Output slope = Select(scope, is_zero, of_zero, RealDiv(scope, all, not_zero));
    node.Give(0, Mul(scope, groups.ToRows(node.grad(0)), slope));
    return Status();
  };
}

// Inputs: data, indices, segment_ids, and perhaps the number of groups. Row indices[i] of the data
// is added to group segment_ids[i], times a weight that depends on how many there are in the group.
using Weight = Output (*)(const Scope& scope, const Output& count);

Output Mean(const Scope& scope, const Output& count) { return Maximum(scope, count, 1); }
Output SquareRoot(const Scope& scope, const Output& count) {
  return Sqrt(scope, Maximum(scope, count, 1));
}

// The divisor of each of `groups` groups, all of that many by default, with dimensions of size 1
// for those of a row of input 0.
Output Divisors(NodeGradient& node, Weight weight, const Output& groups = Output()) {
  const Scope& scope = node.scope();
  const DType dtype = node.output_dtype(0);
  Output counts;
  if (groups.valid()) {
    const Output ones = Ones(scope, node.shape_of_input(2), dtype);
    counts = Op(scope, "UnsortedSegmentSum", {ones, node.input(2), groups});
  } else {
    counts = Counts(node, 2, dtype);
  }
  const Output ones = Ones(scope, Pack(scope, {Sub(scope, RankOf(node, 0), 1)}), DType::kInt32);
  const Output first = Const(scope, std::vector<int32_t>{-1});
  return Reshape(scope, weight(scope, counts), Concat(scope, {first, ones}, 0));
}

GradientFunction OfSparse(Weight weight) {
  return [weight](NodeGradient& node) {
    const Scope& scope = node.scope();
    Output groups = node.grad(0);
    if (weight != nullptr) {
      const bool is_told = node.num_inputs() > 3;
      groups = RealDiv(scope, groups, Divisors(node, weight, is_told ? node.input(3) : Output()));
    }
    const Output rows = Gather(scope, groups, node.input(2), 0);
    const Output count = ElementAt(scope, node.shape_of_input(0), 0);
    node.Give(0, Op(scope, "UnsortedSegmentSum", {rows, node.input(1), count}));
    return Status();
  };
}

// Inputs: the gradient of such groups, indices, segment_ids, and how many rows the data has.
// Outputs: the gradient of the data; or of the rows that indices name, and which these are.
GradientFunction OfSparseGrad(Weight weight) {
  return [weight](NodeGradient& node) {
    const Scope& scope = node.scope();
    Output places = node.input(1);
    if (node.node().op.ends_with("V2")) {
      const Output found = Op(scope, "LowerBound",
                              {ExpandDims(scope, node.output(1), 0), ExpandDims(scope, places, 0)});
      places = Squeeze(scope, found, {0});
    }
    const Output rows = Gather(scope, node.grad(0), places, 0);
    const Output groups = ElementAt(scope, node.shape_of_input(0), 0);
    const Output sums = Op(scope, "UnsortedSegmentSum", {rows, node.input(2), groups});
    node.Give(0, weight == nullptr ? sums : RealDiv(scope, sums, Divisors(node, weight, groups)));
    return Status();
  };
}

// The bin that each number was counted in, among the bins of all rows; where it was in none, one
// behind the last. Bincount has one row, and DenseBincount those of its output.
Output BinsOf(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output dims = Cast(scope, node.shape_of_output(0), DType::kInt64);
  const Output rows_end = Pack(scope, {Sub(scope, Size(scope, dims), 1)});
  const Output row_dims = Slice(scope, dims, Const(scope, std::vector<int32_t>{0}), rows_end);
  const Output rows = Op(scope, "Prod", {row_dims, 0});
  const Output size =
      Op(scope, "Prod", {Slice(scope, dims, rows_end, Const(scope, std::vector<int32_t>{1})), 0});
  const Output flat = Const(scope, std::vector<int32_t>{-1});
  const Output numbers = Reshape(scope, Cast(scope, node.input(0), DType::kInt64), flat);
  const Output count = Size(scope, numbers, DType::kInt64);
  const Output per_row = Maximum(scope, FloorDiv(scope, count, Maximum(scope, rows, 1)), 1);
  const Output row = FloorDiv(scope, Range(scope, int64_t{0}, count, int64_t{1}), per_row);
  const Output bins = Add(scope, Mul(scope, row, size), numbers);
  return Select(scope, Less(scope, numbers, size), bins, Mul(scope, rows, size));
}

// Inputs: numbers, size, weights: one for each number, which goes to its bin, or none at all.
Output WeightsGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const Output flat = Const(scope, std::vector<int32_t>{-1});
  const Output bins = Reshape(scope, node.grad(0), flat);
  const Output no_bin = Zeros(scope, Const(scope, std::vector<int32_t>{1}), node.output_dtype(0));
  const Output each = Gather(scope, Concat(scope, {bins, no_bin}, 0), BinsOf(node), 0);
  const Output dims = node.shape_of_input(2);
  const Output count = Op(scope, "Prod", {dims, 0});
  const Output given =
      Slice(scope, each, Const(scope, std::vector<int32_t>{0}), Pack(scope, {count}));
  return Reshape(scope, given, dims);
}

Status BincountGradient(NodeGradient& node) {
  node.Give(2, WeightsGradient(node));
  return Status();
}

// Whether a number comes at all does not depend on weights.
// What is there or not has no weight.
Status DenseBincountGradient(NodeGradient& node) {
  return BoolAttrOf(node, "binary_output") ? Status() : BincountGradient(node);
}

const GradientEntry kEntries[] = {
    {"SegmentSum", OfSum(false)},
    {"SegmentMean", SegmentMeanGradient},
    {"SegmentProd", OfProduct(false)},
    {"SegmentMax", OfExtreme(false)},
    {"SegmentMin", OfExtreme(false)},
    {"UnsortedSegmentSum", OfSum(true)},
    {"UnsortedSegmentProd", OfProduct(true)},
    {"UnsortedSegmentMax", OfExtreme(true)},
    {"UnsortedSegmentMin", OfExtreme(true)},
    {"SparseSegmentSum", OfSparse(nullptr)},
    {"SparseSegmentMean", OfSparse(Mean)},
    {"SparseSegmentSqrtN", OfSparse(SquareRoot)},
    {"SparseSegmentSumWithNumSegments", OfSparse(nullptr)},
    {"SparseSegmentMeanWithNumSegments", OfSparse(Mean)},
    {"SparseSegmentSqrtNWithNumSegments", OfSparse(SquareRoot)},
    {"SparseSegmentSumGrad", OfSparseGrad(nullptr)},
    {"SparseSegmentMeanGrad", OfSparseGrad(Mean)},
    {"SparseSegmentSqrtNGrad", OfSparseGrad(SquareRoot)},
    {"SparseSegmentSumGradV2", OfSparseGrad(nullptr)},
    {"SparseSegmentMeanGradV2", OfSparseGrad(Mean)},
    {"SparseSegmentSqrtNGradV2", OfSparseGrad(SquareRoot)},
    {"Bincount", BincountGradient},
    {"DenseBincount", DenseBincountGradient},
};

}  // namespace

Status RegisterSegmentGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
