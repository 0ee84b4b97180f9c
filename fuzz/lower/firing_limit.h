#ifndef TAGFLOW_FUZZ_LOWER_FIRING_LIMIT_H_
#define TAGFLOW_FUZZ_LOWER_FIRING_LIMIT_H_

#include <cstdint>

#include "fuzz/direct/direct.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Many times what any lowering of the program takes for what the evaluator did in all its runs:
// more is a loop that does not end, as a broken engine makes them.
int64_t FiringLimit(const Program& program, const Activity& activity);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_FIRING_LIMIT_H_
