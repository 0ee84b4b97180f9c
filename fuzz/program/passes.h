#ifndef TAGFLOW_FUZZ_PROGRAM_PASSES_H_
#define TAGFLOW_FUZZ_PROGRAM_PASSES_H_

// The passes of Check. Each supposes that those before it found nothing.

#include "fuzz/program/fault.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Every statement has the fields its operation needs and no others; every value is bound once, and
// used where it can be seen.
MaybeFault CheckScopes(const Program& program);

// Every value has the type that what binds it gives (result_types.h); feeds, literals and
// variables have theirs.
MaybeFault CheckTypes(const Program& program);

// Arrays and stacks are used up once, along one line through branches and loops.
MaybeFault CheckLinearUse(const Program& program);

// Loops end: the comment of Loop in program.h.
MaybeFault CheckLoops(const Program& program);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_PASSES_H_
