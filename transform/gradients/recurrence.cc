#include "transform/gradients/recurrence.h"

#include <algorithm>

namespace tagflow {
namespace {

// The value of a scalar int32 or int64 constant.
int64_t ScalarOf(const Tensor& tensor) {
  return tensor.dtype() == DType::kInt32 ? tensor.scalar<int32_t>() : tensor.scalar<int64_t>();
}

Output ConstDims(const Scope& scope, const Dims& dims) {
  return Const(scope, std::vector<int32_t>(dims.begin(), dims.end()));
}

// outer, n and inner, where the shape and the axis are known.
Dims FlatDims(const PartialShape& shape, int64_t axis) {
  Dims flat{1, 1, 1};
  if (axis < 0) axis += shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    flat[i < axis ? 0 : i == axis ? 1 : 2] *= shape.dim(i);
  }
  return flat;
}

// The same, computed when it runs.
Output ComputedFlatDims(NodeGradient& node, const Output& dims) {
  const Scope& scope = node.scope();
  const Output rank = Size(scope, dims);
  const Output axis = FloorMod(scope, Cast(scope, node.input(1), DType::kInt32), rank);
  const Output places = Range(scope, 0, rank, 1);
  const auto product = [&](const Output& which) -> Output {
    return Op(scope, "Prod", {Select(scope, which, dims, OnesLike(scope, dims)), 0});
  };
  return Pack(scope, {product(Less(scope, places, axis)), product(Equal(scope, places, axis)),
                      product(Greater(scope, places, axis))});
}

}  // namespace

ScanAxis::ScanAxis(NodeGradient& node, bool reverse)
    : scope_(node.scope()), reverse_(reverse), dims_(node.shape_of_input(0)) {
  const PartialShape shape = node.input_shape(0);
  const Tensor* axis = node.constant_input(1);
  if (shape.fully_known() && axis != nullptr) {
    const Dims flat = FlatDims(shape, ScalarOf(*axis));
    known_length_ = flat[1];
    flat_dims_ = ConstDims(scope_, flat);
    one_ = Const(scope_, static_cast<int32_t>(std::min<int64_t>(1, known_length_)));
    return;
  }
  flat_dims_ = ComputedFlatDims(node, dims_);
  length_ = ElementAt(scope_, flat_dims_, 1);
  one_ = Minimum(scope_, length_, 1);
}

Output ScanAxis::Flat(const Output& x) const {
  const Output flat = Reshape(scope_, x, flat_dims_);
  if (!reverse_) return flat;
  return Op(scope_, "ReverseV2", {flat, Const(scope_, std::vector<int32_t>{1})});
}

Output ScanAxis::Back(const Output& flat) const {
  if (!reverse_) return Reshape(scope_, flat, dims_);
  const Output turned = Op(scope_, "ReverseV2", {flat, Const(scope_, std::vector<int32_t>{1})});
  return Reshape(scope_, turned, dims_);
}

Output ScanAxis::From(const Scope& scope, const Output& x, const Output& begin) const {
  const Output zero = Const(scope, 0);
  return Slice(scope, x, Pack(scope, {zero, begin, zero}),
               Const(scope, std::vector<int32_t>{-1, -1, -1}));
}

Output ScanAxis::Pad(const Scope& scope, const Output& x, const Output& count) const {
  const Output zero = Const(scope, 0);
  const Output none = Pack(scope, {zero, zero});
  const Output paddings = Pack(scope, {none, Pack(scope, {zero, count}), none});
  return Op(scope, "Pad", {x, paddings});
}

Output ScanAxis::ShiftedBy(const Scope& scope, const Output& x, const Output& count) const {
  return Pad(scope, From(scope, x, count), count);
}

Output ScanAxis::Next(const Output& x) const { return From(scope_, x, one_); }

Output ScanAxis::AllButLast(const Output& x) const {
  const Output length = Sub(scope_, ElementAt(scope_, Shape(scope_, x), 1), one_);
  const Output all = Const(scope_, -1);
  return Slice(scope_, x, Const(scope_, std::vector<int32_t>{0, 0, 0}),
               Pack(scope_, {all, length, all}));
}

Output ScanAxis::WithZero(const Output& x) const { return Pad(scope_, x, one_); }

Output ScanAxis::Solve(const Output& a, const Output& b) const {
  const auto step = [this](const Scope& scope, const OutputList& now, const Output& width) {
    const Output shifted = Mul(scope, now[0], ShiftedBy(scope, now[1], width));
    return OutputList{Mul(scope, now[0], ShiftedBy(scope, now[0], width)),
                      Add(scope, now[1], shifted)};
  };
  if (known_length_ != PartialShape::kUnknownDim) {
    OutputList now{a, b};
    for (int64_t width = 1; width < known_length_; width *= 2) {
      now = step(scope_, now, Const(scope_, static_cast<int32_t>(width)));
    }
    return now[1];
  }
  WhileOptions options;
  options.name = "recurrence";
  options.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(3),
                              PartialShape::UnknownOfRank(3)};
  const OutputList last = WhileLoop(
      scope_, {Const(scope_, 1), a, b},
      [this](const Scope& scope, const OutputList& now) { return Less(scope, now[0], length_); },
      [&](const Scope& scope, const OutputList& now) {
        const OutputList next = step(scope, {now[1], now[2]}, now[0]);
        return OutputList{Mul(scope, now[0], 2), next[0], next[1]};
      },
      options);
  return last[2];
}

}  // namespace tagflow
