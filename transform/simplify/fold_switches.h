#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_SWITCHES_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_SWITCHES_H_

// Branches on a constant predicate: the dead side goes, up to the Merges that join it to something
// else, and a Switch of which only the live side is left becomes an Identity.
//
//   p (true) ──────┐
//   x ── Switch(x, p) :1 ── Mul ── Merge           x ── Identity ── Mul ── Merge(1 input)
//                     :0 ── Neg ──┘          →
//
// When it applies: where the structure of the call's deadness is known
// (transform/deadness/structure.h). Then every node fires, live or dead, in every iteration, and
// the inputs of a Merge are the ways of its predicates: one that is never taken can be left out,
// for the Merge is dead when the other inputs are, and nothing starves. Merges are the only nodes
// that are changed; what hangs on the dead side alone is then needed by nobody and pruned.
//
// What stays:
//   - The dead side, as far as something else waits for it: a fetch or a target there, which is
//     dead with a reason.
//   - The dead side, where it alone needs something which runs, and which has an effect or can fail
//     (MayBeDropped): that would be lost.
//   - All of it where dead tokens can make something run: with a ControlTrigger, or a Merge with
//     control inputs, the order of firings hangs on dead nodes too ([control.2], [merge.5]).
//   - Merges of which value_index is used: it counts the inputs.
//   - The predicates of loops. That a loop makes no trip does not make it no loop.
//
// Cost: linear. Tested by fold_switches_test.cc.

#include <cstdint>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

// Returns how many Merges and Switches were changed; 0 for a call that is not valid.
int64_t FoldSwitches(Graph& graph, const CallSpec& call);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_FOLD_SWITCHES_H_
