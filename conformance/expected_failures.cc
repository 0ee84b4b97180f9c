#include "conformance/expected_failures.h"

#include <set>
#include <sstream>

#include "graph/io/parse.h"

namespace tagflow::conformance {

Result<ExpectedFailures> ExpectedFailures::Parse(std::string_view text, std::string_view what) {
  ExpectedFailures list;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string name, reason;
    words >> name >> std::ws;
    if (name.empty() || name[0] == '#') continue;
    std::getline(words, reason);
    const std::string where = std::string(what) + ":" + std::to_string(number) + ": ";
    if (reason.empty()) {
      return InvalidArgument(where + "'" + name +
                             "' has no reason: write NAME, a blank, the reason");
    }
    if (!list.reasons_.emplace(name, reason).second) {
      return InvalidArgument(where + "'" + name + "' is listed twice");
    }
  }
  return list;
}

Result<ExpectedFailures> ExpectedFailures::Read(const std::string& path) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Parse(text, path);
}

void ExpectedFailures::Apply(CaseResult& result) const {
  const auto listed = reasons_.find(result.name);
  if (listed == reasons_.end()) return;
  if (result.verdict == Verdict::kPass) {
    result.verdict = Verdict::kFail;
    result.why = "passes, but is listed as an expected failure (" + listed->second +
                 "): take it off the list";
  } else {
    result.expected = listed->second;
  }
}

std::vector<std::string> ExpectedFailures::NotAmong(const std::vector<CaseResult>& results) const {
  std::set<std::string> names;
  for (const CaseResult& result : results) names.insert(result.name);
  std::vector<std::string> missing;
  for (const auto& [name, reason] : reasons_) {
    if (!names.contains(name)) missing.push_back(name);
  }
  return missing;
}

}  // namespace tagflow::conformance
