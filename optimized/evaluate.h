#ifndef TAGFLOW_OPTIMIZED_EVALUATE_H_
#define TAGFLOW_OPTIMIZED_EVALUATE_H_

// One stateless op on given inputs, by the engine's own kernel: what constants are folded with, so
// that folding changes no bit of a result.
//
// UNIMPLEMENTED for a user's own op, and for a kernel that completes by itself: a plan cannot be
// cancelled, and so waits for none of them.
//
// Thread safety: the function may be called from several threads at once.
// Tested by evaluate_test.cc.

#include "graph/evaluate.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// The registry outlives the function.
Evaluate EvaluateWith(const KernelRegistry& kernels);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_EVALUATE_H_
