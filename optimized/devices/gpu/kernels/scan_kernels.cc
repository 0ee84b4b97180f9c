// Running totals along an axis.
//
// Tested by conformance/ops/math.ops, over a fake of CUDA.

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/indexed_plan.h"
#include "optimized/devices/gpu/kernels/launching.h"

namespace tagflow::optimized {
namespace {

using ScanLaunch = cudaError_t (*)(const ScanArgs&, cudaStream_t);

Binder BinderOf(ScanLaunch launch) {
  return [launch](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    TAGFLOW_ASSIGN_OR_RETURN(const bool exclusive, BoolAttr(binding.node, "exclusive"));
    TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(binding.node, "reverse"));
    return BoundKernel([=](KernelContext& context) -> Status {
      if (AllAreOnHost(context)) return on_host(context);
      const Tensor& x = context.input(0);
      TAGFLOW_ASSIGN_OR_RETURN(auto plan, PlanOfScan(context, exclusive, reverse));
      TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, x.dtype(), plan.output));
      if (out->num_elements() == 0) return Status();
      plan.args.x = CudaMemory::Address(x);
      plan.args.out = CudaMemory::Address(*out);
      return LaunchOn(context, launch, plan.args);
    });
  };
}

}  // namespace

void RegisterGpuScanKernels(KernelRegistry& registry) {
  for (const auto& each : Cuda().scan_launches()) {
    RegisterForGpu(each.op, each.dtype, {.bind = BinderOf(each.launch), .host_inputs = {"axis"}},
                   registry);
  }
}

}  // namespace tagflow::optimized
