#ifndef TAGFLOW_FUZZ_MUTANTS_CASE_KILLER_H_
#define TAGFLOW_FUZZ_MUTANTS_CASE_KILLER_H_

// Whether the conformance cases tell a mutant from the standard.

#include <optional>
#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "fuzz/mutants/mutant.h"

namespace tagflow::fuzz {

struct CaseKill {
  std::string by;   // the case's name
  std::string why;  // what was not as the case says
};

class CaseKiller {
 public:
  explicit CaseKiller(std::vector<conformance::Case> cases) : cases_(std::move(cases)) {}

  // The first case that the mutant fails, those about its rule tried first; nothing when it passes
  // all of them. A case is run in several orders of ready nodes; then its races must be those of
  // the standard; then a limit of one firing too few must stop it.
  std::optional<CaseKill> Kill(const Mutant& mutant) const;

  // What is wrong with the mutant by this case; "" when nothing is.
  static std::string Differs(const conformance::Case& test, const Mutant& mutant);

  // All cases under a folder. Errors: a file that cannot be read.
  static Result<std::vector<conformance::Case>> ReadAll(const std::string& folder);

 private:
  std::vector<conformance::Case> cases_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_CASE_KILLER_H_
