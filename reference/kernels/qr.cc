// Qr by Householder's reflections (Golub and Van Loan, "Matrix Computations", 5.2).
//
// A reflection H = I - s w w* takes a column c to beta e, the first unit vector times a real number
// of the same length: w = c - beta e, s = 1 / w*c. Of the two signs beta has that which c's first
// element has not, so that nothing cancels. A column that is already so is left as it is. Thus r's
// diagonal is real, and q and r are what LAPACK and TensorFlow give.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/families.h"
#include "reference/kernels/matrix.h"

namespace tagflow::reference {
namespace {

template <typename S>
struct Reflection {
  int64_t first = 0;  // the row of w's first element
  std::vector<S> w;
  S s = S(0);
};

// matrix - s w (w* matrix), of its columns from `column` on.
template <typename S>
void Apply(const Reflection<S>& by, S s, Matrix<S>& matrix, int64_t column) {
  for (int64_t j = column; j < matrix.columns; ++j) {
    S product = S(0);
    for (size_t i = 0; i < by.w.size(); ++i) {
      product += Conjugate(by.w[i]) * matrix.at(by.first + static_cast<int64_t>(i), j);
    }
    for (size_t i = 0; i < by.w.size(); ++i) {
      matrix.at(by.first + static_cast<int64_t>(i), j) -= s * by.w[i] * product;
    }
  }
}

// Clears a column below its row k; gives how, w being empty where there was nothing to clear.
template <typename S>
Reflection<S> Clear(Matrix<S>& matrix, int64_t k) {
  constexpr double kNothing = std::numeric_limits<double>::min();
  Reflection<S> reflection;
  reflection.first = k;
  const S head = matrix.at(k, k);
  double below = 0;
  for (int64_t i = k + 1; i < matrix.rows; ++i) below += std::norm(matrix.at(i, k));
  const double imaginary = std::imag(head);
  if (below <= kNothing && imaginary * imaginary <= kNothing) return reflection;
  const double length = std::sqrt(std::norm(head) + below);
  const double beta = std::real(head) >= 0 ? -length : length;
  for (int64_t i = k; i < matrix.rows; ++i) reflection.w.push_back(matrix.at(i, k));
  reflection.w[0] -= beta;
  reflection.s = S(1) / (beta * (beta - head));
  Apply(reflection, reflection.s, matrix, k + 1);
  matrix.at(k, k) = beta;
  return reflection;
}

template <typename S>
struct QrFactors {
  Matrix<S> q, r;
};

// matrix = q r, where q has `inner` columns. q is the product of the adjoint reflections.
template <typename S>
QrFactors<S> QrOf(Matrix<S> matrix, int64_t inner) {
  std::vector<Reflection<S>> reflections;
  for (int64_t k = 0; k < std::min(matrix.rows, matrix.columns); ++k) {
    reflections.push_back(Clear(matrix, k));
  }
  QrFactors<S> factors;
  factors.q = {matrix.rows, inner, std::vector<S>(static_cast<size_t>(matrix.rows * inner))};
  for (int64_t i = 0; i < inner; ++i) factors.q.at(i, i) = S(1);
  std::reverse(reflections.begin(), reflections.end());
  for (const Reflection<S>& reflection : reflections) {
    Apply(reflection, Conjugate(reflection.s), factors.q, 0);
  }
  factors.r = {inner, matrix.columns, {}};
  for (int64_t i = 0; i < inner; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) {
      factors.r.values.push_back(j < i ? S(0) : matrix.at(i, j));
    }
  }
  return factors;
}

Dims WithSides(const Tensor& input, int64_t rows, int64_t columns) {
  Dims dims = ToDims(BatchOf(input));
  dims.insert(dims.end(), {rows, columns});
  return dims;
}

//   input: [..., m, n]; outputs: q [..., m, p], r [..., p, n], p = m if full, else min(m, n)
Status Qr(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, input.dtype(), kMatrixTypes | DTypeSet{DType::kHalf}));
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(context.node, "full_matrices"));
  const int64_t m = input.dim(input.rank() - 2), n = input.dim(input.rank() - 1);
  const int64_t inner = full ? m : std::min(m, n);
  const Dims q_dims = WithSides(input, m, inner), r_dims = WithSides(input, inner, n);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(q_dims));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(r_dims));
  const bool is_empty = *NumElements(q_dims) == 0;
  const int64_t count = is_empty ? 0 : *NumElements(BatchOf(input));
  return WithWide(input.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const std::vector<C> elements = Load<C>(input);
    std::vector<C> q, r;
    for (int64_t i = 0; i < count; ++i) {
      const QrFactors<S> factors = QrOf(MatrixAt<S>(elements, m, n, i), inner);
      Append(q, factors.q.values);
      Append(r, factors.r.values);
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), q_dims, q));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], Store(input.dtype(), r_dims, r));
    return Status();
  });
}

}  // namespace

Status RegisterQrKernels(KernelRegistry& registry) { return RegisterAll(registry, {{"Qr", Qr}}); }

}  // namespace tagflow::reference
