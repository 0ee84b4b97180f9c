#include "optimized/tokens/kept_inputs.h"

#include <algorithm>
#include <set>

#include "graph/feed_set.h"
#include "optimized/errors.h"
#include "optimized/tokens/step.h"
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

bool IsReference(const NodeInfo& merge, int32_t input) {
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

}  // namespace

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

// A live input has come to a Merge. Whether it goes on: the first, and what is equal to it.
//                                                                                 Spec: [merge.3]
template <typename Sync>
bool Step<Sync>::ArriveLive(const PlanNode& node, IterationT& to, int32_t input) {
  const NodeInfo& info = plan_.info(node);
  MergeState<Sync>& merge = to.merges[node.detail];
  if (!node.keeps_live_input) {
    if (merge.first_live.Replace(MergeState<Sync>::kNone, input)) return true;
    Fail(node, to, SecondLiveInput(merge.first_live.load(), input, WhyNeverEqual(info)));
    return false;
  }
  const uint32_t slot = node.args[static_cast<uint32_t>(input)].slot;
  const bool is_compared =
      !IsReference(info, input) && to.slots[slot].memory_kind() != MemoryKind::kDevice;
  const Tensor value = is_compared ? to.slots[slot] : Tensor();
  Tensor first;
  {
    std::lock_guard lock(kept_mutex_);
    Tensor& kept = to.slots[to.frame->plan.kept_slots[node.detail]];
    const bool is_first = merge.first_live.Replace(MergeState<Sync>::kNone, input);
    merge.num_live = is_first ? 1 : merge.num_live + 1;
    if (is_first) kept = value;
    if (!is_first) first = kept;
    if (MergeArrivals::HaveAllCome(merge.word.load(), merge.num_live)) kept = Tensor();
    if (is_first) return true;
  }
  if (const std::string why = WhyUnequal(first, value); !why.empty()) {
    Fail(node, to, SecondLiveInput(merge.first_live.load(), input, why));
    return false;
  }
  if (!to.slots[slot].is_inline()) {
    ReleaseUse(to, slot, plan_.uses_of(node)[static_cast<uint32_t>(input)]);
  }
  return true;
}

// A dead input has come to a Merge that keeps: it may have been the last.
template <typename Sync>
void Step<Sync>::DropKept(const PlanNode& node, IterationT& to) {
  const MergeState<Sync>& merge = to.merges[node.detail];
  std::lock_guard lock(kept_mutex_);
  if (merge.first_live.load() == MergeState<Sync>::kNone) return;
  if (!MergeArrivals::HaveAllCome(merge.word.load(), merge.num_live)) return;
  to.slots[to.frame->plan.kept_slots[node.detail]] = Tensor();
}

template bool Step<Sequential>::ArriveLive(const PlanNode&, IterationT&, int32_t);
template bool Step<Concurrent>::ArriveLive(const PlanNode&, IterationT&, int32_t);
template void Step<Sequential>::DropKept(const PlanNode&, IterationT&);
template void Step<Concurrent>::DropKept(const PlanNode&, IterationT&);

}  // namespace tagflow::optimized::tokens
