#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCAN_BODY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCAN_BODY_H_

// Running totals along one axis, in a wide type and in the order of the host (kernels/scan.cc), so
// that they have its bits. A thread goes along the axis: what it costs is as many steps as the axis
// is long, whatever there is beside it.
//
// Tested by conformance/gpu/host_scan_test.cc.

#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/folds.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/scans.h"

namespace tagflow::optimized {

struct ScanArgs {
  const void* x;  // [outer, length, inner]
  void* out;
  int64_t outer, length, inner;
  bool exclusive;  // leaves element i out of total i
  bool reverse;

  int64_t count() const { return outer * inner; }
};

template <typename S, typename C>
struct ScanBody {
  explicit ScanBody(const ScanArgs& of)
      : args(of), x(static_cast<const C*>(of.x)), out(static_cast<C*>(of.out)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t begin = i / args.inner * args.length * args.inner + i % args.inner;
    auto total = static_cast<WideOf<C>>(S::kOfNothing);
    for (int64_t step = 0; step < args.length; ++step) {
      const int64_t along = args.reverse ? args.length - 1 - step : step;
      const int64_t at = begin + along * args.inner;
      const auto next = S::Next(total, static_cast<WideOf<C>>(x[at]));
      out[at] = static_cast<C>(args.exclusive ? total : next);
      total = next;
    }
  }
  ScanArgs args;
  const C* x;
  C* out;
};

template <typename S, typename Visit>
void VisitScans(const char* op, const Visit& visit) {
  visit.template operator()<ScanBody<S, float>>(op, DType::kFloat);
  visit.template operator()<ScanBody<S, double>>(op, DType::kDouble);
  visit.template operator()<ScanBody<S, int32_t>>(op, DType::kInt32);
  visit.template operator()<ScanBody<S, int64_t>>(op, DType::kInt64);
}

// Calls visit.template operator()<Body>(op, dtype) for every op.
template <typename Visit>
void ForEachScan(const Visit& visit) {
  VisitScans<formulas::Cumsum>("Cumsum", visit);
  VisitScans<formulas::Cumprod>("Cumprod", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCAN_BODY_H_
