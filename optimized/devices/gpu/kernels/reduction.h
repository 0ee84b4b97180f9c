#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_H_

// The reductions as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/reduction_bodies.h"

namespace tagflow::optimized {

const std::vector<GpuLaunch<ReductionArgs>>& ReductionLaunches();

// ArgMax and ArgMin, which have an output of either integer dtype.
struct ArgBestLaunch {
  DType index;  // of the output
  GpuLaunch<ReductionArgs> launch;
};
const std::vector<ArgBestLaunch>& ArgBestLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_H_
