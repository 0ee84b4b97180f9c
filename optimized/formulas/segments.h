#ifndef TAGFLOW_OPTIMIZED_FORMULAS_SEGMENTS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_SEGMENTS_H_

// Reductions of the elements of a segment, which are taken in order. Each is three formulas over a
// wide type W: one more element, the result for a count of elements, and the result for none. The
// first element is the total of one.
//
// Tested by conformance/ops/segment.ops.

#include <cmath>
#include <cstdint>
#include <limits>

#include "graph/dtype.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

// What a reduction needs to know of the dtype.
template <typename W>
struct DTypeFacts {
  W lowest, highest;  // finite
  int unused_bits;    // of an integer, in the wide type
};

template <typename W>
DTypeFacts<W> FactsOf(DType dtype) {
  if constexpr (Complex<W>) {
    return {};
  } else if constexpr (Integer<W>) {
    const int unused = 64 - 8 * static_cast<int>(DTypeSize(dtype));
    return {std::numeric_limits<W>::min() >> unused, std::numeric_limits<W>::max() >> unused,
            unused};
  } else {
    const double highest = dtype == DType::kHalf       ? 65504.0
                           : dtype == DType::kBFloat16 ? 0x1.FEp127
                           : dtype == DType::kFloat    ? std::numeric_limits<float>::max()
                                                       : std::numeric_limits<double>::max();
    return {-highest, highest, 0};
  }
}

struct SegmentSum {
  template <Number W>
  TAGFLOW_ANYWHERE static W Next(W sum, W x) {
    return Plus(sum, x);
  }
  template <Number W>
  TAGFLOW_ANYWHERE static W Finish(W sum, int64_t, const DTypeFacts<W>&) {
    return sum;
  }
  template <Number W>
  TAGFLOW_ANYWHERE static W Nothing(const DTypeFacts<W>&) {
    return W(0);
  }
};
struct SegmentProduct : SegmentSum {
  template <Number W>
  TAGFLOW_ANYWHERE static W Next(W product, W x) {
    return Times(product, x);
  }
  template <Number W>
  TAGFLOW_ANYWHERE static W Nothing(const DTypeFacts<W>&) {
    return W(1);
  }
};
struct SegmentMean : SegmentSum {
  template <Number W>
  TAGFLOW_ANYWHERE static W Finish(W sum, int64_t count, const DTypeFacts<W>& facts) {
    if constexpr (Integer<W>) {
      const auto low_bits = static_cast<uint64_t>(sum) << facts.unused_bits;
      return static_cast<W>(static_cast<W>(low_bits) >> facts.unused_bits) / static_cast<W>(count);
    } else {
      return sum / static_cast<double>(count);
    }
  }
};
struct SegmentSumBySqrtN : SegmentSum {
  template <std::floating_point W>
  TAGFLOW_ANYWHERE static W Finish(W sum, int64_t count, const DTypeFacts<W>&) {
    return sum / std::sqrt(static_cast<double>(count));
  }
};
struct SegmentMax : SegmentSum {
  template <Real W>
  TAGFLOW_ANYWHERE static W Next(W max, W x) {
    return max != max || max > x ? max : x;
  }
};
struct SegmentMin : SegmentSum {
  template <Real W>
  TAGFLOW_ANYWHERE static W Next(W min, W x) {
    return min != min || min < x ? min : x;
  }
};
// Where the ids need not be sorted, an extreme begins with the farthest finite number of the dtype.
struct UnsortedSegmentMax : SegmentMax {
  template <Real W>
  TAGFLOW_ANYWHERE static W Finish(W max, int64_t, const DTypeFacts<W>& facts) {
    return Next(facts.lowest, max);
  }
  template <Real W>
  TAGFLOW_ANYWHERE static W Nothing(const DTypeFacts<W>& facts) {
    return facts.lowest;
  }
};
struct UnsortedSegmentMin : SegmentMin {
  template <Real W>
  TAGFLOW_ANYWHERE static W Finish(W min, int64_t, const DTypeFacts<W>& facts) {
    return Next(facts.highest, min);
  }
  template <Real W>
  TAGFLOW_ANYWHERE static W Nothing(const DTypeFacts<W>& facts) {
    return facts.highest;
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_SEGMENTS_H_
