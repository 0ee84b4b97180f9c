#ifndef TAGFLOW_OPTIMIZED_KERNELS_TRUTH_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TRUTH_H_

// Whether a tensor holds as a condition: a scalar where it is nonzero (NaN is), of a string where
// it has characters; any other tensor where it has elements.               Spec: [functional.if]

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// How a scalar of this dtype is read as a bool; null when it is not.
using ScalarTruth = bool (*)(const Tensor& scalar);
ScalarTruth TruthOfScalars(DType dtype);

//   scalar_truth: TruthOfScalars(condition.dtype())
//   Errors: INVALID_ARGUMENT for a scalar that is not read as a bool
Result<bool> Holds(const Tensor& condition, ScalarTruth scalar_truth);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TRUTH_H_
