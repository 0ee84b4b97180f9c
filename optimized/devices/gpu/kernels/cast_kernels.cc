// Cast. Of dtypes that it has no kernel to or from the host's casts.

#include <algorithm>

#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"

namespace tagflow::optimized {
namespace {

constexpr char kCast[] = "Cast";

// Null where there is none.
const CastLaunch* FindCast(const CastKind& kind) {
  const auto& launches = Cuda().cast_launches();
  const auto found = std::ranges::find(launches, kind, &CastLaunch::kind);
  return found == launches.end() ? nullptr : &*found;
}

// Where truncating differs there is a cast of its own.
const CastLaunch* FindCast(DType from, DType to, bool truncates) {
  const CastLaunch* const own = FindCast({from, to, truncates});
  return own != nullptr ? own : FindCast({from, to, /*truncates=*/false});
}

Status RunCast(const CastLaunch& cast, KernelContext& context) {
  const Tensor& x = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, cast.kind.to, x.dims()));
  if (out->num_elements() == 0) return Status();
  const MapArgs args = {CudaMemory::Address(x), CudaMemory::Address(*out), out->num_elements()};
  return LaunchOn(context, cast.launch, args);
}

Result<BoundKernel> BindCast(const Binding& binding) {
  const DType from = binding.input_dtype(0), to = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(kCast).bind(binding));
  if (from == to) return on_host;  // it hands the value on
  TAGFLOW_ASSIGN_OR_RETURN(const bool truncates, BoolAttr(binding.node, "Truncate"));
  const CastLaunch* const cast = FindCast(from, to, truncates);
  if (cast == nullptr) return on_host;
  return BindAs(on_host, [cast, on_host](KernelContext& context) {
    return AllAreOnHost(context) ? on_host(context) : RunCast(*cast, context);
  });
}

bool IsForHost(const Binding& binding) {
  const DType from = binding.input_dtype(0), to = binding.output_dtype(0);
  return from != to && FindCast(from, to, /*truncates=*/false) == nullptr;
}

}  // namespace

void RegisterGpuCastKernels(KernelRegistry& registry) {
  for (const DType from :
       {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64, DType::kBool}) {
    RegisterForGpu(kCast, from, {.bind = BindCast, .is_for_host = IsForHost}, registry);
  }
}

}  // namespace tagflow::optimized
