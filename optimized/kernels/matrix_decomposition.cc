// Square matrices: determinants, inverses, solutions of linear equations, Cholesky.
//
// Elements are widened to double (complex<double>), and rounded once at the end. A matrix is
// factored in place as P A = L U, with the largest pivot of each column (Golub and Van Loan,
// "Matrix Computations", 3.4), row by row, so that the inner loops run along rows.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/matrices.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {
namespace {

// ---- One matrix ----

// target -= factor row, over `count` elements.
template <typename W>
void SubtractRow(W* target, W factor, const W* row, int64_t count) {
  for (int64_t k = 0; k < count; ++k) target[k] -= factor * row[k];
}

// A square matrix of its own, and its triangular factors in the same place.
template <typename W>
class Square {
 public:
  Square(const W* elements, int64_t size, bool adjoint)
      : size_(size), elements_(elements, elements + size * size) {
    if (!adjoint) return;
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) row(j)[i] = Conjugated(elements[i * size + j]);
    }
  }
  W* row(int64_t i) { return elements_.data() + i * size_; }
  int64_t size() const { return size_; }

  // Factors the matrix. A column without a pivot is left as it is.
  //   exchange(i, j): is called for each exchange of rows
  template <typename Exchange>
  void Factor(Exchange exchange) {
    for (int64_t column = 0; column < size_; ++column) {
      int64_t pivot = column;
      for (int64_t i = column + 1; i < size_; ++i) {
        if (std::abs(row(i)[column]) > std::abs(row(pivot)[column])) pivot = i;
      }
      if (row(pivot)[column] == W(0)) continue;
      if (pivot != column) {
        std::swap_ranges(row(pivot), row(pivot) + size_, row(column));
        exchange(pivot, column);
      }
      for (int64_t i = column + 1; i < size_; ++i) {
        W& multiple = row(i)[column];
        multiple /= row(column)[column];
        SubtractRow(row(i) + column + 1, multiple, row(column) + column + 1, size_ - column - 1);
      }
    }
  }

  bool has_inverse() {
    for (int64_t i = 0; i < size_; ++i) {
      if (!(std::abs(row(i)[i]) > 0)) return false;
    }
    return true;
  }

  // The x with T x = rhs, in place of rhs, where T is one half of the matrix; `is_unit` takes its
  // diagonal for ones.
  void SolveTriangle(W* rhs, int64_t columns, bool lower, bool is_unit) {
    for (int64_t step = 0; step < size_; ++step) {
      const int64_t i = lower ? step : size_ - 1 - step;
      W* x = rhs + i * columns;
      for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : size_); ++k) {
        SubtractRow(x, row(i)[k], rhs + k * columns, columns);
      }
      for (int64_t c = 0; c < columns && !is_unit; ++c) x[c] /= row(i)[i];
    }
  }

  // The x with A x = rhs, in place of rhs.
  //   Errors: INVALID_ARGUMENT when the matrix has no inverse
  Status Solve(W* rhs, int64_t columns) {
    Factor([&](int64_t i, int64_t j) {
      std::swap_ranges(rhs + i * columns, rhs + (i + 1) * columns, rhs + j * columns);
    });
    if (!has_inverse()) return InvalidArgument("the matrix has no inverse");
    SolveTriangle(rhs, columns, /*lower=*/true, /*is_unit=*/true);
    SolveTriangle(rhs, columns, /*lower=*/false, /*is_unit=*/false);
    return Status();
  }

 private:
  int64_t size_;
  std::vector<W> elements_;
};

// A determinant as sign (of size 1, or 0) and the logarithm of its size.
template <typename W>
struct Determinant {
  W sign = W(1);
  double log = 0;

  explicit Determinant(Square<W> matrix) {
    matrix.Factor([&](int64_t, int64_t) { sign = -sign; });
    for (int64_t i = 0; i < matrix.size(); ++i) {
      const W pivot = matrix.row(i)[i];
      const double size = std::abs(pivot);
      if constexpr (Complex<W>) {
        sign *= size == 0 ? W(0) : pivot / size;
      } else {
        sign *= pivot != pivot ? pivot : W(double(pivot > 0) - double(pivot < 0));
      }
      log += std::log(size);
    }
  }
  W value() const { return sign == W(0) ? W(0) : sign * std::exp(log); }
};

