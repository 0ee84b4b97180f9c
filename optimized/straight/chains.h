#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_

// Chains: elementwise calls, BiasAdds and Splits that follow each other and hand values to each
// other run in one pass over memory, and what only they read becomes no tensor.
//
// How: such calls stay what they are, and the first becomes a kCallChain, which tries to do the
// work of all (kernels/chain.h) and goes on behind the last; where it cannot, as the shapes show
// only in the step, they run one after the other, in this step from now on. So results, errors and
// what they name are those of the kernels. A run of calls that no jump and no other kernel divides
// is cut where neighbours have nothing to do with each other, even by way of others of the run:
// their shapes might differ.
//
// When: of a floating dtype, all of one; not where all is known to be scalars, which large graphs
// may be full of. The parts of a Split are looked at where they lie, so none of them may be read
// later.
//
// Cost: linear in the code.   Tested by chains_test.cc.

#include "graph/call.h"
#include "graph/graph.h"
#include "optimized/straight/code.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

// REQUIRES: last uses are marked; `values` bound the code's kernels, which are
// KernelRegistry::Standard()'s
void FuseChains(const Graph& graph, const CallSpec& call, const Values& values, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_
