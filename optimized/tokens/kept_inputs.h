#ifndef TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_

// Live inputs of a Merge that are equal are no race ([merge.3]), so a second one is compared with
// the first; but that may be gone by then, moved or written over by its last reader. A Merge where
// two may be equal therefore keeps its first live input in a slot of its own, until all inputs that
// are present in the iteration have come, or the iteration ends.
//
// Merges that keep nothing: those where deadness excludes a second live input
// (transform/deadness/meetings.h), which most are; and those where no two count as equal, since
// value_index is taken or what comes are references or no plain values.
//
// Cost: of a plan, that of the analysis; of an arrival at a Merge that keeps, a lock, and the
// comparison. As long as the value is kept, who reads it cannot write in its place.
// Tested by kept_inputs_test.cc.

#include <mutex>
#include <string>

#include "optimized/errors.h"
#include "optimized/executable.h"
#include "optimized/tokens/core.h"
#include "optimized/tokens/slots.h"

namespace tagflow::optimized::tokens {

// Fills in PlanNode::keeps_live_input, FramePlan::kept_slots and NodeInfo::index_is_taken.
// REQUIRES: nodes, values and edges are drafted
void FindKeptInputs(const ExecutableSpec& spec, TokenPlan& plan);

// Why no second live input of this Merge counts as equal; of one that keeps none.
std::string WhyNeverEqual(const NodeInfo& merge);
bool IsReferenceInput(const NodeInfo& merge, int32_t input);

// What the Merges of a step keep.
template <typename Sync>
class KeptInputs {
 public:
  using IterationT = Iteration<Sync>;

  KeptInputs(StepCore<Sync>& core, Slots<Sync>& slots)
      : core_(core), plan_(core.plan), slots_(slots) {}

  // A live input has come to a Merge. Whether it goes on: the first, and what is equal to it.
  //                                                                               Spec: [merge.3]
  [[gnu::noinline]] bool ArriveLive(const PlanNode& node, IterationT& to, int32_t input) {
    const NodeInfo& info = plan_.info(node);
    MergeState<Sync>& merge = to.merges[node.detail];
    if (!node.keeps_live_input) {
      if (merge.first_live.Replace(MergeState<Sync>::kNone, input)) return true;
      core_.Fail(node, to, SecondLiveInput(merge.first_live.load(), input, WhyNeverEqual(info)));
      return false;
    }
    const uint32_t slot = node.args[static_cast<uint32_t>(input)].slot;
    const bool is_compared =
        !IsReferenceInput(info, input) && to.slots[slot].memory_kind() != MemoryKind::kDevice;
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
      core_.Fail(node, to, SecondLiveInput(merge.first_live.load(), input, why));
      return false;
    }
    if (!to.slots[slot].is_inline()) {
      slots_.ReleaseUse(to, slot, plan_.uses_of(node)[static_cast<uint32_t>(input)]);
    }
    return true;
  }

  // A dead input has come to a Merge that keeps: it may have been the last.
  [[gnu::noinline]] void DropKept(const PlanNode& node, IterationT& to) {
    const MergeState<Sync>& merge = to.merges[node.detail];
    std::lock_guard lock(kept_mutex_);
    if (merge.first_live.load() == MergeState<Sync>::kNone) return;
    if (!MergeArrivals::HaveAllCome(merge.word.load(), merge.num_live)) return;
    to.slots[to.frame->plan.kept_slots[node.detail]] = Tensor();
  }

 private:
  StepCore<Sync>& core_;
  const TokenPlan& plan_;
  Slots<Sync>& slots_;
  typename Sync::Mutex kept_mutex_;  // of kept inputs, and MergeState::num_live
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_KEPT_INPUTS_H_
