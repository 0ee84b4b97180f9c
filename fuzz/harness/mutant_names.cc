#include "fuzz/harness/mutant_names.h"

#include "fuzz/mutants/mutants.h"

namespace tagflow::fuzz {

Result<const Mutant*> MutantOf(const std::string& name) {
  if (name.empty() || name == "none") return static_cast<const Mutant*>(nullptr);
  for (const Mutant& mutant : Mutants()) {
    if (mutant.name == name) return &mutant;
  }
  return NotFound("there is no mutant '" + name + "'; `tagflow fuzz --list` shows those there are");
}

}  // namespace tagflow::fuzz
