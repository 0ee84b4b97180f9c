#ifndef TAGFLOW_OPTIMIZED_TOKENS_STEP_IMPL_H_
#define TAGFLOW_OPTIMIZED_TOKENS_STEP_IMPL_H_

// How a step begins, and one firing, from the values in its slots to the tokens it hands on.
// Compiled once for each Sync: step_sequential.cc, step_concurrent.cc.

#include <new>

#include "optimized/errors.h"
#include "optimized/tokens/step.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
Step<Sync>::Step(const TokenPlan& plan, int num_workers)
    : delivery_(plan, slots_, kept_, frames_),
      core_(plan),
      root_(plan, FrameTree::kRoot),
      target_fired_(plan.targets.size()),
      slots_(plan),
      kept_(core_, slots_),
      starved_(plan),
      frames_(core_, slots_, delivery_, starved_),
      transfers_(core_, slots_, delivery_),
      calls_(core_, slots_, delivery_, transfers_),
      ending_(core_, delivery_.fetched(), target_fired_, root_, frames_.pool(), transfers_,
              starved_) {
  for (int i = 0; i < num_workers; ++i) {
    workers_.push_back(std::make_unique<WorkerT>(i, services_, plan.most_edges));
  }
  root_.Append();
}

template <typename Sync>
void Step<Sync>::Start(std::vector<Tensor> feeds, const StepControl& control) {
  caller_stopped_ = control.services.stopped;
  services_ = control.services;
  services_.devices = nullptr;  // kernels are called where their device is
  services_.stopped = [this] {
    return core_.stop->is_set() || (caller_stopped_ && caller_stopped_());
  };
  core_.control = &control;
  std::function<void()> wake;
  if (core_.plan.has_async || (control.rendezvous != nullptr && !core_.plan.transfers.empty())) {
    core_.calls = std::make_shared<InFlight<ReadyT>>();
    wake = [calls = core_.calls] { calls->Wake(); };
  }
  core_.stop.emplace(control, std::move(wake));
  is_counting_ = control.max_firings > 0;
  firings_left_.store(control.max_firings);
  IterationT& root = *root_.oldest;
  root.Begin(0, true);
  WorkerT& first = worker(0);
  for (size_t i = 0; i < core_.plan.feeds.size(); ++i) {
    const FeedPlan& feed = core_.plan.feeds[i];
    root.slots[feed.slot] = std::move(feeds[i]);
    first.ready.Reserve(feed.end_edge - feed.first_edge);
    delivery_.template Deliver<false>(first, root, core_.plan.edges.data() + feed.first_edge,
                                      core_.plan.edges.data() + feed.end_edge);
  }
  first.ready.Reserve(core_.plan.sources.size());
  for (uint32_t place : core_.plan.sources) {
    delivery_.Push(first, root, Edge(EdgeKind::kOnly, place, 1, root.nodes[place].is_heavy), false);
  }
}

template <typename Sync>
void Step<Sync>::Clear() {
  root_.oldest->Clear();
  frames_.pool().Clear();
  transfers_.Clear();
  starved_.Clear();
  for (Fetched& fetched : delivery_.fetched()) fetched = Fetched();
  for (Cell<bool>& fired : target_fired_) fired.store(false);
  core_.stop.reset();
}

template <typename Sync>
void Step<Sync>::TakeDoneCalls(WorkerT& worker) {
  calls_.TakeDoneCalls(worker);
}
template <typename Sync>
bool Step<Sync>::TakeDoneCall(WorkerT& worker, size_t which) {
  return calls_.TakeDoneCall(worker, which);
}
template <typename Sync>
bool Step<Sync>::Advance() {
  return calls_.Advance();
}
template <typename Sync>
bool Step<Sync>::AwaitCalls(WorkerT& worker) {
  return calls_.AwaitCalls(worker);
}
template <typename Sync>
bool Step<Sync>::AwaitDoneCalls() {
  return calls_.AwaitDoneCalls();
}
template <typename Sync>
Result<std::vector<Tensor>> Step<Sync>::Finish() {
  calls_.EndCalls();
  return ending_.Finish();
}

