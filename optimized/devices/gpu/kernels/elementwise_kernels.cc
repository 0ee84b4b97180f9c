// Functions of one number, and of two.

#include <algorithm>
#include <memory>
#include <string>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/kernels/broadcast.h"

namespace tagflow::optimized {
namespace {

// A node's.
template <typename Args>
struct Kernel {
  const GpuLaunch<Args>* launch;  // a table's
  DType dtype;                    // of the output
  std::string node;
};

// Of shapes that broadcast.
Status RunPair(const Kernel<PairArgs>& kernel, KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(x.dims(), y.dims()));
  PairArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.places, PlacesOf(DimsInMemory(x), DimsInMemory(y), dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, kernel.dtype, dims));
  args.count = out->num_elements();
  if (args.count == 0) return Status();
  args.x = PlaceOf(x, args.x_scalar);
  args.y = PlaceOf(y, args.y_scalar);
  args.out = CudaMemory::Address(*out);
  std::shared_ptr<const FaultPlace> fault;
  if (const char* const refusal = kernel.launch->refusal) {
    TAGFLOW_ASSIGN_OR_RETURN(fault, NewFaultPlace(context, kernel.node, [refusal](int64_t) {
                               return InvalidArgument(refusal);
                             }));
    args.fault = *fault;
  }
  return LaunchOn(context, kernel.launch->launch, args);
}

Status RunMap(const Kernel<MapArgs>& kernel, KernelContext& context) {
  const Tensor& x = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, kernel.dtype, x.dims()));
  if (out->num_elements() == 0) return Status();
  const MapArgs args = {CudaMemory::Address(x), CudaMemory::Address(*out), out->num_elements()};
  return LaunchOn(context, kernel.launch->launch, args);
}

bool Broadcast(const KernelContext& context) {
  return BroadcastShape(context.input(0).dims(), context.input(1).dims()).ok();
}
bool AreSame(const KernelContext& context) {
  return std::ranges::equal(context.input(0).dims(), context.input(1).dims());
}
bool AreAny(const KernelContext&) { return true; }

// The host's kernel says, by the shapes alone, what becomes of those that do not fit.
template <typename Args>
void RegisterEach(const std::vector<GpuLaunch<Args>>& launches,
                  Status (*run)(const Kernel<Args>&, KernelContext&),
                  bool (*fit)(const KernelContext&), KernelRegistry& registry) {
  for (const auto& each : launches) {
    const Binder bind = [launch = &each, run, fit, on_host = HostKernel(each.op).bind](
                            const Binding& binding) -> Result<BoundKernel> {
      TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel host, on_host(binding));
      const Kernel<Args> kernel = {launch, binding.output_dtype(0), binding.node.name};
      const auto call = [=](KernelContext& context) -> Status {
        if (AllAreOnHost(context) || !fit(context)) return host(context);
        return run(kernel, context);
      };
      // One that may fail says so itself, of its own node.
      return launch->refusal != nullptr ? BoundKernel(call) : BindAs(host, call);
    };
    RegisterForGpu(each.op, each.dtype, {.bind = bind}, registry);
  }
}

}  // namespace

void RegisterGpuElementwiseKernels(KernelRegistry& registry) {
  RegisterEach(Cuda().pair_launches(), RunPair, Broadcast, registry);
  RegisterEach(Cuda().same_pair_launches(), RunPair, AreSame, registry);
  RegisterEach(Cuda().map_launches(), RunMap, AreAny, registry);
}

}  // namespace tagflow::optimized
