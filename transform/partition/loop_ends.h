#ifndef TAGFLOW_TRANSFORM_PARTITION_LOOP_ENDS_H_
#define TAGFLOW_TRANSFORM_PARTITION_LOOP_ENDS_H_

// Whether a frame ends with its LoopCond: in an iteration in which the LoopCond is false or dead,
// no NextIteration of the frame is live. Control loops on other devices end then, so whatever went
// on would find nobody there.                                                   Spec: [partition.3]
//
// How it is shown: every node of the frame and of the frames inside is claimed to be dead in such
// an iteration, and claims that nothing bears out are dropped until all that are left are borne out
// by others: of a Switch on the LoopCond the output for true; of a Merge all inputs, of another
// node one. By induction over the order of firing, what is left is true. An input that comes from
// the iteration before (a NextIteration of the frame), or from outside, bears nothing out.
//
// Not handled: a Switch on a predicate that is only computed from the LoopCond's; such a frame is
// refused although it may end rightly.
//
// Cost: linear in nodes and edges, times the longest chain of claims dropped. Tested by
// partition_test.cc.

#include "graph/validate.h"

namespace tagflow {

// A NextIteration of `frame` that may be live when `loop_cond` is not true; kNone: there is none.
NodeId FindEndlessVariable(const Graph& graph, const ValidatedCall& valid, int frame,
                           NodeId loop_cond);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PARTITION_LOOP_ENDS_H_
