#include "transform/gradients/gradient_ops.h"

#include <utility>
#include <vector>

namespace tagflow {

Output Conjugate(const Scope& scope, const Output& x) {
  if (!IsComplex(x.dtype())) return x;
  return Op(scope, "Conj", {x});
}

Output RealPart(const Scope& scope, const Output& x) {
  if (!IsComplex(x.dtype())) return x;
  const DType part = x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  return Cast(scope, Op(scope, "Real", {x}, {{"Tout", part}}), x.dtype());
}

Output InWideFloats(const Scope& scope, const OutputList& xs,
                    const std::function<Output(const OutputList&)>& f) {
  const DType dtype = xs[0].dtype();
  if (dtype != DType::kHalf && dtype != DType::kBFloat16) return f(xs);
  OutputList wide;
  for (const Output& x : xs) wide.push_back(Cast(scope, x, DType::kFloat));
  return Cast(scope, f(wide), dtype);
}

Output Adjoint(const Scope& scope, const Output& x) {
  const PartialShape shape = x.shape();
  Output perm;
  if (shape.known_rank()) {
    std::vector<int32_t> order;
    for (int i = 0; i < shape.rank(); ++i) order.push_back(i);
    std::swap(order[order.size() - 2], order[order.size() - 1]);
    perm = Const(scope, order);
  } else {
    const Output batch = Sub(scope, Rank(scope, x), 2);
    const Output last = Add(scope, Const(scope, std::vector<int32_t>{1, 0}), batch);
    perm = Concat(scope, {Range(scope, 0, batch, 1), last}, 0);
  }
  if (IsComplex(x.dtype())) return Op(scope, "ConjugateTranspose", {x, perm});
  return Transpose(scope, x, perm);
}

Output BatchMatMul(const Scope& scope, const Output& x, const Output& y, bool adjoint_x,
                   bool adjoint_y) {
  return Op(scope, "BatchMatMulV2", {x, y}, {{"adj_x", adjoint_x}, {"adj_y", adjoint_y}});
}

Output BandPart(const Scope& scope, const Output& x, int64_t lower, int64_t upper) {
  return Op(scope, "MatrixBandPart", {x, lower, upper});
}

namespace {

Output Filled(const Scope& scope, const Output& dims, DType dtype, int number) {
  Result<Tensor> value = Literal(number).As(dtype);
  if (!value.ok()) {
    scope.Fail(value.status());
    return Output();
  }
  return Fill(scope, dims, Const(scope, *std::move(value)));
}

}  // namespace

Output Zeros(const Scope& scope, const Output& dims, DType dtype) {
  return Filled(scope, dims, dtype, 0);
}
Output Ones(const Scope& scope, const Output& dims, DType dtype) {
  return Filled(scope, dims, dtype, 1);
}

namespace {

template <typename T>
T ValueOr(const NodeGradient& node, Result<T> value, T otherwise) {
  if (value.ok()) return *std::move(value);
  node.scope().Fail(value.status().WithNode(node.node().name));
  return otherwise;
}

}  // namespace

bool BoolAttrOf(const NodeGradient& node, std::string_view name) {
  return ValueOr(node, BoolAttr(node.node(), name), false);
}

float FloatAttrOf(const NodeGradient& node, std::string_view name) {
  return ValueOr(node, FloatAttr(node.node(), name), 0.0f);
}

std::string StringAttrOf(const NodeGradient& node, std::string_view name) {
  return ValueOr(node, StringAttr(node.node(), name), std::string());
}

Output RankOf(NodeGradient& node, size_t slot) {
  const PartialShape shape = node.input_shape(slot);
  if (shape.known_rank()) return Const(node.scope(), static_cast<int32_t>(shape.rank()));
  return Size(node.scope(), node.shape_of_input(slot));
}

}  // namespace tagflow
