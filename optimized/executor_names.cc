#include "optimized/executor_names.h"

#include <string>

namespace tagflow::optimized {

Result<ExecutorChoice> ExecutorOfName(std::string_view name) {
  if (name == "auto") return ExecutorChoice::kAuto;
  if (name == "straight") return ExecutorChoice::kStraight;
  if (name == "tokens") return ExecutorChoice::kTokens;
  return InvalidArgument("the executor is auto, straight or tokens, not '" + std::string(name) +
                         "'");
}

}  // namespace tagflow::optimized
