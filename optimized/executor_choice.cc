#include "optimized/executor_choice.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimized/async_kernel.h"
#include "optimized/devices/devices.h"
#include "optimized/measured_executable.h"
#include "optimized/straight/straight_executable.h"
#include "optimized/tokens/token_executable.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::optimized {
namespace {

// What kernels of a call want of an executor.
struct KernelNeeds {
  bool has_async = false;        // the step goes on while one is in flight: tokens
  std::vector<bool> is_heavy{};  // by node
  size_t num_heavy = 0;
};
KernelNeeds NeedsOf(const ExecutableSpec& spec) {
  KernelNeeds needs;
  needs.is_heavy.resize(spec.graph.id_limit());
  std::unordered_map<const OpDef*, const KernelEntry*> found;
  for (size_t i = 0; i < spec.valid.needed.size(); ++i) {
    if (!spec.valid.needed[i]) continue;
    const Node& node = spec.graph.node(static_cast<NodeId>(i));
    const bool is_known = spec.devices == nullptr && found.contains(node.def);
    if (!is_known) {
      const auto [kernel, is_own] = FindKernel(spec.devices, node, spec.kernels);
      found[node.def] = is_own ? nullptr : kernel;
    }
    const KernelEntry* const kernel = found[node.def];
    if (kernel == nullptr) continue;
    needs.has_async = needs.has_async || IsAsync(*kernel);
    if (kernel->cost != Cost::kHeavy) continue;
    needs.is_heavy[i] = true;
    ++needs.num_heavy;
  }
  return needs;
}

// Whether heavy kernels may be at work side by side: of several iterations of a loop, or because
// one does not wait for the other.
bool MayOverlap(const ExecutableSpec& spec, const KernelNeeds& needs) {
  for (size_t i = 0; i < needs.is_heavy.size(); ++i) {
    if (needs.is_heavy[i] && spec.valid.frames.frame_of[i] != FrameTree::kRoot) return true;
  }
  if (needs.num_heavy < 2) return false;
  // How many heavy nodes each node is behind, if these wait for one another.
  std::vector<size_t> behind(needs.is_heavy.size());
  size_t met = 0;
  const FeedSet fed(spec.graph, spec.call.feeds);
  for (const NodeId id : DependencyOrder(spec.graph, spec.valid.needed, fed)) {
    size_t& mine = behind[static_cast<size_t>(id)];
    const Node& node = spec.graph.node(id);
    for (const OutputRef input : node.inputs) {
      mine = std::max(mine, behind[static_cast<size_t>(input.node)]);
    }
    for (const NodeId input : node.control_inputs) {
      mine = std::max(mine, behind[static_cast<size_t>(input)]);
    }
    if (!needs.is_heavy[static_cast<size_t>(id)]) continue;
    if (mine < met) return true;
    mine = ++met;
  }
  return false;
}

Result<std::unique_ptr<Executable>> MakeTokens(const ExecutableSpec& spec, ExecutorChoice choice,
                                               std::shared_ptr<tokens::WorkerPool> pool) {
  tokens::TokenOptions options;
  options.pool = std::move(pool);
  options.always_shares = choice == ExecutorChoice::kSharedTokens;
  return tokens::MakeTokenExecutable(spec, options);
}

// Straight code or tokens, as turns out when the call runs.
ChosenExecutable Measured(ChosenExecutable straight, const ExecutableSpec& spec,
                          std::shared_ptr<tokens::WorkerPool> pool) {
  // The call and what is known of it may be gone when tokens have their turn.
  const auto make_tokens = [&graph = spec.graph, call = spec.call, valid = spec.valid,
                            &kernels = spec.kernels, threads = spec.threads,
                            pool = std::move(pool)] {
    return MakeTokens({graph, call, valid, kernels, threads}, ExecutorChoice::kTokens, pool);
  };
  return {MeasureExecutables(std::move(straight.executable), make_tokens),
          "straight code, or tokens where the first runs show that they are quicker"};
}

}  // namespace

Result<ChosenExecutable> ChooseStraight(const ExecutableSpec& spec, ExecutorChoice choice) {
  const bool is_auto = choice == ExecutorChoice::kAuto;
  if (!is_auto && choice != ExecutorChoice::kStraight) return ChosenExecutable{nullptr, "tokens"};
  if (is_auto && NeedsOf(spec).has_async) {
    return ChosenExecutable{nullptr, "tokens: a kernel is in flight while others run"};
  }
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
    if (chosen.executable != nullptr) {
      const bool is_sure = choice == ExecutorChoice::kStraight || pool == nullptr ||
                           spec.frame_names != nullptr || !MayOverlap(spec, NeedsOf(spec));
      return is_sure ? std::move(chosen) : Measured(std::move(chosen), spec, std::move(pool));
    }
  }
  if (choice == ExecutorChoice::kStraight) {
    return Unimplemented("the graph needs the token executor: " + chosen.about);
  }
  TAGFLOW_ASSIGN_OR_RETURN(chosen.executable, MakeTokens(spec, choice, std::move(pool)));
  return chosen;
}

}  // namespace tagflow::optimized
