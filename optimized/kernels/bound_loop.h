#ifndef TAGFLOW_OPTIMIZED_KERNELS_BOUND_LOOP_H_
#define TAGFLOW_OPTIMIZED_KERNELS_BOUND_LOOP_H_

// Which loop over elements a bound kernel is, for those who run it on elements that they have
// themselves (chain.h). A kernel that was bound here says so by how its state is deleted.
//
// Tested by optimized/straight/chains_test.cc.

#include "optimized/kernel.h"
#include "optimized/kernels/elementwise.h"

namespace tagflow::optimized {

BoundKernel BindLoop(BoundKernel::Function function, const PairLoop& loop);
BoundKernel BindLoop(BoundKernel::Function function, const MapLoop& loop);

// The loop that the kernel runs on all elements of its inputs; null for every other kernel.
const PairLoop* PairLoopOf(const BoundKernel& kernel);
const MapLoop* MapLoopOf(const BoundKernel& kernel);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_BOUND_LOOP_H_
