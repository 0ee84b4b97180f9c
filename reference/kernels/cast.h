#ifndef TAGFLOW_REFERENCE_KERNELS_CAST_H_
#define TAGFLOW_REFERENCE_KERNELS_CAST_H_

#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// A tensor of what Cast makes of doubles.                                       Spec: [number.3]
//   target: a number; values: one for each element
//   Errors: RESOURCE_EXHAUSTED
Result<Tensor> CastDoubles(DType target, DimsView dims, const std::vector<double>& values);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_CAST_H_
