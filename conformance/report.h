#ifndef TAGFLOW_CONFORMANCE_REPORT_H_
#define TAGFLOW_CONFORMANCE_REPORT_H_

// Results as text for people and for programs.

#include <string>
#include <string_view>
#include <vector>

#include "conformance/result.h"
#include "graph/status.h"

namespace tagflow::conformance {

struct Counts {
  size_t total = 0;
  size_t by_verdict[5] = {};  // expected failures are not among these
  size_t expected = 0;
};
Counts Count(const std::vector<CaseResult>& results);

// "120 cases: 118 passed, 1 failed, 1 timed out, 2 failed as expected"
std::string Summary(const Counts& counts);

// A line per case: name, verdict, why, with tabs between.
std::string Tsv(const std::vector<CaseResult>& results);
std::string JunitXml(const std::vector<CaseResult>& results, std::string_view suite);
// One page that needs no other file: counts, then every case, to be filtered by verdict and text.
std::string Html(const std::vector<CaseResult>& results, std::string_view engine);

// PERMISSION_DENIED naming the file.
Status WriteFile(const std::string& path, std::string_view text);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_REPORT_H_
