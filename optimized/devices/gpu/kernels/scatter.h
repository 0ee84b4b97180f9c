#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_H_

// The kernels that fold rows into those that these name, as nvcc has compiled them.

#include <vector>

#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/row_update_bodies.h"
#include "optimized/devices/gpu/kernels/scatter_bodies.h"
#include "optimized/devices/gpu/kernels/segment_bodies.h"

namespace tagflow::optimized {

const std::vector<GpuLaunch<ScatterArgs>>& ScatterLaunches();
// Of the ops ResourceScatterNAME and, where there is one, ResourceScatterNdNAME, by NAME.
const std::vector<GpuLaunch<RowUpdateArgs>>& RowUpdateLaunches();
const std::vector<GpuLaunch<SegmentArgs>>& SegmentLaunches();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_H_
