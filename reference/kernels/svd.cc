// Svd by Hestenes' rotations (Golub and Van Loan, "Matrix Computations", 8.6.3): the columns of the
// matrix are rotated, two at a time, until all are orthogonal to each other. Then the lengths are
// the singular values, the columns' directions their left vectors, and the rotations together the
// right ones. A matrix with more columns than rows is taken as its adjoint.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/families.h"
#include "reference/kernels/jacobi.h"
#include "reference/kernels/matrix.h"

namespace tagflow::reference {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <typename S>
struct Parts {
  std::vector<double> s;  // descending
  Matrix<S> u, v;         // in columns
};

// The sum of conj(a[i,p]) b[i,q].
template <typename S>
S InnerProduct(Matrix<S>& a, int64_t p, Matrix<S>& b, int64_t q) {
  S sum = S(0);
  for (int64_t i = 0; i < a.rows; ++i) sum += Conjugate(a.at(i, p)) * b.at(i, q);
  return sum;
}
template <typename S>
double LengthOf(Matrix<S>& matrix, int64_t column) {
  return std::sqrt(std::real(InnerProduct(matrix, column, matrix, column)));
}

// Goes through all pairs of columns once; gives whether some were not orthogonal.
template <typename S>
bool Sweep(Matrix<S>& matrix, Matrix<S>& vectors) {
  const double nothing = kEpsilon * static_cast<double>(matrix.rows);
  bool rotated = false;
  for (int64_t p = 0; p < matrix.columns; ++p) {
    for (int64_t q = p + 1; q < matrix.columns; ++q) {
      const double left = LengthOf(matrix, p), right = LengthOf(matrix, q);
      const S product = InnerProduct(matrix, p, matrix, q);
      if (!(std::abs(product) > nothing * left * right)) continue;
      const Rotation<S> rotation = Diagonalizing(left * left, right * right, product);
      RotateColumns(matrix, p, q, rotation);
      RotateColumns(vectors, p, q, rotation);
      rotated = true;
    }
  }
  return rotated;
}

// Takes from a column what lies along others, which are orthogonal to each other and of length 1;
// twice, since the first time rounding leaves a little. Gives what length is left.
template <typename S>
double MakeOrthogonal(Matrix<S>& matrix, int64_t column, const std::vector<int64_t>& to) {
  for (int time = 0; time < 2; ++time) {
    for (const int64_t other : to) {
      const S share = InnerProduct(matrix, other, matrix, column);
      for (int64_t i = 0; i < matrix.rows; ++i) matrix.at(i, column) -= share * matrix.at(i, other);
    }
  }
  return LengthOf(matrix, column);
}

// Fills columns with vectors of length 1 that are orthogonal to those of `whole`, and to each
// other: out of each unit vector in turn of which enough is left. It is for some, since the squares
// of what is left of all of them add up to the number of columns that are missing.
template <typename S>
void Complete(Matrix<S>& matrix, std::vector<int64_t> whole, const std::vector<int64_t>& missing) {
  int64_t unit = 0;
  for (const int64_t column : missing) {
    double length = 0;
    for (; unit < matrix.rows && 2 * length * length * matrix.rows <= 1; ++unit) {
      for (int64_t i = 0; i < matrix.rows; ++i) matrix.at(i, column) = S(i == unit ? 1 : 0);
      length = MakeOrthogonal(matrix, column, whole);
    }
    for (int64_t i = 0; i < matrix.rows; ++i) matrix.at(i, column) /= length;
    whole.push_back(column);
  }
}

// The left vectors, `count` of them: directions of the columns. Those that are nothing but rounding
// have none.
template <typename S>
Matrix<S> DirectionsOf(Matrix<S>& matrix, const std::vector<double>& lengths, int64_t count) {
  Matrix<S> u{matrix.rows, count, std::vector<S>(static_cast<size_t>(matrix.rows * count))};
  const double largest = lengths.empty() ? 0 : lengths[0];
  const double nothing = kEpsilon * static_cast<double>(matrix.rows) * largest;
  std::vector<int64_t> whole, missing;
  for (int64_t j = 0; j < count; ++j) {
    const bool has_direction = j < matrix.columns && lengths[static_cast<size_t>(j)] > nothing;
    (has_direction ? whole : missing).push_back(j);
    if (!has_direction) continue;
    for (int64_t i = 0; i < matrix.rows; ++i) {
      u.at(i, j) = matrix.at(i, j) / lengths[static_cast<size_t>(j)];
    }
  }
  Complete(u, whole, missing);
  return u;
}

// REQUIRES: all numbers are finite
template <typename S>
Parts<S> SvdOf(Matrix<S> matrix, bool full) {
  if (matrix.rows < matrix.columns) {
    Parts<S> parts = SvdOf(Adjoint(std::move(matrix)), full);
    std::swap(parts.u, parts.v);
    return parts;
  }
  const double scale = ScaleOf(matrix);
  for (S& value : matrix.values) value /= scale;
  Matrix<S> v = Identity<S>(matrix.columns);
  for (int sweep = 0; sweep < kSweepsMax && Sweep(matrix, v); ++sweep) {
  }
  std::vector<int64_t> order(static_cast<size_t>(matrix.columns));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](int64_t column) { return LengthOf(matrix, column); });
  matrix = Reordered(std::move(matrix), order);
  Parts<S> parts;
  for (int64_t j = 0; j < matrix.columns; ++j) parts.s.push_back(LengthOf(matrix, j));
  parts.u = DirectionsOf(matrix, parts.s, full ? matrix.rows : matrix.columns);
  parts.v = Reordered(std::move(v), order);
  for (double& value : parts.s) value *= scale;
  return parts;
}

