#ifndef TAGFLOW_REFERENCE_KERNELS_MATRIX_H_
#define TAGFLOW_REFERENCE_KERNELS_MATRIX_H_

// What the kernels of whole matrices share: a matrix of its own, widened to double
// (complex<double>), and what is asked of the tensors that hold batches of them.

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"

namespace tagflow::reference {

inline constexpr DTypeSet kMatrixTypes = kComplexes | DTypeSet{DType::kFloat, DType::kDouble};

template <typename S>
S Conjugate(S value) {
  if constexpr (ComplexElement<S>) return std::conj(value);
  return value;
}

// A matrix of its own, row by row.
template <typename S>
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<S> values;

  S& at(int64_t row, int64_t column) { return values[static_cast<size_t>(row * columns + column)]; }
};

template <typename S>
Matrix<S> Adjoint(Matrix<S> matrix) {
  Matrix<S> adjoint{matrix.columns, matrix.rows, std::vector<S>(matrix.values.size())};
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.columns; ++j) adjoint.at(j, i) = Conjugate(matrix.at(i, j));
  }
  return adjoint;
}

template <typename S>
Matrix<S> Identity(int64_t n) {
  Matrix<S> identity{n, n, std::vector<S>(static_cast<size_t>(n * n))};
  for (int64_t i = 0; i < n; ++i) identity.at(i, i) = S(1);
  return identity;
}

// Matrix number `index` of a batch.
template <typename S, typename C>
Matrix<S> MatrixAt(const std::vector<C>& values, int64_t rows, int64_t columns, int64_t index) {
  Matrix<S> matrix{rows, columns, {}};
  const auto begin = values.begin() + index * rows * columns;
  for (auto it = begin; it != begin + rows * columns; ++it) {
    matrix.values.push_back(static_cast<S>(*it));
  }
  return matrix;
}

inline Status RequireMatrices(const Tensor& input, std::string_view name) {
  if (input.rank() >= 2) return Status();
  return InvalidArgument(std::string(name) + " must hold matrices, but has shape " +
                         DimsString(input.dims()));
}
inline Status RequireSquares(const Tensor& input, std::string_view name) {
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, name));
  const DimsView sides = input.dims().last(2);
  if (sides[0] == sides[1]) return Status();
  return InvalidArgument(std::string(name) + " must hold square matrices, but has shape " +
                         DimsString(input.dims()));
}

inline DimsView BatchOf(const Tensor& tensor) {
  return tensor.dims().first(tensor.dims().size() - 2);
}

template <typename S, typename C>
void Append(std::vector<C>& values, const std::vector<S>& more) {
  for (const S& value : more) values.push_back(static_cast<C>(value));
}

// Calls f(Computing<C>(), Computing<S>()) with the type C of the elements and the wide S.
template <typename F>
Status WithWide(DType dtype, F f) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (ComplexElement<C>) {
      return f(Computing<C>(), Computing<std::complex<double>>());
    } else if constexpr (FloatElement<C>) {
      return f(Computing<C>(), Computing<double>());
    } else {
      return Status();
    }
  });
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_MATRIX_H_
