#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_HOIST_INVARIANTS_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_HOIST_INVARIANTS_H_

// Computes before a loop what is the same in each of its iterations: ops that take nothing but what
// enters the loop as a constant, and constants of the loop.
//
//   x ── Enter(constant) ── Op ── in every iteration
//   x ── Op ── Enter(constant) ── Identity ── in every iteration
//
// The op keeps its name and moves to the frame around the loop; the Identity takes its place, its
// control inputs and its consumers, and so is live and dead as the op was: whatever hangs on it in
// the loop's last, false iteration stays dead.
//
// When a loop of no trips stays right:
//   - An op that waits for nothing but constant Enters, and they for nothing but their inputs, runs
//     in the first iteration of every loop, which is there though the predicate be false. Before
//     the loop it runs as often as the loop does, and fails where it failed.
//   - Any other, as all ops of a body, may run though no iteration would have. So it must not be
//     able to fail (CannotFail). An effect is never moved.
//
// When a loop in a loop stays right: an op that two Enters feed waits, once moved, for the inputs
// of both, and the first of them, which nobody takes any more, does not make the inner frame. Where
// an iteration of the outer loop may begin with only some of its variables (a NextIteration without
// a Switch beside one with it), the second may never come: the frame would then stay open and keep
// that iteration from ending [frame.6], now it would not be there. So such an op stays, but where
// the graph's structure is known (structure.h) or the Enters wait for the same node.
//
// Cost: linear. What has moved out of an inner loop may move further when the pass runs again.
// Tested by hoist_invariants_test.cc.

#include <cstdint>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

// Returns how many ops were moved; 0 for a call that is not valid.
int64_t HoistInvariants(Graph& graph, const CallSpec& call);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_HOIST_INVARIANTS_H_
