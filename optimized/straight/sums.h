#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_

// Sums into which a product goes at once (kernels/outer_sum.h): MatMul followed by the AddV2 (Add,
// AddN of two) that is the only one to read it. The gradient of a loop adds to that of its weights
// so, and a large product that is written only to be read again costs two passes over memory.
//
// When: the calls lie side by side, which is how the schedule puts a sum whose other term is there
// already, as that of a loop is; nothing jumps in between; the product's use is its last; and the
// sum is in no chain (chains.h), which are made first.
//
// Tested by sums_test.cc.

#include "optimized/straight/fusion.h"

namespace tagflow::optimized {

void FuseSums(Fusions& fusions);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_
