#ifndef TAGFLOW_FUZZ_MUTANTS_FUZZ_KILLER_H_
#define TAGFLOW_FUZZ_MUTANTS_FUZZ_KILLER_H_

// Whether random programs and graphs tell a mutant from the standard, and how soon.

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

struct FuzzBudget {
  int64_t samples = 200;
  double seconds = 10;  // wall clock, for finding; shrinking has as much again
  uint64_t seed = 1;
  bool shrink = false;
};

struct FuzzKill {
  std::string by;       // "equal, profile tiny", or "graphs-small-steps"
  std::string why;      // what was not as it must be
  int64_t samples = 0;  // tried, this one included
  double seconds = 0;   // until then
  int64_t size = 0;     // of the sample: statements of a program, nodes of a graph
  int64_t shrunk = 0;   // the same, after shrinking; size where that was not asked for
  std::string text;     // the shrunk sample
};

// Programs and graphs turn about, by the properties that a run of the fuzzer has for them. Nothing
// when the mutant passes all of them.
std::optional<FuzzKill> KillByFuzz(const Mutant& mutant, const FuzzBudget& budget);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_FUZZ_KILLER_H_
