#ifndef TAGFLOW_OPTIMIZED_TOKENS_SHORTCUTS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_SHORTCUTS_H_

// What a draft shows need not be done for every token:
//
//   dead sinks   an Exit or NextIteration that a dead token alone would fire: it leaves a mark, or
//                nothing ([exit.2], [next.1])
//   loop heads   a NextIteration all of whose tokens go to one Merge that waits for nothing else
//                after iteration 0: it fires in the Merge's place
//   constants    once all constant Enters of a frame have fired live, an iteration begins with
//                their tokens counted in, and blocks that are used again have the values already
//
// None of them changes what fires with which values; instances of these control ops are skipped.
// Tested by shortcuts_test.cc.

#include "optimized/tokens/draft.h"

namespace tagflow::optimized::tokens {

// Fills in PlanNode::detail of NextIterations, FramePlan's parts about constants, and the edges'
// kinds. REQUIRES: nodes, values and edges are drafted
void FindShortcuts(PlanDraft& draft);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_SHORTCUTS_H_
