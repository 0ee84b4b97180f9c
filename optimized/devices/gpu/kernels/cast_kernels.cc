// Cast. Of dtypes that it has no kernel to or from the host's casts.

#include <algorithm>
#include <optional>
#include <utility>

#include "optimized/devices/gpu/kernels/casting.h"
#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/short_floats.h"

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

// One cast, or two, of which the first gives float.
struct Casts {
  const CastLaunch* first;
  const CastLaunch* then;  // null: there is one
};

// The kernels that cast from one dtype to another; none: the host casts.
std::optional<Casts> CastsFor(DType from, DType to, bool truncates) {
  if (truncates && IsShortFloat(to)) return std::nullopt;  // to other numbers than by way of float
  if (const CastLaunch* const one = FindCast(from, to, truncates)) return Casts{one, nullptr};
  if (!IsShortFloat(from) && !IsShortFloat(to)) return std::nullopt;
  const Casts two = {FindCast(from, DType::kFloat, /*truncates=*/false),
                     FindCast(DType::kFloat, to, truncates)};
  if (two.first == nullptr || two.then == nullptr) return std::nullopt;
  return two;
}

Result<Tensor> CastBy(const CastLaunch& cast, KernelContext& context, const Tensor& x) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor made, Tensor::AllocateUninitialized(cast.kind.to, x.dims(),
                                                                      context.stream()->memory()));
  if (made.num_elements() == 0) return made;
  const MapArgs args = {CudaMemory::Address(x), CudaMemory::Address(made), made.num_elements()};
  TAGFLOW_RETURN_IF_ERROR(LaunchOn(context, cast.launch, args));
  return made;
}

Result<BoundKernel> BindCast(const Binding& binding) {
  const DType from = binding.input_dtype(0), to = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel on_host, HostKernel(kCast).bind(binding));
  if (from == to) return on_host;  // it hands the value on
  TAGFLOW_ASSIGN_OR_RETURN(const bool truncates, BoolAttr(binding.node, "Truncate"));
  const std::optional<Casts> casts = CastsFor(from, to, truncates);
  if (!casts) return on_host;
  return BindAs(on_host, [casts = *casts, on_host](KernelContext& context) -> Status {
    if (AllAreOnHost(context)) return on_host(context);
    Tensor& out = context.output(0);
    TAGFLOW_ASSIGN_OR_RETURN(out, CastBy(*casts.first, context, context.input(0)));
    if (casts.then == nullptr) return Status();
    TAGFLOW_ASSIGN_OR_RETURN(out, CastBy(*casts.then, context, out));
    return Status();
  });
}

bool IsForHost(const Binding& binding) {
  const DType from = binding.input_dtype(0), to = binding.output_dtype(0);
  const Result<bool> truncates = BoolAttr(binding.node, "Truncate");
  return from != to && !CastsFor(from, to, truncates.ok() && *truncates);
}

template <typename F, typename From>
Result<Tensor> CastOnHost(const Tensor& value, DType to) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(to, value.dims()));
  using To = std::invoke_result_t<F, From>;
  std::transform(value.data<From>(), value.data<From>() + value.num_elements(),
                 made.mutable_data<To>(), F());
  return made;
}

}  // namespace

Result<Tensor> CastWhereItIs(KernelContext& context, const Tensor& value, DType to) {
  const DType from = value.dtype();
  if (value.memory_kind() == MemoryKind::kDevice) {
    return CastBy(*FindCast(from, to, /*truncates=*/false), context, value);
  }
  if (from == DType::kHalf) return CastOnHost<Widen, Half>(value, to);
  if (from == DType::kBFloat16) return CastOnHost<Widen, BFloat16>(value, to);
  if (to == DType::kHalf) return CastOnHost<RoundToHalf, float>(value, to);
  return CastOnHost<RoundToBFloat16, float>(value, to);
}

void RegisterGpuCastKernels(KernelRegistry& registry) {
  for (const DType from : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64,
                           DType::kBool, DType::kHalf, DType::kBFloat16}) {
    RegisterForGpu(kCast, from, {.bind = BindCast, .is_for_host = IsForHost}, registry);
  }
}

}  // namespace tagflow::optimized
