#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SHORT_FLOATS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SHORT_FLOATS_H_

// Kernels of half and bfloat16: what is computed in float and rounded once ([number.1]) is the
// kernel of float between two casts.
//
// Tested by conformance/gpu/compare_kernels_test.cc and gpu_short_floats_test.cc.

#include "optimized/kernel.h"

namespace tagflow::optimized {

inline bool IsShortFloat(DType dtype) { return dtype == DType::kHalf || dtype == DType::kBFloat16; }

// The kernel that the node has where its first dtype is a short float.
//   in_float: the op's for float; on_host: the host's
//   Errors: of on_host
Result<BoundKernel> BindInFloat(const Binder& in_float, const Binder& on_host,
                                const Binding& binding);

// Registers one for each op that has a kernel of float and none of a short float, and gives the
// same numbers in float, rounded; ops with effects and random numbers do not. REQUIRES: all other
// kernels are registered
void RegisterGpuShortFloatKernels(KernelRegistry& registry);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SHORT_FLOATS_H_
