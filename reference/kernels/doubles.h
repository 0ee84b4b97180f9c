#ifndef TAGFLOW_REFERENCE_KERNELS_DOUBLES_H_
#define TAGFLOW_REFERENCE_KERNELS_DOUBLES_H_

// Real numbers as doubles, for kernels that compute in double and round once.

#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// The elements of a tensor, the nearest doubles of integers. REQUIRES: of real numbers
std::vector<double> LoadDoubles(const Tensor& tensor);
// A tensor of them, each rounded to `dtype`. REQUIRES: a dtype of floats; a value per element
//   Errors: RESOURCE_EXHAUSTED
Result<Tensor> StoreDoubles(DType dtype, DimsView dims, const std::vector<double>& values);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_DOUBLES_H_
