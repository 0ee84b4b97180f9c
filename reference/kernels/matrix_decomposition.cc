// Square matrices: determinants, inverses, solutions of linear equations, Cholesky.
//
// Elements are widened to double (complex<double>), and rounded once at the end. Equations are
// solved by elimination with the largest pivot of each column.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/matrix.h"

namespace tagflow::reference {
namespace {

// Takes multiples of the pivot's row from those below it, in the matrix and beside it.
template <typename S>
void EliminateBelow(Matrix<S>& matrix, Matrix<S>& beside, int64_t pivot) {
  for (int64_t row = pivot + 1; row < matrix.rows; ++row) {
    const S factor = matrix.at(row, pivot) / matrix.at(pivot, pivot);
    for (int64_t k = pivot; k < matrix.columns; ++k) {
      matrix.at(row, k) -= factor * matrix.at(pivot, k);
    }
    for (int64_t k = 0; k < beside.columns; ++k) beside.at(row, k) -= factor * beside.at(pivot, k);
  }
}

// Makes a matrix upper triangular; what is beside it goes along. Gives whether rows were exchanged
// an odd number of times. A column without a pivot is left as it is.
template <typename S>
bool Triangulate(Matrix<S>& matrix, Matrix<S>& beside) {
  bool odd = false;
  for (int64_t column = 0; column < matrix.columns; ++column) {
    int64_t pivot = column;
    for (int64_t row = column + 1; row < matrix.rows; ++row) {
      if (std::abs(matrix.at(row, column)) > std::abs(matrix.at(pivot, column))) pivot = row;
    }
    if (matrix.at(pivot, column) == S(0)) continue;
    if (pivot != column) {
      odd = !odd;
      for (int64_t k = 0; k < matrix.columns; ++k) {
        std::swap(matrix.at(pivot, k), matrix.at(column, k));
      }
      for (int64_t k = 0; k < beside.columns; ++k) {
        std::swap(beside.at(pivot, k), beside.at(column, k));
      }
    }
    EliminateBelow(matrix, beside, column);
  }
  return odd;
}

// The x with triangle x = rhs, in place of rhs; of the triangle only one half is looked at.
template <typename S>
void SolveTriangle(Matrix<S>& triangle, Matrix<S>& rhs, bool lower) {
  const int64_t n = triangle.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t row = lower ? step : n - 1 - step;
    for (int64_t column = 0; column < rhs.columns; ++column) {
      S& x = rhs.at(row, column);
      for (int64_t k = lower ? 0 : row + 1; k < (lower ? row : n); ++k) {
        x -= triangle.at(row, k) * rhs.at(k, column);
      }
      x /= triangle.at(row, row);
    }
  }
}

// The x with matrix x = rhs.
//   Errors: INVALID_ARGUMENT when the matrix has no inverse
template <typename S>
Result<Matrix<S>> Solve(Matrix<S> matrix, Matrix<S> rhs) {
  Triangulate(matrix, rhs);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    if (!(std::abs(matrix.at(i, i)) > 0)) return InvalidArgument("the matrix has no inverse");
  }
  SolveTriangle(matrix, rhs, /*lower=*/false);
  return rhs;
}

// A determinant as sign (of size 1, or 0) and the logarithm of its size.
template <typename S>
struct Determinant {
  S sign = S(1);
  double log = 0;
};

template <typename S>
Determinant<S> DeterminantOf(Matrix<S> matrix) {
  Matrix<S> nothing{matrix.rows, 0, {}};
  Determinant<S> result;
  if (Triangulate(matrix, nothing)) result.sign = -result.sign;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    const S pivot = matrix.at(i, i);
    const double size = std::abs(pivot);
    if constexpr (ComplexElement<S>) {
      result.sign *= size == 0 ? S(0) : pivot / size;
    } else {
      result.sign *= pivot != pivot ? pivot : S(double(pivot > 0) - double(pivot < 0));
    }
    result.log += std::log(size);
  }
  return result;
}

template <typename S>
S ValueOf(const Determinant<S>& determinant) {
  if (determinant.sign == S(0)) return S(0);
  return determinant.sign * std::exp(determinant.log);
}

