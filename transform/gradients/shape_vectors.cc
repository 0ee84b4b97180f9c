#include "transform/gradients/shape_vectors.h"

#include <numeric>

#include "graph/builder/builder.h"

namespace tagflow {
namespace {

// Dimensions [begin, begin + count) of `shape`, if all of them are known.
std::optional<Dims> KnownDims(const PartialShape& shape, int begin, int count) {
  if (!shape.known_rank()) return std::nullopt;
  const int end = count < 0 ? shape.rank() : begin + count;
  if (end > shape.rank()) return std::nullopt;  // the op fails when it runs, if ever
  Dims dims;
  for (int i = begin; i < end; ++i) {
    if (shape.dim(i) == PartialShape::kUnknownDim || shape.dim(i) > INT32_MAX) return std::nullopt;
    dims.push_back(shape.dim(i));
  }
  return dims;
}

Output Vector(const Scope& scope, const Dims& dims) {
  return Const(scope, std::vector<int32_t>(dims.begin(), dims.end()));
}

Output Part(const Scope& scope, const Output& shape, int begin, int count) {
  return Slice(scope, shape, Const(scope, std::vector<int32_t>{begin}),
               Const(scope, std::vector<int32_t>{count}));
}

template <typename T>
std::vector<int64_t> Widened(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return std::vector<int64_t>(values.begin(), values.end());
}

}  // namespace

Output DimsOfInput(NodeGradient& node, size_t slot, int begin, int count) {
  if (const auto dims = KnownDims(node.input_shape(slot), begin, count)) {
    return Vector(node.scope(), *dims);
  }
  const Output shape = node.shape_of_input(slot);
  return begin == 0 && count < 0 ? shape : Part(node.scope(), shape, begin, count);
}

Extent ExtentOfInput(NodeGradient& node, size_t slot, int begin, int count) {
  if (const auto dims = KnownDims(node.input_shape(slot), begin, count)) {
    return {std::accumulate(dims->begin(), dims->end(), int64_t{1}, std::multiplies<>()), {}};
  }
  const Scope& scope = node.scope();
  const Output dims = Cast(scope, DimsOfInput(node, slot, begin, count), DType::kInt64);
  return {std::nullopt, Op(scope, "Prod", {dims, 0})};
}

Extent Times(const Scope& scope, const Extent& x, const Extent& y) {
  if (x.known.has_value() && y.known.has_value()) return {*x.known * *y.known, {}};
  if (x.known == 1) return y;
  if (y.known == 1) return x;
  return {std::nullopt, Mul(scope, AsOutput(scope, x), AsOutput(scope, y))};
}

Output AsOutput(const Scope& scope, const Extent& extent) {
  return extent.known.has_value() ? Const(scope, *extent.known) : extent.output;
}

Output AsDims(const Scope& scope, const std::vector<Extent>& extents) {
  std::vector<int64_t> known;
  OutputList outputs;
  for (const Extent& extent : extents) {
    if (extent.known.has_value()) known.push_back(*extent.known);
  }
  if (known.size() == extents.size()) return Const(scope, known);
  for (const Extent& extent : extents) outputs.push_back(AsOutput(scope, extent));
  return Pack(scope, outputs);
}

Output RowShapeOfOutput(NodeGradient& node, size_t port) {
  if (const auto dims = KnownDims(node.output_shape(port), 1, -1)) {
    return Vector(node.scope(), *dims);
  }
  return Part(node.scope(), node.shape_of_output(port), 1, -1);
}

Output AsVector(const Scope& scope, const Output& scalar) {
  return Reshape(scope, scalar, Const(scope, std::vector<int32_t>{1}));
}

Output AsDType(const Scope& scope, const Output& x, DType dtype) {
  return x.dtype() == dtype ? x : Cast(scope, x, dtype);
}

Output SumAll(const Scope& scope, const Output& x) {
  if (!x.shape().known_rank()) {
    return Sum(scope, Reshape(scope, x, Const(scope, std::vector<int32_t>{-1})), 0);
  }
  std::vector<int32_t> axes(static_cast<size_t>(x.shape().rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes.empty() ? x : Sum(scope, x, Const(scope, axes));
}

void GiveSum(NodeGradient& node, size_t slot, const Output& gradient) {
  const Output sum = SumAll(node.scope(), gradient);
  const bool is_scalar = node.input_shape(slot) == PartialShape::Scalar();
  node.Give(slot, is_scalar ? sum : Reshape(node.scope(), sum, node.shape_of_input(slot)));
}

std::optional<std::vector<int64_t>> KnownIntegers(const NodeGradient& node, size_t slot) {
  const Tensor* value = node.constant_input(slot);
  if (value == nullptr) return std::nullopt;
  if (value->dtype() == DType::kInt32) return Widened<int32_t>(*value);
  if (value->dtype() == DType::kInt64) return Widened<int64_t>(*value);
  return std::nullopt;
}

std::optional<int> KnownAxis(const NodeGradient& node, size_t slot, const PartialShape& shape) {
  const auto axis = KnownIntegers(node, slot);
  if (!axis.has_value() || axis->size() != 1 || !shape.known_rank()) return std::nullopt;
  const int64_t place = axis->front() < 0 ? axis->front() + shape.rank() : axis->front();
  if (place < 0 || place >= shape.rank()) return std::nullopt;
  return static_cast<int>(place);
}

}  // namespace tagflow
