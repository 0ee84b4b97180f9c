#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCANS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCANS_H_

// The running totals as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/scan_body.h"

namespace tagflow::optimized {

const std::vector<GpuLaunch<ScanArgs>>& ScanLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCANS_H_
