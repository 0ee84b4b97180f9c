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

namespace tagflow::optimized {

// Which cast: the attrs of the op.
struct CastKind {
  DType from;
  DType to;
  bool truncates;
  bool operator==(const CastKind&) const = default;
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
// Those that truncate and are not among them are as those that do not.
template <typename Visit>
void ForEachCastKernel(const Visit& visit) {
  VisitCastsFrom<float>(visit);
  VisitCastsFrom<double>(visit);
  VisitCastsFrom<int32_t>(visit);
  VisitCastsFrom<int64_t>(visit);
  VisitCastsFrom<bool>(visit);
  const CastKind truncating = {DType::kDouble, DType::kFloat, /*truncates=*/true};
  visit.template operator()<formulas::TruncateToFloat, double>(truncating);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_CAST_BODIES_H_
