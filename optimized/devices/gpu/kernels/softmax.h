#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_H_

// The softmax kernels as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/softmax_bodies.h"

namespace tagflow::optimized {

const std::vector<GpuLaunch<SoftmaxArgs>>& SoftmaxLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_H_
