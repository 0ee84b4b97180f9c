#ifndef TAGFLOW_REFERENCE_TAPE_MATRIX_H_
#define TAGFLOW_REFERENCE_TAPE_MATRIX_H_

// Small matrices of doubles, and those of a tensor, for derivatives of what is made of whole
// matrices. Inverses come from minors: slow, and plain. Tested by adjoint_calls_test.cc.

#include <cstddef>
#include <vector>

#include "graph/tensor.h"

namespace tagflow::reference {

// Row-major.
struct RealMatrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> elements;
  double operator()(size_t i, size_t j) const { return elements[i * columns + j]; }
  double& operator()(size_t i, size_t j) { return elements[i * columns + j]; }
};

RealMatrix Transposed(const RealMatrix& m);
double Determinant(RealMatrix m);
// The derivative of the determinant by each element.
RealMatrix Cofactors(const RealMatrix& m);
RealMatrix Inverse(const RealMatrix& m);

// Of a tensor that holds a batch of matrices along its last two dimensions.
RealMatrix MatrixOf(const Tensor& tensor, size_t which);
size_t MatrixSizeOf(const Tensor& tensor);  // how many elements one of them has
DimsView MatrixBatchOf(const Tensor& tensor);
size_t MatrixCount(const Tensor& tensor);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_MATRIX_H_
