#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_KERNELS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_KERNELS_H_

// The kernels that come with devices of kind GPU; none without a CUDA toolkit.
//
// Tested by gpu_kernels_test.cc.

#include "optimized/kernel.h"

namespace tagflow::optimized {

const KernelRegistry& GpuKernels();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GPU_KERNELS_H_
