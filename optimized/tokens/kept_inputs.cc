#include "optimized/tokens/kept_inputs.h"

#include <algorithm>
#include <set>

#include "graph/feed_set.h"
#include "transform/deadness/meetings.h"

namespace tagflow::optimized::tokens {
namespace {

// Outputs that a fetch or a data edge of a node of the plan takes, but for a Merge's first.
std::set<OutputRef> TakenIndices(const ExecutableSpec& spec, const TokenPlan& plan) {
  const FeedSet fed(spec.graph, spec.call.feeds);
  std::set<OutputRef> taken;
  const auto take = [&](OutputRef output) {
    if (output.index == 1 && !fed.Contains(output)) taken.insert(output);
  };
  for (const NodeInfo& info : plan.infos) {
    for (const OutputRef input : info.node->inputs) take(input);
  }
  for (const OutputRef fetch : spec.call.fetches) take(fetch);
  return taken;
}

bool MayBeEqual(const NodeInfo& merge) {
  return !merge.index_is_taken && merge.references.size() < merge.node->inputs.size() &&
         IsPlainDType(merge.signature.outputs[0].dtype);
}

}  // namespace

bool IsReferenceInput(const NodeInfo& merge, int32_t input) {
  return std::ranges::any_of(merge.references, [&](const ReferenceInput& reference) {
    return static_cast<int32_t>(reference.input) == input;
  });
}

std::string WhyNeverEqual(const NodeInfo& merge) {
  if (merge.index_is_taken) return "value_index tells them apart";
  const DType dtype = merge.signature.outputs[0].dtype;
  return IsPlainDType(dtype) ? "references are not compared"
                             : "values of " + DTypeName(dtype) + " are not compared";
}
void FindKeptInputs(const ExecutableSpec& spec, TokenPlan& plan) {
  const bool any = std::ranges::any_of(plan.nodes, [](const PlanNode& node) {
    return node.role == Role::kMerge && node.num_inputs > 1;
  });
  if (!any) return;
  const std::vector<bool> may_meet = MergesWhereTwoMayMeet(spec.graph, spec.call, spec.valid);
  if (std::ranges::find(may_meet, true) == may_meet.end()) return;
  const std::set<OutputRef> taken = TakenIndices(spec, plan);
  for (PlanNode& node : plan.nodes) {
    NodeInfo& info = plan.infos[static_cast<size_t>(&node - plan.nodes.data())];
    if (node.role != Role::kMerge || !may_meet[Index(info.node->id)]) continue;
    info.index_is_taken = taken.contains({info.node->id, 1});
    if (!MayBeEqual(info)) continue;
    node.keeps_live_input = true;
    FramePlan& home = plan.frames[static_cast<size_t>(info.frame)];
    home.kept_slots.resize(home.merge_places.size());
    home.kept_slots[node.detail] = home.num_slots;
    if (info.frame != FrameTree::kRoot) home.unread_slots.push_back(home.num_slots);
    ++home.num_slots;
  }
}

}  // namespace tagflow::optimized::tokens
