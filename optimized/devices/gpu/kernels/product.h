#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_H_

// The products as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/product_bodies.h"

namespace tagflow::optimized {

const std::vector<GpuLaunch<ProductArgs>>& ProductLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_PRODUCT_H_
