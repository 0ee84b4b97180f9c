#include <string_view>
#include <unordered_map>

#include "optimized/tokens/plan.h"

namespace tagflow::optimized::tokens {
namespace {

const std::unordered_map<std::string_view, Role>& Roles() {
  static const auto& roles = *new std::unordered_map<std::string_view, Role>{
      {"Identity", Role::kPass},
      {"LoopCond", Role::kLoopCond},
      {"Switch", Role::kSwitch},
      {"RefSwitch", Role::kSwitch},
      {"_SwitchN", Role::kSwitch},
      {"Merge", Role::kMerge},
      {"RefMerge", Role::kMerge},
      {"Enter", Role::kEnter},
      {"RefEnter", Role::kEnter},
      {"Exit", Role::kExit},
      {"RefExit", Role::kExit},
      {"NextIteration", Role::kNextIteration},
      {"RefNextIteration", Role::kNextIteration},
      {"ControlTrigger", Role::kTrigger},
      {"_Send", Role::kSend},
      {"_HostSend", Role::kSend},
      {"_Recv", Role::kRecv},
      {"_HostRecv", Role::kRecv},
  };
  return roles;
}

}  // namespace

Role RoleOf(const Node& node) {
  const auto found = Roles().find(node.op);
  return found == Roles().end() ? Role::kKernel : found->second;
}

}  // namespace tagflow::optimized::tokens
