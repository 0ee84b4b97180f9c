#ifndef TAGFLOW_CONFORMANCE_CHECK_OPTIONS_H_
#define TAGFLOW_CONFORMANCE_CHECK_OPTIONS_H_

// The command line of `tagflow check`.

#include <string>
#include <string_view>
#include <vector>

#include "conformance/engines.h"
#include "graph/status.h"

namespace tagflow::conformance {

struct CheckOptions {
  bool help = false;
  EngineOptions engine;
  std::string tsv, junit, html;   // files to write; empty: none
  std::string expected_failures;  // a file; empty: none
  int jobs = 0;                   // 0: one per processor
  double timeout_s = 20;
  int shard = 0;  // of the files in order, those whose index mod `shards` is this
  int shards = 1;
  std::vector<std::string> paths;
};

extern const std::string_view kCheckHelp;

// INVALID_ARGUMENT naming the argument that cannot be understood. Options are "--name VALUE" or
// "--name=VALUE".
Result<CheckOptions> ParseCheckOptions(const std::vector<std::string>& arguments);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_CHECK_OPTIONS_H_
