#include "optimized/tokens/draft.h"

#include <algorithm>

#include "graph/call_checks.h"

namespace tagflow::optimized::tokens {

FeedIndex::FeedIndex(const Graph& graph, const std::vector<OutputRef>& feeds)
    : is_fed_(graph.id_limit()) {
  for (uint32_t i = 0; i < feeds.size(); ++i) {
    is_fed_[Index(feeds[i].node)] = true;
    sorted_.emplace_back(feeds[i], i);
  }
  std::sort(sorted_.begin(), sorted_.end());
}

std::optional<uint32_t> FeedIndex::Find(OutputRef output) const {
  if (!is_fed_[Index(output.node)]) return std::nullopt;
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(output, 0u));
  if (found == sorted_.end() || found->first != output) return std::nullopt;
  return found->second;
}

std::optional<uint32_t> FeedIndex::FindPlaceholder(const Node& node) const {
  return IsPlaceholderOp(node) ? Find({node.id, 0}) : std::nullopt;
}

uint32_t NumInputs(const Node& node) {
  return static_cast<uint32_t>(node.inputs.size() + node.control_inputs.size());
}

Source SourceOf(const PlanDraft& draft, OutputRef input) {
  if (draft.fed.Find(input)) return Source::kOrdinary;
  const Node& node = draft.graph.node(input.node);
  const Role role = RoleOf(node);
  if (role == Role::kNextIteration) return Source::kNextIteration;
  if (role != Role::kEnter) return Source::kOrdinary;
  const Result<bool> is_constant = BoolAttr(node, "is_constant");
  return is_constant.ok() && *is_constant ? Source::kOrdinary : Source::kEnter;
}

int64_t PresentInputs(const PlanDraft& draft, const Node& merge, bool first_iteration) {
  return std::ranges::count_if(merge.inputs, [&](OutputRef input) {
    return MergeInputPresent(SourceOf(draft, input), first_iteration);
  });
}

bool IsLoopHead(const PlanDraft& draft, const Node& merge) {
  return PresentInputs(draft, merge, false) == 1 && merge.control_inputs.empty() &&
         std::ranges::any_of(merge.inputs, [&](OutputRef input) {
           return SourceOf(draft, input) == Source::kNextIteration;
         });
}

}  // namespace tagflow::optimized::tokens
