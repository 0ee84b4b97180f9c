// Tested by conformance/ops/scatter.ops and segment.ops, over a fake of CUDA, and by
// conformance/gpu/host_scatter_test.cc and host_segment_test.cc.

#include "optimized/devices/gpu/kernels/scatter_plan.h"

#include "graph/limits.h"
#include "optimized/devices/gpu/kernels/index_dtypes.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/nd_slices.h"
#include "optimized/kernels/segments.h"

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

Result<SegmentPlan> PlanOfSegments(const KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const UnsortedSegments segments, UnsortedSegmentsOf(context));
  SegmentPlan plan = {segments.output, {}};
  plan.args.size = segments.row_size;
  plan.args.links.rows = segments.count();
  // The ids of rows that have no elements are not looked at.
  plan.args.links.count = data.num_elements() == 0 ? 0 : ids.num_elements();
  Coordinates& coordinates = plan.args.links.coordinates;
  coordinates.are_wide = ids.dtype() == DType::kInt64;
  coordinates.depth = 1;
  coordinates.dims[0] = segments.count();
  coordinates.passes_over_negative = true;
  return plan;
}

}  // namespace tagflow::optimized