// An error of the limits names the instance that was about to fire: there is the endless loop.
template <typename Sync>
bool Step<Sync>::MayFire(WorkerT& worker) {
  const ReadyT& next = worker.ready.back();
  if (core_.stop->is_set()) {
    core_.NoteDropped(next);
    return false;
  }
  if (!is_counting_ || firings_left_.Add(-1) >= 0) return true;
  core_.Fail(next.node(), *next.iteration, StepLimitReached(core_.control->max_firings));
  return false;
}

// A live kernel runs; a dead one does not, and all its outputs are dead.
//                                                                                   Spec: [fire.3]
template <typename Sync>
void Step<Sync>::FireKernel(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return delivery_.FireDead(worker, node, at, ready);
  if (node.reads_references) {
    if (const Status status = slots_.ReadReferences(node, at); !status.ok())
      return core_.Fail(node, at, status);
  }
  if (const Status status = RunKernel(worker, node, at); !status.ok()) {
    return core_.Fail(node, at, status);
  }
  const size_t due_before = worker.ready.size();
  delivery_.template Deliver<false>(worker, at, node.edges, node.edges_end());
  if (node.has_unused_output) [[unlikely]]
    slots_.ReleaseUnusedOutputs(node, at);
  delivery_.Leave(worker, at, due_before);
}

template <typename Sync>
[[gnu::always_inline]] inline Status Step<Sync>::RunKernel(WorkerT& worker, const PlanNode& node,
                                                           IterationT& at) {
  const Tensor* const slots = at.slots;
  for (const Arg *arg = node.args, *end = arg + node.num_inputs; arg != end; ++arg) {
    if (!slots[arg->slot].is_inline()) return RunOnBuffers(worker, node, at);
  }
  worker.context.Enter(at);
  worker.context.Point(node.args, node.outputs, static_cast<int>(node.num_inputs));
  return node.function(node.state, worker.context);
}

// With inputs that hold memory, the kernel is told which of them nobody else will read, and the
// last reader lets go of them.
template <typename Sync>
Status Step<Sync>::RunOnBuffers(WorkerT& worker, const PlanNode& node, IterationT& at) {
  slots_.PointAtBuffers(worker, node, at);
  const Status status = node.function(node.state, worker.context);
  slots_.ReleaseInputs(worker, node, at);
  return status;
}

// Hands its input on. LoopCond takes predicates only ([switch.2]).
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FirePass(WorkerT& worker, const PlanNode& node,
                                                        IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return delivery_.FireDead(worker, node, at, ready);
  if (node.reads_references) [[unlikely]] {
    if (Status status = slots_.ReadReferences(node, at); !status.ok())
      return core_.Fail(node, at, status);
  }
  if (node.role == Role::kLoopCond && !at.slots[node.args[0].slot].is_inline()) [[unlikely]] {
    return core_.Fail(node, at, CheckPredicate(at.slots[node.args[0].slot]));
  }
  slots_.MoveInput(node, 0, at, at.slots[node.outputs[0]]);
  delivery_.DeliverAll(worker, node, at, false);
}

//                                                                      Spec: [switch.1] [switch.2]
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireSwitch(WorkerT& worker, const PlanNode& node,
                                                          IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return delivery_.FireDead(worker, node, at, ready);
  if (node.reads_references) [[unlikely]] {
    if (Status status = slots_.ReadReferences(node, at); !status.ok())
      return core_.Fail(node, at, status);
  }
  const Tensor& predicate = at.slots[node.args[1].slot];
  uint32_t port;
  if (predicate.is_inline() && predicate.dtype() == DType::kBool) [[likely]] {
    port = predicate.inline_value<bool>() ? 1 : 0;
  } else {
    if (Status status = CheckPredicate(predicate); !status.ok())
      return core_.Fail(node, at, status);
    port = ChosenOutput(predicate, node.num_outputs);
  }
  slots_.MoveInput(node, 0, at, at.slots[node.outputs[port]]);
  if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::WentTo(port));
  const size_t due_before = worker.ready.size();
  delivery_.DeliverPorts(worker, at, node, node.detail, port);
  delivery_.Leave(worker, at, due_before);
}

