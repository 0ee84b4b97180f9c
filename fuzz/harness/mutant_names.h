#ifndef TAGFLOW_FUZZ_HARNESS_MUTANT_NAMES_H_
#define TAGFLOW_FUZZ_HARNESS_MUTANT_NAMES_H_

// Mutants (fuzz/mutants) by name, for command lines.

#include <string>

#include "fuzz/mutants/mutant.h"
#include "graph/status.h"

namespace tagflow::fuzz {

// NOT_FOUND when there is none. Null for "" and "none".
Result<const Mutant*> MutantOf(const std::string& name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_MUTANT_NAMES_H_
