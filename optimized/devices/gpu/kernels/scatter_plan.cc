// Tested by conformance/ops/scatter.ops and segment.ops, over a fake of CUDA, and by
// conformance/gpu/host_scatter_test.cc, host_segment_test.cc and host_row_updates_test.cc.

#include "optimized/devices/gpu/kernels/scatter_plan.h"

#include "graph/limits.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/segments.h"
#include "optimized/kernels/variable_rows.h"

namespace tagflow::optimized {
namespace {

static_assert(kMostIndexedDimensions <= Coordinates::kDepthMax);

Result<ScatterPlan> PlanInto(DimsView dims, const Tensor& indices, const Tensor& updates,
                             bool passes_over) {
  TAGFLOW_RETURN_IF_ERROR(CheckNdSlices(dims, indices.dims(), updates.dims()));
  ScatterPlan plan = {SmallDims(dims), {}};
  const auto depth = static_cast<size_t>(indices.dims().back());
  plan.args.size = ProductOf(dims, depth, dims.size());
  plan.args.links.rows = ProductOf(dims, 0, depth);
  plan.args.links.count = ProductOf(indices.dims().first(indices.dims().size() - 1));
  plan.args.links.coordinates = CoordinatesIn(dims, indices);
  plan.args.links.coordinates.passes_over_all = passes_over;
  return plan;
}

}  // namespace

Result<ScatterPlan> PlanOfScatterNd(const KernelContext& context, bool passes_over) {
  const Tensor& shape = context.input(2);
  if (shape.rank() != 1) {
    return InvalidArgument("shape must be a vector, not of shape " + DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, IndexValues(shape));
  return PlanInto(dims, context.input(0), context.input(1), passes_over);
}

Result<ScatterPlan> PlanOfTensorScatter(const KernelContext& context, bool passes_over) {
  return PlanInto(context.input(0).dims(), context.input(1), context.input(2), passes_over);
}

Result<RowUpdateArgs> PlanOfRowUpdates(DimsView dims, const Tensor& indices,
                                       const Tensor& updates) {
  TAGFLOW_RETURN_IF_ERROR(CheckRowUpdates(dims, indices.dims(), updates.dims()));
  RowUpdateArgs args = {};
  args.is_one_for_all = updates.rank() == 0;
  args.size = ProductOf(dims, 1, dims.size());
  args.links = LinksByIndex(dims[0], indices);
  return args;
}

Result<RowUpdateArgs> PlanOfSliceUpdates(DimsView dims, const Tensor& indices,
                                         const Tensor& updates, bool passes_over) {
  TAGFLOW_ASSIGN_OR_RETURN(const ScatterPlan plan, PlanInto(dims, indices, updates, passes_over));
  RowUpdateArgs args = {};
  args.size = plan.args.size;
  args.links = plan.args.links;
  return args;
}

Result<SegmentPlan> PlanOfSegments(const KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const UnsortedSegments segments, UnsortedSegmentsOf(context));
  SegmentPlan plan = {segments.output, {}};
  plan.args.size = segments.row_size;
  plan.args.links = LinksByIndex(segments.count(), ids);
  // The ids of rows that have no elements are not looked at.
  if (data.num_elements() == 0) plan.args.links.count = 0;
  plan.args.links.coordinates.passes_over_negative = true;
  return plan;
}

}  // namespace tagflow::optimized
