#include "fuzz/properties/differences.h"

#include "fuzz/direct/compare.h"

namespace tagflow::fuzz {

Violation DifferenceOf(const Program& program, const Fetched& expected, const Fetched& actual,
                       int run) {
  RunResult wanted;
  wanted.values = expected;
  const std::string difference = Difference(program, wanted, actual);
  if (difference.empty()) return std::nullopt;
  return program.runs > 1 ? "run " + std::to_string(run) + ": " + difference : difference;
}

Violation DifferenceOf(const Program& program, const AllFetched& expected,
                       const AllFetched& actual) {
  for (size_t run = 0; run < expected.size(); ++run) {
    Violation difference = DifferenceOf(program, expected[run], actual[run], static_cast<int>(run));
    if (difference) return difference;
  }
  return std::nullopt;
}

std::string Failed(const std::string& what, const Status& status) {
  return what + ": " + status.ToString();
}

}  // namespace tagflow::fuzz
