#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_H_

// The random numbers as nvcc has compiled them.

#include <cuda_runtime.h>

#include <vector>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/random_bodies.h"

namespace tagflow::optimized {

struct RandomLaunch {
  Distribution distribution;
  DType dtype;
  cudaError_t (*launch)(const RandomArgs& args, cudaStream_t stream);
};

const std::vector<RandomLaunch>& RandomLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_RANDOM_H_
