#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_H_

// The end of an iteration, as nvcc has compiled it.

#include <cuda_runtime.h>

#include "optimized/devices/gpu/kernels/commit_body.h"

namespace tagflow::optimized {

cudaError_t LaunchCommit(const CommitArgs& args, cudaStream_t stream);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_H_
