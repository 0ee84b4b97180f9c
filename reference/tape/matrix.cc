#include "reference/tape/matrix.h"

#include <cmath>
#include <utility>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Without row k and column l.
RealMatrix Minor(const RealMatrix& m, size_t k, size_t l) {
  RealMatrix minor{m.rows - 1, m.columns - 1, {}};
  for (size_t i = 0; i < m.rows; ++i) {
    for (size_t j = 0; j < m.columns; ++j) {
      if (i != k && j != l) minor.elements.push_back(m(i, j));
    }
  }
  return minor;
}

}  // namespace

RealMatrix Transposed(const RealMatrix& m) {
  RealMatrix t{m.columns, m.rows, {}};
  for (size_t j = 0; j < m.columns; ++j) {
    for (size_t i = 0; i < m.rows; ++i) t.elements.push_back(m(i, j));
  }
  return t;
}

// The product of the pivots, each the greatest of its column.
double Determinant(RealMatrix m) {
  double product = 1;
  for (size_t k = 0; k < m.rows; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < m.rows; ++i) {
      if (std::fabs(m(i, k)) > std::fabs(m(pivot, k))) pivot = i;
    }
    if (m(pivot, k) == 0) return 0;
    if (pivot != k) product = -product;
    for (size_t j = k; j < m.columns; ++j) std::swap(m(k, j), m(pivot, j));
    product *= m(k, k);
    for (size_t i = k + 1; i < m.rows; ++i) {
      const double multiple = m(i, k) / m(k, k);
      for (size_t j = k; j < m.columns; ++j) m(i, j) -= multiple * m(k, j);
    }
  }
  return product;
}

RealMatrix Cofactors(const RealMatrix& m) {
  RealMatrix cofactors{m.rows, m.columns, {}};
  for (size_t k = 0; k < m.rows; ++k) {
    for (size_t l = 0; l < m.columns; ++l) {
      const double minor = Determinant(Minor(m, k, l));
      cofactors.elements.push_back((k + l) % 2 == 0 ? minor : -minor);
    }
  }
  return cofactors;
}

RealMatrix Inverse(const RealMatrix& m) {
  const double determinant = Determinant(m);
  RealMatrix inverse = Transposed(Cofactors(m));
  for (double& element : inverse.elements) element /= determinant;
  return inverse;
}

size_t MatrixSizeOf(const Tensor& tensor) {
  const DimsView dims = tensor.dims();
  return static_cast<size_t>(Product(dims, dims.size() - 2, dims.size()));
}

RealMatrix MatrixOf(const Tensor& tensor, size_t which) {
  const DimsView dims = tensor.dims();
  const std::vector<double> all = ToDoubles(tensor);
  const size_t size = MatrixSizeOf(tensor);
  RealMatrix matrix;
  matrix.rows = static_cast<size_t>(dims[dims.size() - 2]);
  matrix.columns = static_cast<size_t>(dims[dims.size() - 1]);
  for (size_t i = which * size; i < (which + 1) * size; ++i) matrix.elements.push_back(all[i]);
  return matrix;
}

DimsView MatrixBatchOf(const Tensor& tensor) {
  return tensor.dims().subspan(0, tensor.dims().size() - 2);
}
size_t MatrixCount(const Tensor& tensor) {
  return static_cast<size_t>(Product(MatrixBatchOf(tensor), 0, MatrixBatchOf(tensor).size()));
}

}  // namespace tagflow::reference