// Lower triangular L with L L* = matrix, of which only the lower half is looked at; NaN all over
// its lower half if a pivot is not positive, so that no part of it looks like a result. A pivot
// that is NaN makes NaN of what comes of it alone.
template <typename S>
Matrix<S> CholeskyOf(Matrix<S> matrix) {
  Matrix<S> lower{matrix.rows, matrix.rows, std::vector<S>(matrix.values.size())};
  bool has_factor = true;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      S rest = matrix.at(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= lower.at(i, k) * Conjugate(lower.at(j, k));
      if (i != j) {
        lower.at(i, j) = rest / lower.at(j, j);
        continue;
      }
      const double pivot = std::real(rest);
      has_factor = has_factor && !(pivot <= 0);
      lower.at(i, i) = std::sqrt(pivot);
    }
  }
  for (int64_t i = 0; i < matrix.rows && !has_factor; ++i) {
    for (int64_t j = 0; j <= i; ++j) lower.at(i, j) = std::numeric_limits<double>::quiet_NaN();
  }
  return lower;
}

// Checks the input and hands each matrix of the batch to each(matrix, values), which appends to the
// values of the outputs.
template <typename C, typename S, typename Each>
Result<std::vector<std::vector<C>>> ForEachSquare(const Tensor& input, size_t outputs, Each each) {
  std::vector<std::vector<C>> values(outputs);
  const std::vector<C> elements = Load<C>(input);
  const int64_t side = input.dims().back();
  const int64_t count = *NumElements(BatchOf(input));
  for (int64_t i = 0; i < count; ++i) {
    TAGFLOW_RETURN_IF_ERROR(each(MatrixAt<S>(elements, side, side, i), values));
  }
  return values;
}

//   input: [..., n, n]; output: the inverse of each, or of its adjoint
Status MatrixInverse(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, input.dtype(), kMatrixTypes | DTypeSet{DType::kHalf}));
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(context.node, "adjoint"));
  if (input.num_elements() == 0) {
    context.outputs[0] = input;
    return Status();
  }
  return WithWide(input.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const auto invert = [&](Matrix<S> matrix, auto& values) -> Status {
      if (adjoint) matrix = Adjoint(matrix);
      const int64_t side = matrix.rows;
      TAGFLOW_ASSIGN_OR_RETURN(Matrix<S> inverse, Solve(std::move(matrix), Identity<S>(side)));
      Append(values[0], inverse.values);
      return Status();
    };
    TAGFLOW_ASSIGN_OR_RETURN(const auto values, (ForEachSquare<C, S>(input, 1, invert)));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), input.dims(), values[0]));
    return Status();
  });
}

//   input: [..., n, n]; outputs: [...], the determinant, or its sign and the logarithm of its size
template <bool logarithm>
Status MatrixDeterminant(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kMatrixTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(BatchOf(input)));
  return WithWide(input.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const auto reduce = [&](Matrix<S> matrix, auto& values) -> Status {
      const Determinant<S> determinant = DeterminantOf(std::move(matrix));
      values[0].push_back(static_cast<C>(logarithm ? determinant.sign : ValueOf(determinant)));
      if (logarithm) values[1].push_back(static_cast<C>(S(determinant.log)));
      return Status();
    };
    TAGFLOW_ASSIGN_OR_RETURN(const auto values,
                             (ForEachSquare<C, S>(input, logarithm ? 2 : 1, reduce)));
    for (size_t i = 0; i < values.size(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[i], Store(input.dtype(), BatchOf(input), values[i]));
    }
    return Status();
  });
}

//   input: [..., n, n], positive definite; output: the lower triangular factor of each, NaN where
//   the matrix is not positive definite
Status Cholesky(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kMatrixTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  if (input.num_elements() == 0) {
    context.outputs[0] = input;
    return Status();
  }
  return WithWide(input.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
    const auto factor = [&](Matrix<S> matrix, auto& values) -> Status {
      Append(values[0], CholeskyOf(std::move(matrix)).values);
      return Status();
    };
    TAGFLOW_ASSIGN_OR_RETURN(const auto values, (ForEachSquare<C, S>(input, 1, factor)));
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), input.dims(), values[0]));
    return Status();
  });
}

