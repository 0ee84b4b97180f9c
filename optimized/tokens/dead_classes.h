#ifndef TAGFLOW_OPTIMIZED_TOKENS_DEAD_CLASSES_H_
#define TAGFLOW_OPTIMIZED_TOKENS_DEAD_CLASSES_H_

// Branches that die as a whole: nodes that the same dead tokens reach are one class, and when these
// have come, one instance tells what is behind the class, however large it is.
//
// An *entry* is an output of a Switch or Recv, which is live or dead apart from its node; but not
// of a Switch on a LoopCond, whose branch is dead once in a loop. A node all of whose inputs, data
// and control, come from entries or from such nodes has a set of entries that it hangs on, and that
// is its class. A class is a node of the plan (Role::kDeadClass): each of its entries tells it,
// live or dead, as it fires, and once all have told, it is due if any was dead. Then it gives a
// dead token to all edges that lead from its nodes out of classes.
//
// Invariants:
//   1. A node of a class is dead when the class is, and due no earlier: it hangs on every entry of
//      the class, and nothing else keeps it.                           Spec: [fire.1] [fire.2]
//   2. A dead token never goes to a node of a class: the entries' dead edges, and those of classes,
//      leave them out. So nodes of a dead class never fire; what live entries gave them stays in
//      their slots until the iteration ends.
//   3. Live tokens go their way as without classes; so in a live branch an entry costs one token
//      more for each class it is in.
//   4. Merge, ControlTrigger, Send, Recv, Enter, Exit, NextIteration and targets are in no class:
//      being dead, they do more than to say so.
//
// When: classes of some size, and those that their nodes hang on; others cost more than they spare.
//
// Cost: of a plan, linear in nodes and edges where sets of entries are small; larger sets than
// kEntriesMax are left to tokens. In a loop an iteration still begins with its nodes' words, and is
// looked through for what starves as it ends: about a tenth of a nanosecond for a node of a dead
// branch, where a firing is 12.   Tested by dead_classes_test.cc.

#include "optimized/tokens/draft.h"

namespace tagflow::optimized::tokens {

// Appends the classes to the plan's nodes, and fills in PlanDraft::ports.
// REQUIRES: all else of the draft is there
void FindDeadClasses(PlanDraft& draft);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_DEAD_CLASSES_H_
