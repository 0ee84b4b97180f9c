#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_H_

// The elementwise kernels as nvcc has compiled them.

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"

namespace tagflow::optimized {

template <typename Args>
struct GpuLaunch {
  std::string op;
  DType dtype;
  cudaError_t (*launch)(const Args& args, cudaStream_t stream);
  const char* refusal = nullptr;  // the INVALID_ARGUMENT of elements that it refuses; null: of none
};

const std::vector<GpuLaunch<PairArgs>>& PairLaunches();
const std::vector<GpuLaunch<PairArgs>>& SamePairLaunches();  // of inputs of one shape
const std::vector<GpuLaunch<MapArgs>>& MapLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ELEMENTWISE_H_
