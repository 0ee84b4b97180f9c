// Gather and GatherV2, by indices on the device.
//
// Tested by conformance/ops/slicing.ops, over a fake of CUDA.

#include <string>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/gather_plan.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
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

Status RunGather(const std::string& node, int64_t batch_dims, KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(GatherPlan plan, PlanOfGather(context, batch_dims));
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
    TAGFLOW_ASSIGN_OR_RETURN(
        fault, NewFaultPlace(context, node, [indices, limit = args.limit](int64_t) {
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
  return BoundKernel([on_host, batch_dims, node = binding.node.name](KernelContext& context) {
    if (AllAreOnHost(context)) return on_host(context);
    return RunGather(node, batch_dims, context);
  });
}

}  // namespace

void RegisterGpuGatherKernels(KernelRegistry& registry) {
  for (const DType dtype : kMovedDTypes) {
    RegisterForGpu("Gather", dtype, {.bind = BindGather<false>}, registry);
    RegisterForGpu("GatherV2", dtype, {.bind = BindGather<true>, .host_inputs = {"axis"}},
                   registry);
  }
}

}  // namespace tagflow::optimized
