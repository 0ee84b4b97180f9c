#include "optimized/executor_names.h"

#include <string>

namespace tagflow::optimized {

Result<ExecutorWay> ExecutorOfName(std::string_view name) {
  if (name == "auto") return ExecutorWay{};
  if (name == "straight") return ExecutorWay{ExecutorChoice::kStraight};
  if (name == "tokens") return ExecutorWay{ExecutorChoice::kTokens};
  if (name == "native") return ExecutorWay{.native = {NativeChoice::kAlways}};
  if (name == "interpreted") return ExecutorWay{.native = {NativeChoice::kOff}};
  return InvalidArgument("the executor is auto, straight, tokens, native or interpreted, not '" +
                         std::string(name) + "'");
}

}  // namespace tagflow::optimized