// Solves each system of a batch of shape `batch` by solve(matrix, rhs).
template <typename C, typename S, typename SolveOne>
Result<Tensor> SolveBatch(const Tensor& matrix, const Tensor& rhs, DimsView batch, SolveOne solve) {
  Dims dims = ToDims(batch);
  const int64_t side = matrix.dims().back();
  const int64_t columns = rhs.dims().back();
  dims.insert(dims.end(), {side, columns});
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  if (*NumElements(dims) == 0) return Tensor::Allocate(matrix.dtype(), dims);
  const std::vector<C> matrices = Load<C>(matrix);
  const std::vector<C> right = Load<C>(rhs);
  const std::vector<int64_t> matrix_of = BroadcastIndices(BatchOf(matrix), batch);
  const std::vector<int64_t> rhs_of = BroadcastIndices(BatchOf(rhs), batch);
  std::vector<C> values;
  for (size_t i = 0; i < matrix_of.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Matrix<S> x, solve(MatrixAt<S>(matrices, side, side, matrix_of[i]),
                                                MatrixAt<S>(right, side, columns, rhs_of[i])));
    Append(values, x.values);
  }
  return Store(matrix.dtype(), dims, values);
}

Status CheckSystem(const KernelContext& context) {
  const Tensor& matrix = context.inputs[0];
  const Tensor& rhs = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, matrix.dtype(), kMatrixTypes));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, matrix.dtype(), rhs.dtype()));
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(matrix, "matrix"));
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(rhs, "rhs"));
  if (matrix.dims().back() == rhs.dim(rhs.rank() - 2)) return Status();
  return InvalidArgument("matrix and rhs must have as many rows: " + DimsString(matrix.dims()) +
                         " and " + DimsString(rhs.dims()));
}

//   matrix: [..., n, n]; rhs: [..., n, k] with the same batch; output: x with matrix x = rhs, or,
//   with the attr adjoint, adjoint(matrix) x = rhs
Status MatrixSolve(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckSystem(context));
  const Tensor& matrix = context.inputs[0];
  const Tensor& rhs = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(context.node, "adjoint"));
  if (!std::ranges::equal(BatchOf(matrix), BatchOf(rhs))) {
    return InvalidArgument("matrix and rhs must be batches of one shape: " +
                           DimsString(matrix.dims()) + " and " + DimsString(rhs.dims()));
  }
  return WithWide(
      matrix.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
        const auto solve = [&](Matrix<S> a, Matrix<S> b) {
          return Solve(adjoint ? Adjoint(std::move(a)) : std::move(a), std::move(b));
        };
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                                 (SolveBatch<C, S>(matrix, rhs, BatchOf(matrix), solve)));
        return Status();
      });
}

// As MatrixSolve, with a matrix of which only one half counts, and batches that broadcast. A zero
// on the diagonal divides.
Status MatrixTriangularSolve(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckSystem(context));
  const Tensor& matrix = context.inputs[0];
  const Tensor& rhs = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const bool lower, BoolAttr(context.node, "lower"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(context.node, "adjoint"));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims batch, BroadcastShape(BatchOf(matrix), BatchOf(rhs)));
  return WithWide(
      matrix.dtype(), [&]<typename C, typename S>(Computing<C>, Computing<S>) -> Status {
        const auto solve = [&](Matrix<S> a, Matrix<S> b) -> Result<Matrix<S>> {
          if (adjoint) a = Adjoint(std::move(a));
          SolveTriangle(a, b, lower != adjoint);
          return b;
        };
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (SolveBatch<C, S>(matrix, rhs, batch, solve)));
        return Status();
      });
}

}  // namespace

Status RegisterMatrixDecompositionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"MatrixInverse", MatrixInverse},
                                {"MatrixDeterminant", MatrixDeterminant<false>},
                                {"LogMatrixDeterminant", MatrixDeterminant<true>},
                                {"Cholesky", Cholesky},
                                {"MatrixSolve", MatrixSolve},
                                {"MatrixTriangularSolve", MatrixTriangularSolve}});
}

}  // namespace tagflow::reference
