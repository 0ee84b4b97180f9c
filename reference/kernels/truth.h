#ifndef TAGFLOW_REFERENCE_KERNELS_TRUTH_H_
#define TAGFLOW_REFERENCE_KERNELS_TRUTH_H_

// Whether a tensor holds as a condition: what ToBool gives, and what If and While ask.
//
// Tested by conformance/ops/basic.ops.

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// A scalar: whether it is nonzero (NaN is), of a string whether it has characters; any other
// tensor: whether it has elements.
//   Errors: INVALID_ARGUMENT for a scalar of another dtype
Result<bool> Truth(const Tensor& tensor);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_TRUTH_H_
