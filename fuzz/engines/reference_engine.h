#ifndef TAGFLOW_FUZZ_ENGINES_REFERENCE_ENGINE_H_
#define TAGFLOW_FUZZ_ENGINES_REFERENCE_ENGINE_H_

// The reference as an engine under test: by the standard, by other rules, or as a mutant of it.

#include <cstdint>
#include <memory>

#include "fuzz/engines/engine.h"
#include "fuzz/mutants/mutant.h"
#include "reference/rules.h"

namespace tagflow::fuzz {

// seed: of the order of ready nodes, in steps that name none; 0: first come, first served.
// REQUIRES: the rules outlive the engine.
std::unique_ptr<Engine> ReferenceEngine(const reference::Rules& rules, uint64_t seed = 0);
const Engine& StandardReference();
// On several devices, and with kernels of the caller's, by the mutant's rules alone.
// REQUIRES: the mutant outlives the engine.
std::unique_ptr<Engine> MutantEngine(const Mutant& mutant, uint64_t seed = 0);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_REFERENCE_ENGINE_H_
