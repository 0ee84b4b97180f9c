#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_

// What goes where by coordinates and by ids of segments, as the shapes have it: all but memory and
// faults.
//
// Tested by conformance/gpu/host_scatter_test.cc, host_segment_test.cc and
// host_row_updates_test.cc.

#include "graph/status.h"
#include "optimized/devices/gpu/kernels/row_update_bodies.h"
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

// Of ResourceScatterAdd and its like, and of ResourceScatterNdAdd and its like, of a variable whose
// value has these dims: all but the places of the variable and of the updates, too.
//   indices: int32 or int64
//   Errors: INVALID_ARGUMENT, by the shapes
Result<RowUpdateArgs> PlanOfRowUpdates(DimsView dims, const Tensor& indices, const Tensor& updates);
Result<RowUpdateArgs> PlanOfSliceUpdates(DimsView dims, const Tensor& indices,
                                         const Tensor& updates, bool passes_over);

struct SegmentPlan {
  SmallDims output;
  SegmentArgs args;
};
// Of UnsortedSegmentSum and its like.
//   Errors: INVALID_ARGUMENT, by the shapes and the number of segments
Result<SegmentPlan> PlanOfSegments(const KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_PLAN_H_
