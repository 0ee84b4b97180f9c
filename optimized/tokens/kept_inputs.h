#ifndef TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_

// Live inputs of a Merge that are equal are no race ([merge.3]), so a second one is compared with
// the first; but that may be gone by then, moved or written over by its last reader. A Merge where
// two may be equal therefore keeps its first live input in a slot of its own, until all inputs that
// are present in the iteration have come, or the iteration ends.
//
// Merges that keep nothing: those where deadness excludes a second live input
// (transform/deadness/meetings.h), which most are; and those where no two count as equal, since
// value_index is taken or what comes are references or no plain values.
//
// Cost: of a plan, that of the analysis; of an arrival at a Merge that keeps, a lock, and the
// comparison. As long as the value is kept, who reads it cannot write in its place.
// Tested by kept_inputs_test.cc.

#include "optimized/executable.h"
#include "optimized/tokens/plan.h"

namespace tagflow::optimized::tokens {

// Fills in PlanNode::keeps_live_input, FramePlan::kept_slots and NodeInfo::index_is_taken.
// REQUIRES: the plan is complete but for dead classes
void FindKeptInputs(const ExecutableSpec& spec, TokenPlan& plan);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_