template <typename W>
void FillLower(W* matrix, int64_t size, W value) {
  for (int64_t i = 0; i < size; ++i) std::fill_n(matrix + i * size, i + 1, value);
}

// Lower triangular L with L L* = matrix, of which only the lower half is looked at. A pivot that is
// not positive ends it with NaN in all of the lower half, as in TensorFlow; one that is NaN does
// not, and spreads by itself.
template <typename W>
void CholeskyOf(const W* matrix, int64_t size, W* lower) {
  std::fill_n(lower, size * size, W(0));
  for (int64_t i = 0; i < size; ++i) {
    W* row = lower + i * size;
    for (int64_t j = 0; j <= i; ++j) {
      const W* other = lower + j * size;
      W rest = matrix[i * size + j];
      for (int64_t k = 0; k < j; ++k) rest -= row[k] * Conjugated(other[k]);
      if (j < i) {
        row[j] = rest / other[j];
      } else {
        const double pivot = std::real(rest);
        if (pivot <= 0) return FillLower(lower, size, W(std::numeric_limits<double>::quiet_NaN()));
        row[i] = std::sqrt(pivot);
      }
    }
  }
}

// ---- One input ----

//   input: [..., n, n]; output: the inverse of each, or of its adjoint
template <typename W>
Status Invert(KernelContext& context, bool adjoint) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<W>::OfWidest(*out));
  const int64_t side = input.dims().back();
  for (int64_t at = 0; at < x.size(); at += side * side) {
    W* inverse = y.data() + at;
    std::fill_n(inverse, side * side, W(0));
    for (int64_t i = 0; i < side; ++i) inverse[i * (side + 1)] = W(1);
    TAGFLOW_RETURN_IF_ERROR(Square<W>(x.data() + at, side, adjoint).Solve(inverse, side));
  }
  y.Finish();
  return Status();
}

//   input: [..., n, n]; outputs: [...], the determinant, or its sign and the logarithm of its size
template <typename W, bool logarithm>
Status Determine(KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  const DType dtype = input.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, BatchOf(input)));
  Tensor* log_out = out;
  if (logarithm) {
    TAGFLOW_ASSIGN_OR_RETURN(log_out, context.Allocate(1, dtype, BatchOf(input)));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<W>::OfWidest(*out));
  TAGFLOW_ASSIGN_OR_RETURN(auto logs, ElementsFor<W>::OfWidest(*log_out));
  const int64_t side = input.dims().back();
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    const Determinant<W> determinant(Square<W>(x.data() + i * side * side, side, false));
    if (logarithm) logs[i] = determinant.log;
    y[i] = logarithm ? determinant.sign : determinant.value();
  }
  if (logarithm) logs.Finish();
  y.Finish();
  return Status();
}

//   input: [..., n, n], positive definite; output: the lower triangular factor of each, with NaN in
//   it where the matrix is not positive definite
template <typename W>
Status Cholesky(KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<W>::OfWidest(*out));
  const int64_t side = input.dims().back();
  for (int64_t at = 0; at < x.size(); at += side * side) {
    CholeskyOf(x.data() + at, side, y.data() + at);
  }
  y.Finish();
  return Status();
}

// ---- Systems ----

// How a node reads its matrices.
struct System {
  bool is_triangular = false;
  bool is_lower = false;  // of a triangular one: the half that counts
  bool is_adjoint = false;
};

Result<Dims> CheckSystem(const Tensor& matrix, const Tensor& rhs, const System& system) {
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(matrix, "matrix"));
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(rhs, "rhs"));
  const std::string shapes = DimsString(matrix.dims()) + " and " + DimsString(rhs.dims());
  if (matrix.dims().back() != rhs.dim(rhs.rank() - 2)) {
    return InvalidArgument("matrix and rhs must have as many rows: " + shapes);
  }
  if (!system.is_triangular && !SameDims(BatchOf(matrix), BatchOf(rhs))) {
    return InvalidArgument("matrix and rhs must be batches of one shape: " + shapes);
  }
  return BroadcastShape(BatchOf(matrix), BatchOf(rhs));
}

