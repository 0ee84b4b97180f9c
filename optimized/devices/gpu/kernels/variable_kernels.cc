// Variables by handle: the GPU keeps the values of those whose handle is made on it.  Spec:
// [resource.1]
//
// An op that has no kernel of the GPU runs as the host's, for which the value comes to the host.
// Tested by conformance/ops/variable.ops, over a fake of CUDA.

#include <memory>
#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/variable_on_gpu.h"
#include "optimized/kernels/variable_access.h"

namespace tagflow::optimized {
namespace {

Result<BoundKernel> BindRead(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
  return BoundKernel([on_host, wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, ValueOnGpu(context, wanted));
    if (!value.has_value()) return on_host(context);
    context.output(0) = std::move(value);
    return Status();
  });
}

// ---- AssignAddVariableOp and AssignSubVariableOp ----

// value = value + by, in place where nobody else has the value.
// REQUIRES: what CheckUpdate checks; the variable is locked
Status RunUpdate(const GpuLaunch<PairArgs>& launch, Variable::Contents& contents,
                 KernelContext& context) {
  const Tensor& by = context.input(1);
  TAGFLOW_RETURN_IF_ERROR(BringTo(*context.stream(), contents));
  const Tensor value = std::exchange(contents.value, Tensor());
  const bool is_own = !value.is_inline() && value.unique();
  Result<Tensor> updated = is_own ? value
                                  : Tensor::AllocateUninitialized(value.dtype(), value.dims(),
                                                                  context.stream()->memory());
  contents.value = updated.ok() ? *updated : value;
  if (!updated.ok()) return updated.status();
  PairArgs args = {};
  args.count = value.num_elements();
  if (args.count == 0) return Status();
  args.x = PlaceOf(value, args.x_scalar);
  args.y = PlaceOf(by, args.y_scalar);
  args.out = CudaMemory::Address(*updated);
  return LaunchOn(context, launch.launch, args);
}

void RegisterUpdate(const std::string& op, const GpuLaunch<PairArgs>& launch,
                    KernelRegistry& registry) {
  const Binder bind = [&launch](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    return BoundKernel([&launch, on_host](KernelContext& context) -> Status {
      TAGFLOW_ASSIGN_OR_RETURN(const auto variable, VariableOf(context));
      bool is_of_host = false;  // both are scalars of its, or it says what is wrong
      TAGFLOW_RETURN_IF_ERROR(variable->WithAnywhere([&](Variable::Contents& contents) -> Status {
        const Tensor& by = context.input(1);
        is_of_host = !contents.value.has_value() || (contents.value.is_inline() && by.is_inline());
        if (is_of_host) return Status();
        TAGFLOW_RETURN_IF_ERROR(CheckUpdate(contents, by));
        return RunUpdate(launch, contents, context);
      }));
      return is_of_host ? on_host(context) : Status();
    });
  };
  RegisterForGpu(op, launch.dtype, {.bind = bind}, registry);
}

}  // namespace

void RegisterGpuVariableKernels(KernelRegistry& registry) {
  for (const DType dtype : kMovedDTypes) {
    RegisterForGpu("VarHandleOp", dtype, {.bind = HostKernel("VarHandleOp").bind}, registry);
    RegisterForGpu("ReadVariableOp", dtype, {.bind = BindRead}, registry);
    // What it is given is on the GPU already, and stays.
    RegisterForGpu("AssignVariableOp", dtype, {.bind = HostKernel("AssignVariableOp").bind},
                   registry);
  }
  for (const GpuLaunch<PairArgs>& launch : Cuda().pair_launches()) {
    if (launch.op == "AddV2") RegisterUpdate("AssignAddVariableOp", launch, registry);
    if (launch.op == "Sub") RegisterUpdate("AssignSubVariableOp", launch, registry);
  }
  // These look at no element.
  for (const char* op : {"DestroyResourceOp", "VariableShape", "VarIsInitializedOp"}) {
    RegisterForGpu(op, DType::kInvalid, {.bind = HostKernel(op).bind}, registry);
  }
  for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp", "ResourceCountUpTo",
                         "ResourceStridedSliceAssign"}) {
    RegisterAsHosts(op, registry);
  }
}

}  // namespace tagflow::optimized
