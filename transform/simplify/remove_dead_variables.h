#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_DEAD_VARIABLES_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_DEAD_VARIABLES_H_

// Frees loop variables that nobody needs: their Exits are not fetched, and they feed nothing but
// themselves.
//
// A call does not need such a variable, and pruning would drop it, were it not for control edges.
// Builders guard what a loop's parts do with a pivot, a node of the loop's first variable: its
// Merge for what the predicate computes, the Identity behind its Switch for the body. When the
// first variable is of no other use, its whole cycle runs for its pivots. Another variable of the
// loop serves as well: where the structure of deadness is known
// (transform/deadness/structure.h), all variables of a loop are live in the same iterations, and
// so are what their Switches give when the loop goes on. So the pass leads those control edges to
// a variable that is of use, and the rest is left to pruning.
//
// What stays:
//   - A variable that comes after something with state, as the token of a builder does: what waits
//     for it would no longer be ordered after that ([order.1]).
//   - Everything, where something with an effect, or that can fail (MayBeDropped), would then be
//     needed by nobody: an effect or an error would be lost.
//
// Cost: linear, as often as the order of state goes from one loop variable to another. Tested by
// remove_dead_variables_test.cc.

#include <cstdint>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

// Returns how many edges were moved; 0 for a call that is not valid.
int64_t RemoveDeadVariables(Graph& graph, const CallSpec& call);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_REMOVE_DEAD_VARIABLES_H_
