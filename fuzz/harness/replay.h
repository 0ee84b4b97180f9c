#ifndef TAGFLOW_FUZZ_HARNESS_REPLAY_H_
#define TAGFLOW_FUZZ_HARNESS_REPLAY_H_

// Saved samples, run again.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/harness/campaign.h"
#include "fuzz/harness/save.h"

namespace tagflow::fuzz {

// What the command line says in place of what the files say.
struct ReplayOptions {
  std::vector<std::string> paths;  // files, and folders of .program, .choices and .txt files
  std::optional<std::string> property;
  std::optional<std::string> engine;
  std::optional<std::string> against;
  std::optional<std::string> mutant;  // "none": the reference as it is
  double timeout_s = 10;
  std::function<bool()> interrupted;  // may be null
};

struct Replayed {
  std::string path;
  std::optional<std::string> unreadable;  // why the file was skipped
  Finding finding;
  std::string property;
  std::string tokens;  // of a failure; may be empty
};

// Each file in a process of its own, in the order of their names; `each` is called with what became
// of it.
//   Errors: NOT_FOUND for a path that is not there.
Result<Outcome> Replay(const ReplayOptions& options,
                       const std::function<void(const Replayed&)>& each);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_REPLAY_H_
