// SelfAdjointEigV2 by Jacobi's rotations (Golub and Van Loan, "Matrix Computations", 8.5): each
// makes one pair of elements beside the diagonal zero, and all of them small in the end.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/families.h"
#include "reference/kernels/jacobi.h"
#include "reference/kernels/matrix.h"

namespace tagflow::reference {
namespace {

// What is left beside the diagonal of a matrix whose elements are at most 1.
constexpr double kNothing = 1e-30;

template <typename S>
struct Eigen {
  std::vector<double> values;  // ascending
  Matrix<S> vectors;           // in columns
};

// The whole matrix that a lower half says: of the diagonal only the real parts.
template <typename S>
Matrix<S> FromLowerHalf(Matrix<S> matrix) {
  for (int64_t i = 0; i < matrix.rows; ++i) {
    matrix.at(i, i) = std::real(matrix.at(i, i));
    for (int64_t j = 0; j < i; ++j) matrix.at(j, i) = Conjugate(matrix.at(i, j));
  }
  return matrix;
}

// The rows as the columns of the adjoint.
template <typename S>
void RotateRows(Matrix<S>& matrix, int64_t p, int64_t q, const Rotation<S>& by) {
  for (int64_t j = 0; j < matrix.columns; ++j) {
    const S upper = matrix.at(p, j), lower = matrix.at(q, j);
    matrix.at(p, j) = by.cosine * upper - by.sine * by.phase * lower;
    matrix.at(q, j) = by.sine * Conjugate(by.phase) * upper + by.cosine * lower;
  }
}

// Goes through all pairs once; gives whether there was anything left to rotate.
template <typename S>
bool Sweep(Matrix<S>& matrix, Matrix<S>& vectors) {
  bool rotated = false;
  for (int64_t p = 0; p < matrix.rows; ++p) {
    for (int64_t q = p + 1; q < matrix.rows; ++q) {
      if (!(std::abs(matrix.at(p, q)) > kNothing)) continue;
      const Rotation<S> rotation =
          Diagonalizing(std::real(matrix.at(p, p)), std::real(matrix.at(q, q)), matrix.at(p, q));
      RotateColumns(matrix, p, q, rotation);
      RotateRows(matrix, p, q, rotation);
      matrix.at(p, q) = matrix.at(q, p) = S(0);
      RotateColumns(vectors, p, q, rotation);
      rotated = true;
    }
  }
  return rotated;
}

template <typename S>
Eigen<S> EigenOf(Matrix<S> matrix) {
  const double scale = ScaleOf(matrix);
  for (S& value : matrix.values) value /= scale;
  Matrix<S> vectors = Identity<S>(matrix.rows);
  for (int sweep = 0; sweep < kSweepsMax && Sweep(matrix, vectors); ++sweep) {
  }
  std::vector<int64_t> order(static_cast<size_t>(matrix.rows));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return std::real(matrix.at(i, i)); });
  Eigen<S> eigen;
  for (const int64_t i : order) eigen.values.push_back(std::real(matrix.at(i, i)) * scale);
  eigen.vectors = Reordered(std::move(vectors), order);
  return eigen;
}

//   input: [..., n, n], of which only the lower half is looked at; outputs: e [..., n], ascending;
//   v [..., n, n], in columns, or [0] if nobody wants them
//   Errors: INVALID_ARGUMENT where some number that is looked at is not finite, but for a matrix of
//   one, which is its own eigenvalue
Status SelfAdjointEig(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DType dtype = input.dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kMatrixTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool with_vectors, BoolAttr(context.node, "compute_v"));
  const Dims e_dims = ToDims(input.dims().first(input.dims().size() - 1));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(e_dims));
  const int64_t n = input.dims().back();
  const int64_t count = input.num_elements() == 0 ? 0 : *NumElements(BatchOf(input));
  return WithWide(dtype, [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const std::vector<C> elements = Load<C>(input);
    std::vector<C> e, v;
    for (int64_t i = 0; i < count; ++i) {
      Eigen<S> eigen;
      const Matrix<S> matrix = FromLowerHalf(MatrixAt<S>(elements, n, n, i));
      if (n == 1) {
        eigen = {{std::real(matrix.values[0])}, Identity<S>(1)};
      } else if (std::ranges::all_of(matrix.values, IsFinite<S>)) {
        eigen = EigenOf(matrix);
      } else {
        return InvalidArgument("a matrix of which some number is not finite has no eigenvalues");
      }
      for (const double value : eigen.values) e.push_back(static_cast<C>(S(value)));
      Append(v, eigen.vectors.values);
    }
    if (!with_vectors) v.clear();
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, e_dims, e));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                             Store(dtype, with_vectors ? ToDims(input.dims()) : Dims{0}, v));
    return Status();
  });
}

}  // namespace

Status RegisterSelfAdjointEigKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SelfAdjointEigV2", SelfAdjointEig}});
}

}  // namespace tagflow::reference
