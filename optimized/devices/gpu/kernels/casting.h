#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTING_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTING_H_

// A cast that a kernel does on its way.
//
// Tested by conformance/gpu/compare_kernels_test.cc.

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// The value in that dtype, where it is: on the GPU, or on the host.
// REQUIRES: one of the two is float, the other a short float
//   Errors: RESOURCE_EXHAUSTED
Result<Tensor> CastWhereItIs(KernelContext& context, const Tensor& value, DType to);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTING_H_
