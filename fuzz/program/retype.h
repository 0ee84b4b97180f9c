#ifndef TAGFLOW_FUZZ_PROGRAM_RETYPE_H_
#define TAGFLOW_FUZZ_PROGRAM_RETYPE_H_

#include "fuzz/program/program.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// Brings the types of values up to date after a change to operands, literals, feeds, variables or
// numbers: every type that what binds the value no longer suits is made anew, with -1 where
// branches or iterations differ. What an operation cannot tell (the dtype of a Cast, the elements
// of a new array or stack) stays.
//   REQUIRES: CheckScopes finds nothing.
//   Errors: INVALID_ARGUMENT when no types suit.
Status Retype(Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_RETYPE_H_
