#ifndef TAGFLOW_CONFORMANCE_RUNNER_H_
#define TAGFLOW_CONFORMANCE_RUNNER_H_

// Many cases on several engines at once.

#include <functional>
#include <string>
#include <vector>

#include "conformance/engine.h"
#include "conformance/expected_failures.h"
#include "conformance/result.h"
#include "graph/status.h"

namespace tagflow::conformance {

struct RunnerOptions {
  int jobs = 1;           // engines at once
  double timeout_s = 20;  // per case
  ExpectedFailures expected_failures;
  std::function<void(const CaseResult&)> on_result;  // from any thread; may be null
};

// One result per file, in the order of the files. A file that cannot be read is a failure.
//   Errors: the engine cannot be started at all.
Result<std::vector<CaseResult>> RunCases(const std::vector<std::string>& files,
                                         const EngineFactory& factory,
                                         const RunnerOptions& options);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_RUNNER_H_
