#include "conformance/gpu/suite_children.h"

#include <cstdio>

#include "conformance/gpu/child.h"

namespace tagflow::conformance {
namespace {

bool Run(const SuiteChild& suite) {
  constexpr const char* kHasFailed = "exit code 1";
  const Result<ChildEnd> ended = RunChild(suite.arguments, {}, suite.limit);
  const std::string why = ended.ok() ? ended->why : ended.status().ToString();
  if (ended.ok()) std::fputs(ended->output.c_str(), stdout);
  if (!why.empty() && why != kHasFailed) {
    std::printf("FAIL\t%s\t%s\n", suite.name.c_str(), why.c_str());
  }
  std::fflush(stdout);
  return why.empty();
}

}  // namespace

bool RunSuites(const std::vector<SuiteChild>& suites) {
  bool is_good = true;
  for (const SuiteChild& suite : suites) is_good = Run(suite) && is_good;
  return is_good;
}

}  // namespace tagflow::conformance
