#include "optimized/tokens/plan.h"

#include <utility>

#include "graph/call_checks.h"
#include "optimized/tokens/dead_classes.h"
#include "optimized/tokens/draft.h"
#include "optimized/tokens/kept_inputs.h"
#include "optimized/tokens/shortcuts.h"

namespace tagflow::optimized::tokens {
namespace {

bool IsPlain(const PlanNode& node) {
  return node.role == Role::kKernel && !node.is_target && !node.reads_references &&
         !node.has_unused_output;
}

// Pointers, now that the arrays stay where they are.
TokenPlan Seal(PlanDraft draft) {
  TokenPlan plan = std::move(draft.plan);
  const Edge* const edges = plan.edges.data();
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    PlanNode& node = plan.nodes[i];
    const DraftNode& made = draft.nodes[i];
    node.function = plan.infos[i].kernel.function();
    node.state = plan.infos[i].kernel.state().get();
    node.args = plan.args.data() + made.first_arg;
    node.outputs = plan.outputs.data() + made.first_output;
    node.edges = edges + made.edges.first;
    node.num_edges = made.edges.end - made.edges.first;
    node.is_plain = IsPlain(node);
  }
  plan.port_edges.reserve(draft.ports.size());
  for (const auto& [live, dead] : draft.ports) {
    plan.port_edges.push_back(
        {edges + live.first, edges + live.end, edges + dead.first, edges + dead.end});
  }
  return plan;
}

}  // namespace

Result<TokenPlan> MakeTokenPlan(const ExecutableSpec& spec) {
  PlanDraft draft(spec);
  TAGFLOW_RETURN_IF_ERROR(DraftNodes(draft));
  TAGFLOW_RETURN_IF_ERROR(CheckPlaceholdersFed(spec.graph, spec.call, spec.valid.needed));
  DraftValues(draft);
  DraftEdges(draft);
  FindShortcuts(draft);
  FindKeptInputs(spec, draft.plan);
  FindDeadClasses(draft);
  return Seal(std::move(draft));
}

}  // namespace tagflow::optimized::tokens
