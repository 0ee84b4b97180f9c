// Tested by conformance/ops/slicing.ops, and by conformance/gpu/host_gather_test.cc.

#include "optimized/devices/gpu/kernels/gather_plan.h"

#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {

GatherPlan PlanOfGatherAlong(DimsView params, DimsView indices, size_t axis, size_t batches) {
  GatherPlan plan = {SmallDims(params.first(axis)), {}};
  plan.output.append(indices.subspan(batches));
  plan.output.append(params.subspan(axis + 1));
  plan.args.batches = ProductOf(params, 0, batches);
  plan.args.outer = ProductOf(params, batches, axis);
  plan.args.limit = params[axis];
  plan.args.places = ProductOf(indices, batches, indices.size());
  plan.args.inner = ProductOf(params, axis + 1, params.size());
  return plan;
}

Result<GatherPlan> PlanOfGather(const KernelContext& context, int64_t batch_dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t along, GatheredAxis(context));
  const DimsView params = context.input(0).dims(), indices = context.input(1).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const size_t batches, SharedBatch(params, indices, batch_dims, along));
  return PlanOfGatherAlong(params, indices, static_cast<size_t>(along), batches);
}

}  // namespace tagflow::optimized
