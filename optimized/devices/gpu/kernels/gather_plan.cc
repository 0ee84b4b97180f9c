// Tested by conformance/ops/slicing.ops, and by conformance/gpu/host_gather_test.cc.

#include "optimized/devices/gpu/kernels/gather_plan.h"

#include "optimized/kernels/gather.h"
#include "optimized/kernels/index_input.h"

namespace tagflow::optimized {

Result<GatherPlan> PlanOfGather(const KernelContext& context, int64_t batch_dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t along, GatheredAxis(context));
  const DimsView from = context.input(0).dims(), at = context.input(1).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const size_t batches, SharedBatch(from, at, batch_dims, along));
  const auto axis = static_cast<size_t>(along);
  GatherPlan plan = {SmallDims(from.first(axis)), {}};
  plan.output.append(at.subspan(batches));
  plan.output.append(from.subspan(axis + 1));
  plan.args.batches = ProductOf(from, 0, batches);
  plan.args.outer = ProductOf(from, batches, axis);
  plan.args.limit = from[axis];
  plan.args.places = ProductOf(at, batches, at.size());
  plan.args.inner = ProductOf(from, axis + 1, from.size());
  return plan;
}

}  // namespace tagflow::optimized
