#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_

// What goes where by coordinates and by ids of segments, as the shapes have it: all but memory and
// faults.
//
// Tested by conformance/gpu/host_scatter_test.cc and host_segment_test.cc.

#include "graph/status.h"
#include "optimized/devices/gpu/kernels/scatter_bodies.h"
#include "optimized/devices/gpu/kernels/segment_bodies.h"
#include "optimized/kernel.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

struct ScatterPlan {
  SmallDims output;
  ScatterArgs args;
};
// Of ScatterNd, which has its output's shape as an input, and of TensorScatterAdd and its like.
//   Errors: INVALID_ARGUMENT, by the shapes
Result<ScatterPlan> PlanOfScatterNd(const KernelContext& context, bool passes_over);
Result<ScatterPlan> PlanOfTensorScatter(const KernelContext& context, bool passes_over);

struct SegmentPlan {
  SmallDims output;
  SegmentArgs args;
};
// Of UnsortedSegmentSum and its like.
//   Errors: INVALID_ARGUMENT, by the shapes and the number of segments
Result<SegmentPlan> PlanOfSegments(const KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_
