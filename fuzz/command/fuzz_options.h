#ifndef TAGFLOW_FUZZ_COMMAND_FUZZ_OPTIONS_H_
#define TAGFLOW_FUZZ_COMMAND_FUZZ_OPTIONS_H_

// The command line of `tagflow fuzz`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow::fuzz {

struct FuzzOptions {
  bool help = false;
  bool list = false;
  std::vector<std::string> properties;  // none: equal
  std::optional<std::string> engine, against, mutant, profile;
  uint64_t seed = 1;
  std::optional<uint64_t> index;
  std::optional<uint64_t> count;
  std::optional<double> seconds;
  int jobs = 0;  // 0: as many as there are processors
  double timeout_s = 10;
  double shrink_s = 10;
  uint64_t stop_at = 0;
  uint64_t examine_max = 10;
  std::string report;                 // a file; empty: none
  std::string save = "tagflow_fuzz";  // a folder
  std::vector<std::string> replay;    // files and folders
};

extern const std::string_view kFuzzHelp;

// INVALID_ARGUMENT naming the argument that cannot be understood. Options are "--name VALUE" or
// "--name=VALUE".
Result<FuzzOptions> ParseFuzzOptions(const std::vector<std::string>& arguments);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_COMMAND_FUZZ_OPTIONS_H_
