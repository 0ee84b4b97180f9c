#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_GATHER_CALLS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_GATHER_CALLS_H_

// Brings the calls of a device that may be one chain (element_calls.h) behind each other.
//
//     i = Sigmoid(p)                    i = Sigmoid(p)
//     l = TensorListPushBack(l, i)      f = Sigmoid(q)
//     f = Sigmoid(q)                    l = TensorListPushBack(l, i)
//     n = AddV2(k, one)    of scalars   n = AddV2(k, one)
//     c = Mul(f, c)                     ...
//
// How: calls between two jumps or effects, at most kCallsAtOnce of them, are done in another order
// that respects what they read and write: by turns all calls that can be done and are no steps of a
// chain, and all that are.
//
// Tested by gather_calls_test.cc.

#include "optimized/executable.h"
#include "optimized/straight/code.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

// REQUIRES: `values` bound the code's kernels; last uses are not marked yet
void GatherElementCalls(const ExecutableSpec& spec, const Values& values, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_GATHER_CALLS_H_
