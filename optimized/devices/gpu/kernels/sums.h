#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUMS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUMS_H_

// The sums of several tensors as nvcc has compiled them.

#include <cuda_runtime.h>

#include <vector>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/sum_body.h"

namespace tagflow::optimized {

struct SumLaunch {
  DType dtype;
  cudaError_t (*launch)(const SumArgs& args, cudaStream_t stream);
};

const std::vector<SumLaunch>& SumLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SUMS_H_