// Its live input, and which it was.                                               Spec: [merge.6]
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireMerge(WorkerT& worker, const PlanNode& node,
                                                         IterationT& at, ReadyT ready) {
  if (!ready.is_dead()) {
    const int32_t live = at.merges[node.detail].first_live.load();
    if (node.reads_references) [[unlikely]] {
      for (const ReferenceInput& reference : core_.plan.info(node).references) {
        if (static_cast<int32_t>(reference.input) != live) continue;
        if (Status status = slots_.ReadReference(reference, node, at); !status.ok()) {
          return core_.Fail(node, at, status);
        }
      }
    }
    slots_.MoveInput(node, static_cast<uint32_t>(live), at, at.slots[node.outputs[0]]);
    at.slots[node.outputs[1]].template SetScalar<int32_t>(live);
  }
  delivery_.DeliverAll(worker, node, at, ready.is_dead());
}

template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireControl(WorkerT& worker, const PlanNode& node,
                                                           IterationT& at, ReadyT ready) {
  switch (node.role) {
    case Role::kPass:
    case Role::kLoopCond:
      return FirePass(worker, node, at, ready);
    case Role::kSwitch:
      return FireSwitch(worker, node, at, ready);
    case Role::kMerge:
      return FireMerge(worker, node, at, ready);
    case Role::kEnter:
      return frames_.FireEnter(worker, node, at, ready);
    case Role::kExit:
      return frames_.FireExit(worker, node, at, ready);
    case Role::kNextIteration:
      return frames_.FireNextIteration(worker, node, at, ready);
    case Role::kTrigger:  // live whatever it waited for ([control.2])
      return delivery_.DeliverAll(worker, node, at, false);
    case Role::kSend:
      return transfers_.FireSend(worker, node, at, ready);
    case Role::kRecv:
      return transfers_.FireRecv(worker, node, at, ready);
    case Role::kAsync:
      return calls_.FireAsync(worker, node, at, ready);
    case Role::kDeadClass:
      return delivery_.DeliverAll(worker, node, at, true);
    case Role::kKernel:
      return FireKernel(worker, node, at, ready);
  }
}

// Live instances of plain kernels, which most are, come first.
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::Fire(WorkerT& worker, const ReadyT& ready) {
  IterationT& at = *ready.iteration;
  const PlanNode& node = ready.node();
  if (!node.is_plain || ready.is_dead()) return FireAny(worker, node, at, ready);
  if (const Status status = RunKernel(worker, node, at); !status.ok()) [[unlikely]] {
    return core_.Fail(node, at, status);
  }
  delivery_.DeliverAll(worker, node, at, false);
}

template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireAny(WorkerT& worker, const PlanNode& node,
                                                       IterationT& at, ReadyT ready) {
  if (node.is_target) [[unlikely]]
    target_fired_[core_.plan.info(node).target].store(true);
  FireControl(worker, node, at, ready);
}

template <typename Sync>
bool Step<Sync>::FireOne(WorkerT& worker) {
  if (!MayFire(worker)) return false;
  worker.ready.ReserveSpare();
  Fire(worker, worker.ready.Pop());
  return true;
}

template <typename Sync>
void Step<Sync>::FireAll(WorkerT& worker) {
  while (!worker.ready.empty()) {
    if (is_counting_ || core_.stop->is_set()) [[unlikely]] {
      if (!FireOne(worker)) return;
    } else {
      worker.ready.ReserveSpare();
      Fire(worker, worker.ready.Pop());
    }
    if constexpr (Sync::kShared) {
      if (worker.has_news) return;
    }
  }
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_STEP_IMPL_H_
