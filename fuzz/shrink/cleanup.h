#ifndef TAGFLOW_FUZZ_SHRINK_CLEANUP_H_
#define TAGFLOW_FUZZ_SHRINK_CLEANUP_H_

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Takes out what no result and no variable's last value depends on: statements, outputs of conds
// and cases, loop variables, inputs, and variables that nothing accesses. What a statement comes
// after is needed with it.
// REQUIRES: the program passes CheckScopes.
void RemoveUnneeded(Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_CLEANUP_H_
