#ifndef TAGFLOW_FUZZ_MUTANTS_PROGRAM_JUDGE_H_
#define TAGFLOW_FUZZ_MUTANTS_PROGRAM_JUDGE_H_

#include <cstdint>
#include <string>

#include "fuzz/mutants/mutant.h"
#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// What is wrong with a mutant by a program; "" when nothing is. The mutant runs the lowered program
// with its ready nodes in the order of `seed`, and must give what the direct evaluator gives; there
// must be no race; and a limit of one firing too few must stop it.
std::string WrongByProgram(const Program& program, const Mutant& mutant, uint64_t seed);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_PROGRAM_JUDGE_H_
