#ifndef TAGFLOW_OPTIMIZED_TOKENS_ENDING_H_
#define TAGFLOW_OPTIMIZED_TOKENS_ENDING_H_

// The end of a step: what was fetched, what is dead and why, what is still owed.
//                                                                       Spec: [fetch.*] [step.2]

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "optimized/errors.h"
#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/core.h"
#include "optimized/tokens/delivery.h"
#include "optimized/tokens/explain.h"
#include "optimized/tokens/frames.h"
#include "optimized/tokens/starved.h"
#include "optimized/tokens/transfers.h"
#include "optimized/tokens/watchdog.h"

namespace tagflow::optimized::tokens {

// The engine's own bug: `lost` says what.
Status LostTrack(const std::string& what, const std::vector<std::string>& lost,
                 const std::string& waits);

template <typename Sync>
class Ending {
 public:
  using IterationT = Iteration<Sync>;
  using ReadyT = Ready<Sync>;
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  // All of them outlive it.
  Ending(StepCore<Sync>& core, std::vector<Fetched>& fetched,
         const std::vector<Cell<bool>>& target_fired, const Frame<Sync>& root,
         const FramePool<Sync>& pool, const Transfers<Sync>& transfers,
         const Starved<Sync>& starved)
      : core_(core),
        plan_(core.plan),
        fetched_(fetched),
        target_fired_(target_fired),
        root_(root),
        pool_(pool),
        transfers_(transfers),
        starved_(starved) {}

  Result<std::vector<Tensor>> Finish() {
    if (Status error = core_.errors.Report(); !error.ok()) {
      // Whoever is at the other end waits for nothing any more.
      if (core_.control->rendezvous != nullptr) core_.control->rendezvous->Abort(error);
      return error;
    }
    std::vector<Tensor> values;
    values.reserve(fetched_.size());
    for (size_t i = 0; i < fetched_.size(); ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TakeFetch(i));
      values.push_back(std::move(value));
    }
    TAGFLOW_RETURN_IF_ERROR(CheckTargets());
    if (!transfers_.WaitingRecvs().empty()) return Owed("a Recv");
    return values;
  }

 private:
  Result<Tensor> TakeFetch(size_t i) {
    const OutputRef output = plan_.call.fetches[i];
    const std::string& producer = plan_.graph->node(output.node).name;
    Fetched& fetched = fetched_[i];
    switch (fetched.state) {
      case Fetched::State::kMissing:
        return Owed("fetch '" + OutputName(*plan_.graph, output) + "'").WithNode(producer);
      case Fetched::State::kDead:
        return DeadFetch(OutputName(*plan_.graph, output),
                         ExplainDeath(plan_, *root_.oldest, output))
            .WithNode(producer);
      case Fetched::State::kLive:
        break;
    }
    if (!fetched.value.has_value()) {
      return UninitializedVariable(fetched.uninitialized).WithNode(producer);
    }
    return std::move(fetched.value);
  }

  Status CheckTargets() const {
    for (size_t i = 0; i < plan_.targets.size(); ++i) {
      if (target_fired_[i].load() || !IsOwed(plan_.targets[i])) continue;
      const std::string& name = plan_.graph->node(plan_.targets[i].node).name;
      return Owed("target '" + name + "'").WithNode(name);
    }
    return Status();
  }

  // A target that did not fire is owed, unless it is in a loop and every frame around it has ended.
  bool IsOwed(const TargetPlan& target) const {
    int outermost = FrameTree::kRoot;
    for (int around = target.frame; around > FrameTree::kRoot;
         around = plan_.frames[static_cast<size_t>(around)].parent) {
      outermost = around;
      for (const auto& frame : pool_.frames()) {
        if (frame->static_frame == around && frame->is_alive) return true;
      }
    }
    return outermost == FrameTree::kRoot || !pool_.HasBegun(outermost);
  }

  std::string Waiting() const {
    std::vector<std::string> waits = starved_.noted();
    starved_.ListHalfFed(*root_.oldest, waits);
    for (const auto& frame : pool_.frames()) {
      if (!frame->is_alive) continue;
      for (const IterationT* at = frame->oldest; at != nullptr; at = at->next.load()) {
        starved_.ListHalfFed(*at, waits);
      }
      if (const int32_t missing = frame->enters_missing.load(); missing > 0) {
        waits.push_back("frame '" + frame->plan.name + "'" + AtTag(TagOf(*frame->parent)) +
                        " waits for " + std::to_string(missing) + " of its Enters");
      }
    }
    std::sort(waits.begin(), waits.end());
    // First what the others may wait for.
    std::vector<std::string> messages;
    for (const ReadyT& waiter : transfers_.WaitingRecvs()) {
      messages.push_back("a Recv waits for the key " +
                         transfers_.KeyText(waiter.node(), *waiter.iteration));
    }
    std::sort(messages.begin(), messages.end());
    waits.insert(waits.begin(), messages.begin(), messages.end());
    if (waits.empty()) return "; nothing that leads there ever ran";
    const size_t listed = std::min(waits.size(), kMaxListed);
    std::string text;
    for (size_t i = 0; i < listed; ++i) text += (i == 0 ? ": " : "; ") + waits[i];
    if (waits.size() > listed) text += "; and " + std::to_string(waits.size() - listed) + " more";
    return text;
  }

  // What is owed when nothing can run any more: the graph's doing, unless the watchdog finds ours.
  Status Owed(const std::string& what) const {
    // Workers that see the flag drop what is due, and none of them may have been about to fire.
    if (core_.stop->is_set() && !core_.stop->status().ok()) return core_.stop->status();
    EndedStep<Sync> ended{plan_, pool_, *root_.oldest, {}, {}};
    for (const ReadyT& waiter : transfers_.WaitingRecvs()) {
      ended.waiting_recvs.push_back(waiter.iteration);
    }
    for (size_t i = 0; i < fetched_.size(); ++i) {
      if (fetched_[i].state != Fetched::State::kMissing) continue;
      ended.missing_fetches.push_back(plan_.call.fetches[i]);
    }
    const std::vector<std::string> lost = FindLost(ended);
    return lost.empty() ? StillOwed(what, Waiting()) : LostTrack(what, lost, Waiting());
  }

  StepCore<Sync>& core_;
  const TokenPlan& plan_;
  std::vector<Fetched>& fetched_;
  const std::vector<Cell<bool>>& target_fired_;
  const Frame<Sync>& root_;
  const FramePool<Sync>& pool_;
  const Transfers<Sync>& transfers_;
  const Starved<Sync>& starved_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_ENDING_H_