template <typename W>
Status SolveOne(Square<W> matrix, W* rhs, int64_t columns, const System& system) {
  if (!system.is_triangular) return matrix.Solve(rhs, columns);
  matrix.SolveTriangle(rhs, columns, system.is_lower != system.is_adjoint, /*is_unit=*/false);
  return Status();
}

//   matrix: [..., n, n]; rhs: [..., n, k]; output: x with matrix x = rhs, or adjoint(matrix) x =
//   rhs of a triangular system the batches broadcast, and a zero on the diagonal divides
template <typename W>
Status SolveBatch(KernelContext& context, const System& system) {
  const Tensor& matrix = context.input(0);
  const Tensor& rhs = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims batch, CheckSystem(matrix, rhs, system));
  const int64_t side = matrix.dims().back(), columns = rhs.dims().back();
  Dims dims = batch;
  dims.insert(dims.end(), {side, columns});
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, matrix.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const auto a, ElementsAs<W>::OfWidest(matrix));
  TAGFLOW_ASSIGN_OR_RETURN(const auto b, ElementsAs<W>::OfWidest(rhs));
  TAGFLOW_ASSIGN_OR_RETURN(auto x, ElementsFor<W>::OfWidest(*out));
  const BroadcastRows rows({BatchOf(matrix), BatchOf(rhs)}, batch);
  W* to = x.data();
  Status status;
  rows.ForEach([&](const int64_t* offsets) {
    for (int64_t i = 0; i < rows.row_size() && status.ok(); ++i, to += side * columns) {
      const W* from = a.data() + (offsets[0] + i * rows.step(0)) * side * side;
      std::copy_n(b.data() + (offsets[1] + i * rows.step(1)) * side * columns, side * columns, to);
      status = SolveOne(Square<W>(from, side, system.is_adjoint), to, columns, system);
    }
    return status.ok();
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  x.Finish();
  return Status();
}

// ---- Binding ----

Result<BoundKernel> BindInverse(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(binding.node, "adjoint"));
  return BindWide(binding, kMatrixTypes | SetOf(DType::kHalf), [&]<typename W>(Computing<W>) {
    return BoundKernel([adjoint](KernelContext& context) { return Invert<W>(context, adjoint); });
  });
}
template <bool logarithm>
Result<BoundKernel> BindDeterminant(const Binding& binding) {
  return BindWide(binding, kMatrixTypes,
                  []<typename W>(Computing<W>) { return BoundKernel(Determine<W, logarithm>); });
}
Result<BoundKernel> BindCholesky(const Binding& binding) {
  return BindWide(binding, kMatrixTypes,
                  []<typename W>(Computing<W>) { return BoundKernel(Cholesky<W>); });
}
Result<BoundKernel> BindSystem(const Binding& binding, System system) {
  TAGFLOW_ASSIGN_OR_RETURN(system.is_adjoint, BoolAttr(binding.node, "adjoint"));
  return BindWide(binding, kMatrixTypes, [&]<typename W>(Computing<W>) {
    return BoundKernel([system](KernelContext& context) { return SolveBatch<W>(context, system); });
  });
}
Result<BoundKernel> BindSolve(const Binding& binding) { return BindSystem(binding, {}); }
Result<BoundKernel> BindTriangularSolve(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool lower, BoolAttr(binding.node, "lower"));
  return BindSystem(binding, {.is_triangular = true, .is_lower = lower});
}

}  // namespace

Status RegisterMatrixDecompositionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Cholesky", BindCholesky, Cost::kHeavy},
                                   {"LogMatrixDeterminant", BindDeterminant<true>, Cost::kHeavy},
                                   {"MatrixDeterminant", BindDeterminant<false>, Cost::kHeavy},
                                   {"MatrixInverse", BindInverse, Cost::kHeavy},
                                   {"MatrixSolve", BindSolve, Cost::kHeavy},
                                   {"MatrixTriangularSolve", BindTriangularSolve, Cost::kHeavy},
                               });
}

}  // namespace tagflow::optimized
