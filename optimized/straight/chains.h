#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_

// Chains: elementwise calls, BiasAdds and Splits that follow each other and hand values to each
// other run in one pass over memory (kernels/chain.h), and what only they read becomes no tensor.
//
//     One chain                      No chain
//       m = Mul(x, y)                  m = Mul(x, y)      alone: nothing else of its run is float
//       t = Tanh(m)                    p = MatMul(m, w)   no elementwise kernel: it ends the run
//       s = Sub(t, z)                  i = Neg(k)         of int32
//     Reads x, y, z and writes s;      c = Neg(a)         alone: it has nothing to do with Neg(k),
//     m and t are never tensors.                          nor with a kernel before it
//
// How: a run of calls that no jump and no other kernel divides is cut where neighbours have nothing
// to do with each other, even by way of others of the run: their shapes might differ. Each part is
// a chain.
//
// When: of a floating dtype, all of one; not where all is known to be scalars, which large graphs
// may be full of. The parts of a Split are looked at where they lie, so none of them may be read
// later.
//
// Tested by chains_test.cc.

#include "optimized/straight/fusion.h"

namespace tagflow::optimized {

void FuseChains(Fusions& fusions);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CHAINS_H_
