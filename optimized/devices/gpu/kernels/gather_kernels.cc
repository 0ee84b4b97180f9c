// Gather, GatherV2 and ResourceGather, by indices on the device.
//
// Tested by conformance/ops/slicing.ops and scatter_variable.ops, over a fake of CUDA.

#include <string>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/gather_plan.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/kernels/gather.h"
#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {
namespace {

// The error of indices that are outside, as the host finds it.
Status IndexOutside(const Tensor& indices, int64_t limit) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor on_host, indices.OnHost());
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(on_host));
  return CheckGatherIndices(view, limit);
}

Status RunPlan(const std::string& node, const Tensor& params, GatherPlan plan,
               KernelContext& context) {
  const Tensor& indices = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, params.dtype(), plan.output));
  if (out->num_elements() == 0) return Status();  // no index is followed, none is checked
  GatherArgs& args = plan.args;
  args.from = CudaMemory::Address(params);
  args.to = CudaMemory::Address(*out);
  args.indices = PlaceOf(indices, args.index_scalar);
  std::shared_ptr<const FaultPlace> fault;
  if (indices.is_inline()) {
    TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(indices));
    TAGFLOW_RETURN_IF_ERROR(CheckGatherIndices(view, args.limit));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(fault,
                             NewFaultPlace(context, node, [indices, limit = args.limit](int64_t) {
                               return IndexOutside(indices, limit);
                             }));
    args.fault = *fault;
  }
  return LaunchOn(context, Cuda().launch_gather, DTypeSize(params.dtype()),
                  DTypeSize(indices.dtype()), args);
}

template <bool has_batch>
Result<BoundKernel> BindGather(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  int64_t batch_dims = 0;
  if (has_batch) {
    TAGFLOW_ASSIGN_OR_RETURN(batch_dims, IntAttr(binding.node, "batch_dims"));
  }
  return BoundKernel(
      [on_host, batch_dims, node = binding.node.name](KernelContext& context) -> Status {
        if (AllAreOnHost(context)) return on_host(context);
        TAGFLOW_ASSIGN_OR_RETURN(const GatherPlan plan, PlanOfGather(context, batch_dims));
        return RunPlan(node, context.input(0), plan, context);
      });
}

// Of the rows of a variable.
Result<BoundKernel> BindResourceGather(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(binding.node, "batch_dims"));
  return BoundKernel([on_host, batch_dims, wanted = binding.output_dtype(0),
                      node = binding.node.name](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor params, ValueOnGpu(context, wanted));
    if (!params.has_value()) return on_host(context);
    const DimsView from = params.dims(), at = context.input(1).dims();
    TAGFLOW_ASSIGN_OR_RETURN(const size_t batches, BatchOfRows(from, at, batch_dims));
    return RunPlan(node, params, PlanOfGatherAlong(from, at, batches, batches), context);
  });
}

}  // namespace

void RegisterGpuGatherKernels(KernelRegistry& registry) {
  for (const DType dtype : kMovedDTypes) {
    RegisterForGpu("Gather", dtype, {.bind = BindGather<false>}, registry);
    RegisterForGpu("GatherV2", dtype, {.bind = BindGather<true>, .host_inputs = {"axis"}},
                   registry);
    RegisterForGpu("ResourceGather", dtype, {.bind = BindResourceGather}, registry);
  }
}

}  // namespace tagflow::optimized
