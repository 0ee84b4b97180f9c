#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CAST_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CAST_BODIES_H_

// Casts, by the formulas of the host's. Spec: [number.3]
//
// Tested by conformance/gpu/host_casts_test.cc.

#include <concepts>
#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"
#include "optimized/formulas/casts.h"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace tagflow::optimized {

// Which cast: the attrs of the op.
struct CastKind {
  DType from;
  DType to;
  bool truncates;
  bool operator==(const CastKind&) const = default;
};

// Between a short float and float, for which GPUs have instructions.
struct Widen {
  TAGFLOW_ANYWHERE float operator()(Half x) const {
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(x.bits));
#else
    return ToFloat(x);
#endif
  }
  TAGFLOW_ANYWHERE float operator()(BFloat16 x) const {
#if defined(__CUDA_ARCH__)
    return __bfloat162float(__ushort_as_bfloat16(x.bits));
#else
    return ToFloat(x);
#endif
  }
};
struct RoundToHalf {
  TAGFLOW_ANYWHERE Half operator()(float x) const {
#if defined(__CUDA_ARCH__)
    return {__half_as_ushort(__float2half_rn(x))};
#else
    return HalfFromFloat(x);
#endif
  }
};
struct RoundToBFloat16 {
  TAGFLOW_ANYWHERE BFloat16 operator()(float x) const {
#if defined(__CUDA_ARCH__)
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#else
    return BFloat16FromFloat(x);
#endif
  }
};

template <typename From, typename Visit>
void VisitCastsFrom(const Visit& visit) {
  const auto to = [&]<typename To>() {
    if constexpr (!std::same_as<From, To>) {
      const CastKind kind = {DTypeOf<From>::value, DTypeOf<To>::value, /*truncates=*/false};
      visit.template operator()<formulas::CastTo<To>, From>(kind);
    }
  };
  to.template operator()<float>();
  to.template operator()<double>();
  to.template operator()<int32_t>();
  to.template operator()<int64_t>();
  to.template operator()<bool>();
}

// Calls visit.template operator()<F, From>(kind) for every cast that MapBody<F, From> computes.
// Those that truncate and are not among them are as those that do not. Other casts from and to
// short floats are two of these, by way of float.
template <typename Visit>
void ForEachCastKernel(const Visit& visit) {
  VisitCastsFrom<float>(visit);
  VisitCastsFrom<double>(visit);
  VisitCastsFrom<int32_t>(visit);
  VisitCastsFrom<int64_t>(visit);
  VisitCastsFrom<bool>(visit);
  const CastKind truncating = {DType::kDouble, DType::kFloat, /*truncates=*/true};
  visit.template operator()<formulas::TruncateToFloat, double>(truncating);
  visit.template operator()<Widen, Half>({DType::kHalf, DType::kFloat, false});
  visit.template operator()<Widen, BFloat16>({DType::kBFloat16, DType::kFloat, false});
  visit.template operator()<RoundToHalf, float>({DType::kFloat, DType::kHalf, false});
  visit.template operator()<RoundToBFloat16, float>({DType::kFloat, DType::kBFloat16, false});
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CAST_BODIES_H_
