#include "optimized/tokens/step.h"

#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
Step<Sync>::Step(const TokenPlan& plan, int num_workers)
    : plan_(plan),
      frames_(plan),
      root_(plan, FrameTree::kRoot),
      fetched_(plan.fetches.size()),
      target_fired_(plan.targets.size()) {
  services_.stopped = [this] { return stop_->is_set() || (caller_stopped_ && caller_stopped_()); };
  for (int i = 0; i < num_workers; ++i) {
    workers_.push_back(std::make_unique<WorkerT>(i, services_, plan.most_edges));
  }
  root_.Append();
}

template <typename Sync>
void Step<Sync>::Start(std::vector<Tensor> feeds, const StepControl& control) {
  services_.session = control.services.session;
  services_.step = control.services.step;
  caller_stopped_ = control.services.stopped;
  control_ = &control;
  std::function<void()> wake;
  if (plan_.has_async || (control.rendezvous != nullptr && !plan_.transfers.empty())) {
    calls_ = std::make_shared<InFlight<ReadyT>>();
    wake = [calls = calls_] { calls->Wake(); };
  }
  stop_.emplace(control, std::move(wake));
  is_counting_ = control.max_firings > 0;
  firings_left_.store(control.max_firings);
  IterationT& root = *root_.oldest;
  root.Begin(0, true);
  WorkerT& first = worker(0);
  for (size_t i = 0; i < plan_.feeds.size(); ++i) {
    const FeedPlan& feed = plan_.feeds[i];
    root.slots[feed.slot] = std::move(feeds[i]);
    first.ready.Reserve(feed.end_edge - feed.first_edge);
    Deliver<false>(first, root, plan_.edges.data() + feed.first_edge,
                   plan_.edges.data() + feed.end_edge);
  }
  first.ready.Reserve(plan_.sources.size());
  for (uint32_t place : plan_.sources) {
    Push(first, root, Edge(EdgeKind::kOnly, place, 1, root.nodes[place].is_heavy), false);
  }
}

template <typename Sync>
void Step<Sync>::Clear() {
  root_.oldest->Clear();
  frames_.Clear();
  meetings_.Clear();
  asked_ = 0;
  unanswered_.clear();
  starved_.clear();
  for (Fetched& fetched : fetched_) fetched = Fetched();
  for (Cell<bool>& fired : target_fired_) fired.store(false);
  stop_.reset();
}

template Step<Sequential>::Step(const TokenPlan&, int);
template Step<Concurrent>::Step(const TokenPlan&, int);
template void Step<Sequential>::Start(std::vector<Tensor>, const StepControl&);
template void Step<Concurrent>::Start(std::vector<Tensor>, const StepControl&);
template void Step<Sequential>::Clear();
template void Step<Concurrent>::Clear();

}  // namespace tagflow::optimized::tokens
