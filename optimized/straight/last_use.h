#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_LAST_USE_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_LAST_USE_H_

// Which use of a value is its last: there it may be moved, or overwritten by the result.
//
// How: liveness, backwards over the code, once. Branches nest and jumps lead forward but for a
// loop's last one, so what is live at a jump's target has been seen when the jump is, and was saved
// (live_slots.h). What a loop reads and does not write first in each iteration is live all through
// it (code_loops.h).
//
// What is used in a loop for the last time, and made outside of it, cannot be moved by any use: it
// is dropped by an instruction after the loop. So is a value that one call uses twice.
//
// Invariants: 1. a use is last only if no path from it reaches a read of the slot before a write;
// 2. a constant has no last use.
// Cost: n log n in the code.   Tested by last_use_test.cc.

#include "optimized/straight/code.h"

namespace tagflow::optimized {

// Sets Arg::is_last and Instruction::releases, and inserts kDrop.
void MarkLastUses(Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_LAST_USE_H_
