#ifndef TAGFLOW_FUZZ_MUTANTS_MUTANTS_H_
#define TAGFLOW_FUZZ_MUTANTS_MUTANTS_H_

// Every mutant, in order of the standard.

#include <map>
#include <string>
#include <vector>

#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

const std::vector<Mutant>& Mutants();

// The labels that no mutant can have, with the reason.
const std::map<std::string, std::string>& RulesWithoutMutants();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_MUTANTS_H_
