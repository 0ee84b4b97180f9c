#include "optimized/executor_choice.h"

#include <unordered_set>
#include <utility>

#include "optimized/async_kernel.h"
#include "optimized/devices/devices.h"
#include "optimized/straight/straight_executable.h"
#include "optimized/tokens/token_executable.h"

namespace tagflow::optimized {
namespace {

// Whether some kernel of the call is worth handing to another thread, or lets the step go on while
// it is in flight.
bool IsForTokens(const ExecutableSpec& spec) {
  std::unordered_set<const OpDef*> seen;
  for (size_t i = 0; i < spec.valid.needed.size(); ++i) {
    if (!spec.valid.needed[i]) continue;
    const Node& node = spec.graph.node(static_cast<NodeId>(i));
    if (spec.devices == nullptr && !seen.insert(node.def).second) continue;
    const auto [kernel, is_own] = FindKernel(spec.devices, node, spec.kernels);
    if (kernel == nullptr || is_own) continue;
    if (kernel->cost == Cost::kHeavy && spec.threads > 1) return true;
    if (IsAsync(*kernel)) return true;
  }
  return false;
}

}  // namespace

Result<ChosenExecutable> ChooseStraight(const ExecutableSpec& spec, ExecutorChoice choice) {
  const bool may_be_straight = choice == ExecutorChoice::kStraight ||
                               (choice == ExecutorChoice::kAuto && !IsForTokens(spec));
  if (!may_be_straight) return ChosenExecutable{nullptr, "tokens"};
  TAGFLOW_ASSIGN_OR_RETURN(StraightResult straight, MakeStraightExecutable(spec));
  const bool is_straight = straight.executable != nullptr;
  return ChosenExecutable{std::move(straight.executable),
                          is_straight ? "straight code" : "tokens: " + straight.irregular};
}

Result<ChosenExecutable> ChooseExecutable(const ExecutableSpec& spec, ExecutorChoice choice,
                                          std::shared_ptr<tokens::WorkerPool> pool) {
  ChosenExecutable chosen{nullptr, "tokens"};
  if (spec.devices == nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(chosen, ChooseStraight(spec, choice));
    if (chosen.executable != nullptr) return chosen;
  }
  if (choice == ExecutorChoice::kStraight) {
    return Unimplemented("the graph needs the token executor: " + chosen.about);
  }
  tokens::TokenOptions options;
  options.pool = std::move(pool);
  options.always_shares = choice == ExecutorChoice::kSharedTokens;
  TAGFLOW_ASSIGN_OR_RETURN(chosen.executable, tokens::MakeTokenExecutable(spec, options));
  return chosen;
}

}  // namespace tagflow::optimized
