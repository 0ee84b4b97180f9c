#ifndef TAGFLOW_FUZZ_SHRINK_COST_H_
#define TAGFLOW_FUZZ_SHRINK_COST_H_

#include <cstdint>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// How much there is to read in a program. Shrinking only ever goes down, so it ends. Statements
// weigh most (a constant less), then what is attached to them, then how plain the numbers are.
int64_t Cost(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_SHRINK_COST_H_