// Of a matrix of which some number is none, or infinite, nothing is a number.
template <typename S>
Parts<S> PartsOf(Matrix<S> matrix, bool full) {
  const bool is_finite = std::ranges::all_of(matrix.values, IsFinite<S>);
  if (!is_finite) matrix.values.assign(matrix.values.size(), S(0));
  Parts<S> parts = SvdOf(std::move(matrix), full);
  if (is_finite) return parts;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  parts.s.assign(parts.s.size(), kNone);
  parts.u.values.assign(parts.u.values.size(), S(kNone));
  parts.v.values.assign(parts.v.values.size(), S(kNone));
  return parts;
}

// The shapes of the outputs; those of vectors that nobody wants are [0].
struct SvdDims {
  Dims s, u, v;
};
SvdDims DimsOf(const Tensor& input, bool with_vectors, bool full) {
  const int64_t m = input.dim(input.rank() - 2), n = input.dim(input.rank() - 1);
  const int64_t shorter = std::min(m, n);
  const Dims batch = ToDims(BatchOf(input));
  SvdDims dims{batch, batch, batch};
  dims.s.push_back(shorter);
  dims.u.insert(dims.u.end(), {m, full ? m : shorter});
  dims.v.insert(dims.v.end(), {n, full ? n : shorter});
  if (!with_vectors) dims.u = dims.v = {0};
  return dims;
}

//   input: [..., m, n], p = min(m, n); outputs: s [..., p], descending; u [..., m, p] and
//   v [..., n, p], both square if full, or both [0]
Status Svd(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DType dtype = input.dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kMatrixTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool with_vectors, BoolAttr(context.node, "compute_uv"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(context.node, "full_matrices"));
  const SvdDims dims = DimsOf(input, with_vectors, full);
  for (const Dims& output : {dims.s, dims.u, dims.v}) TAGFLOW_RETURN_IF_ERROR(RequireRoom(output));
  const bool is_empty =
      *NumElements(dims.s) == 0 && *NumElements(dims.u) == 0 && *NumElements(dims.v) == 0;
  const int64_t count = is_empty ? 0 : *NumElements(BatchOf(input));
  return WithWide(dtype, [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const std::vector<C> elements = Load<C>(input);
    std::vector<C> s, u, v;
    for (int64_t i = 0; i < count; ++i) {
      const Parts<S> parts = PartsOf(
          MatrixAt<S>(elements, input.dim(input.rank() - 2), input.dim(input.rank() - 1), i), full);
      for (const double value : parts.s) s.push_back(static_cast<C>(S(value)));
      if (!with_vectors) continue;
      Append(u, parts.u.values);
      Append(v, parts.v.values);
    }
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, dims.s, s));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], Store(dtype, dims.u, u));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], Store(dtype, dims.v, v));
    return Status();
  });
}

}  // namespace

Status RegisterSvdKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Svd", Svd}});
}

}  // namespace tagflow::reference
