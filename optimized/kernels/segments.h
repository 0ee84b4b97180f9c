#ifndef TAGFLOW_OPTIMIZED_KERNELS_SEGMENTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SEGMENTS_H_

// What UnsortedSegmentSum and its like ask of their inputs, which devices reduce in ways of their
// own.
//
// Tested by conformance/ops/segment.ops.

#include <cstdint>

#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

struct UnsortedSegments {
  SmallDims output;  // the number of segments, then the dimensions of a row
  int64_t row_size;

  int64_t count() const { return output[0]; }
};

// Of the shapes of inputs 0 and 1, and the number that input 2 holds.   Errors: INVALID_ARGUMENT
Result<UnsortedSegments> UnsortedSegmentsOf(const KernelContext& context);
// INVALID_ARGUMENT for an id that is not below the number of segments.
Status CheckSegmentIds(const IntView& ids, int64_t segments);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SEGMENTS_H_
