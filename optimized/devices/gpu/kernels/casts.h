#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTS_H_

// The casts as nvcc has compiled them.

#include <cuda_runtime.h>

#include <vector>

#include "optimized/devices/gpu/kernels/cast_bodies.h"

namespace tagflow::optimized {

struct CastLaunch {
  CastKind kind;
  cudaError_t (*launch)(const MapArgs& args, cudaStream_t stream);
};

const std::vector<CastLaunch>& CastLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CASTS_H_
