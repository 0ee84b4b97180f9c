#ifndef TAGFLOW_CONFORMANCE_EXPECTED_FAILURES_H_
#define TAGFLOW_CONFORMANCE_EXPECTED_FAILURES_H_

// The cases that an engine is known to fail, each with the reason: a line per case, the name,
// blanks, the reason. '#' begins a comment line. A case listed that passes is a failure, so that
// the list stays true.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result.h"
#include "graph/status.h"

namespace tagflow::conformance {

class ExpectedFailures {
 public:
  // INVALID_ARGUMENT with `what` and the line: a name without a reason, or listed twice.
  static Result<ExpectedFailures> Parse(std::string_view text, std::string_view what);
  static Result<ExpectedFailures> Read(const std::string& path);

  // Notes the reason in the result of a listed case that did not pass, and turns the pass of a
  // listed case into a failure.
  void Apply(CaseResult& result) const;
  // Names listed that none of the results has.
  std::vector<std::string> NotAmong(const std::vector<CaseResult>& results) const;

 private:
  std::map<std::string, std::string> reasons_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_EXPECTED_FAILURES_H_
