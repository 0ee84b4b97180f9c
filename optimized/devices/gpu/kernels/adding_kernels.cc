// Sums of several tensors, and of a value and a vector along its channels.

#include <algorithm>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/kernels/addition.h"
#include "optimized/kernels/channels.h"

namespace tagflow::optimized {
namespace {

// ---- AddN ----

// Adds the inputs from number `first` on to `out`; those before them are in it. Gives the first
// that did not fit into one launch.
Result<int> AddFrom(const SumLaunch& sum, int first, const Tensor& out, KernelContext& context) {
  SumArgs args = {};
  args.out = CudaMemory::Address(out);
  args.count = out.num_elements();
  if (first > 0) args.inputs[args.num_inputs++] = args.out;
  int next = first;
  for (; next < context.num_inputs() && args.num_inputs < SumArgs::kInputsMax; ++next) {
    const int i = args.num_inputs++;
    args.inputs[i] = PlaceOf(context.input(next), args.scalars[i]);
  }
  TAGFLOW_RETURN_IF_ERROR(LaunchOn(context, sum.launch, args));
  return next;
}

Status RunAddN(const SumLaunch& sum, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireOneShape(context));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out,
                           NewOutput(context, 0, sum.dtype, context.input(0).dims()));
  if (out->num_elements() == 0) return Status();
  for (int next = 0; next < context.num_inputs();) {
    TAGFLOW_ASSIGN_OR_RETURN(next, AddFrom(sum, next, *out, context));
  }
  return Status();
}

void RegisterAddN(const std::string& op, const SumLaunch& sum, KernelRegistry& registry) {
  const Binder bind = [&sum](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    return BindAs(on_host, [&sum, on_host](KernelContext& context) {
      // One input is handed on.
      if (AllAreOnHost(context) || context.num_inputs() == 1) return on_host(context);
      return RunAddN(sum, context);
    });
  };
  RegisterForGpu(op, sum.dtype, {.bind = bind}, registry);
}

// ---- BiasAdd ----

const GpuLaunch<PairArgs>& AdditionOf(DType dtype) {
  const auto& launches = Cuda().pair_launches();
  const auto found = std::ranges::find_if(
      launches, [dtype](const auto& each) { return each.op == "AddV2" && each.dtype == dtype; });
  TAGFLOW_CHECK(found != launches.end());
  return *found;
}

Status RunBiasAdd(const GpuLaunch<PairArgs>& add, bool second, KernelContext& context) {
  const Tensor& value = context.input(0);
  const Tensor& bias = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims channels, BiasShape(value.dims(), bias.dims(), second));
  PairArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.places, PlacesOf(value.dims(), channels, value.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, add.dtype, value.dims()));
  args.count = out->num_elements();
  if (args.count == 0) return Status();
  args.x = CudaMemory::Address(value);
  args.y = CudaMemory::Address(bias);
  args.out = CudaMemory::Address(*out);
  return LaunchOn(context, add.launch, args);
}

void RegisterBiasAdd(const std::string& op, DType dtype, KernelRegistry& registry) {
  const Binder bind = [&add = AdditionOf(dtype)](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const bool second, ChannelsComeSecond(binding.node));
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(binding.node.op).bind(binding));
    return BindAs(on_host, [&add, second, on_host](KernelContext& context) {
      return AllAreOnHost(context) ? on_host(context) : RunBiasAdd(add, second, context);
    });
  };
  RegisterForGpu(op, dtype, {.bind = bind}, registry);
}

}  // namespace

void RegisterGpuAddingKernels(KernelRegistry& registry) {
  for (const SumLaunch& sum : Cuda().sum_launches()) {
    RegisterAddN("AccumulateNV2", sum, registry);
    RegisterAddN("AddN", sum, registry);
    RegisterBiasAdd("BiasAdd", sum.dtype, registry);
    RegisterBiasAdd("BiasAddV1", sum.dtype, registry);
  }
}

}  // namespace tagflow::optimized
