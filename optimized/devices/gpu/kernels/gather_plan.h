#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_PLAN_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_PLAN_H_

// What a Gather or GatherV2 takes, as its shapes have it.
//
// Tested by conformance/gpu/host_gather_test.cc.

#include "graph/status.h"
#include "optimized/devices/gpu/kernels/gather_body.h"
#include "optimized/kernel.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

struct GatherPlan {
  SmallDims output;
  GatherArgs args;  // but for memory and faults
};

// Along a dimension of params, whose first `batches` dimensions are also those of indices.
GatherPlan PlanOfGatherAlong(DimsView params, DimsView indices, size_t axis, size_t batches);

// Reads the axis, which is on the host.
//   Errors: INVALID_ARGUMENT, by the shapes and the axis
Result<GatherPlan> PlanOfGather(const KernelContext& context, int64_t batch_dims);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_GATHER_PLAN_H_
