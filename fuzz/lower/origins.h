#ifndef TAGFLOW_FUZZ_LOWER_ORIGINS_H_
#define TAGFLOW_FUZZ_LOWER_ORIGINS_H_

// Which array or stack a value is. The handle of one that a branch or a loop only changes is taken
// from outside, as programs written by hand do it; where it cannot be told beforehand which one
// comes out (each branch made its own, or a loop swaps two), the handle has to travel with it.

#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// By value: where the handle of an array or stack comes from. The value itself: from the statement
// that binds it, or from the loop variable that it is; another value: from wherever that has it.
// kNone for tensors.
std::vector<ValueId> FindOrigins(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_ORIGINS_H_
