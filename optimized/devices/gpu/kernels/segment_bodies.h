#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SEGMENT_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SEGMENT_BODIES_H_

// Reductions of rows that have the id of one segment, in the order of the rows and in a wide type,
// as on the host (kernels/segment.cc).
//
// Costs: those of row_links.h, and for each element of the output as many steps as its segment has
// rows.
//
// Tested by conformance/gpu/host_segment_test.cc.

#include <cstdint>

#include "graph/dtype.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/kernels/folds.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/segments.h"

namespace tagflow::optimized {

struct SegmentArgs {
  const void* data;  // [links.count, size]; null: the host has the one element there is
  alignas(8) char scalar[8];
  void* out;  // [links.rows, size]
  int64_t size;
  RowLinks links;  // of the rows that are in each segment
};

template <typename R, typename C>
struct SegmentBody {
  using W = WideOf<C>;
  explicit SegmentBody(const SegmentArgs& args)
      : data(static_cast<const C*>(args.data)),
        scalar(*reinterpret_cast<const C*>(args.scalar)),
        out(static_cast<C*>(args.out)),
        size(args.size),
        first(args.links.first),
        next(args.links.next),
        facts(formulas::FactsOf<W>(DTypeOf<C>::value)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t segment = i / size, column = i % size;
    W total = 0;
    int64_t count = 0;
    for (int64_t row = first[segment]; row != RowLinks::kNone; row = next[row]) {
      const W x = data != nullptr ? data[row * size + column] : scalar;
      total = count == 0 ? x : R::template Next<W>(total, x);
      ++count;
    }
    out[i] = static_cast<C>(count == 0 ? R::template Nothing<W>(facts)
                                       : R::template Finish<W>(total, count, facts));
  }
  const C* data;
  C scalar;
  C* out;
  int64_t size;
  const int64_t* first;
  const int64_t* next;
  formulas::DTypeFacts<W> facts;
};

template <typename R, typename C>
struct SegmentPasses {
  template <typename Run>
  static auto RunAll(const SegmentArgs& args, const Run& run) {
    return InTurn([&] { return LinkRows(args.links, run); },
                  [&] { return run(SegmentBody<R, C>(args), args.links.rows * args.size); });
  }
};

template <typename R, typename Visit>
void VisitSegments(const char* op, const Visit& visit) {
  visit.template operator()<SegmentPasses<R, float>>(op, DType::kFloat);
  visit.template operator()<SegmentPasses<R, double>>(op, DType::kDouble);
  visit.template operator()<SegmentPasses<R, int32_t>>(op, DType::kInt32);
  visit.template operator()<SegmentPasses<R, int64_t>>(op, DType::kInt64);
}

// Calls visit.template operator()<Passes>(op, dtype) for every op.
template <typename Visit>
void ForEachSegmentKernel(const Visit& visit) {
  VisitSegments<formulas::SegmentSum>("UnsortedSegmentSum", visit);
  VisitSegments<formulas::SegmentProduct>("UnsortedSegmentProd", visit);
  VisitSegments<formulas::UnsortedSegmentMax>("UnsortedSegmentMax", visit);
  VisitSegments<formulas::UnsortedSegmentMin>("UnsortedSegmentMin", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SEGMENT_BODIES_H_
