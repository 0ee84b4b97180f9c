#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_

// Sums into which a product goes at once: MatMul followed by the AddV2 (Add, AddN of two) that is
// the only one to read it. The gradient of a loop adds to that of its weights so, and a large
// product that is written only to be read again costs two passes over memory.
//
// How: such a pair of calls stays what it is, and the first becomes a kCallSum, which tries to do
// the work of both (kernels/outer_sum.h) and goes on behind the second; where it cannot, as the
// shapes show only in the step, the two run one after the other. So results, errors and what they
// name are those of the two kernels.
//
// When: the calls lie side by side, which is how the schedule puts a sum whose other term is there
// already, as that of a loop is; nothing jumps in between; the product's use is its last; and the
// sum is in no chain (chains.h), which are made first.
//
// Cost: linear in the code.   Tested by sums_test.cc.

#include "graph/graph.h"
#include "optimized/straight/code.h"

namespace tagflow::optimized {

// REQUIRES: last uses are marked; the kernels are KernelRegistry::Standard()'s
void FuseSums(const Graph& graph, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_SUMS_H_
