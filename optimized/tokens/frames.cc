// Members of Step: how tokens cross the borders of frames and iterations, and how these begin and
// end. See step.h, and state.h for what is locked.

#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {

//                                                             Spec: [enter.1] [enter.2] [enter.3]
template <typename Sync>
void Step<Sync>::FireEnter(WorkerT& worker, const PlanNode& node, IterationT& at,
                           const ReadyT& ready) {
  if (!ready.is_dead() && node.reads_references) {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  const EnterPlan& enter = plan_.enters[node.detail];
  FrameT& frame = FindOrBeginFrame(worker, enter, at);
  KeptToken token{&node, Tensor(), ready.is_dead()};
  if (ready.is_dead()) {
    MarkDead(node, at, ready.place);
  } else {
    token.value = TakeInput(node, 0, at);
  }
  if (enter.is_constant) {
    std::lock_guard lock(frame.mutex);
    for (IterationT* begun = frame.oldest; begun != nullptr; begun = begun->next.load()) {
      DeliverKept(worker, *begun, token);
    }
    frame.constants.push_back(std::move(token));
  } else {
    DeliverKept(worker, *frame.first, std::move(token));
  }
  // After the token: until then this Enter keeps iteration 0.
  if (frame.enters_missing.Add(-1) == 0) Settle(worker, &frame);
  AddBusy(worker, at, -1);
}

// A live one goes to the parent at once; a dead one leaves a mark.           Spec: [exit.1]
// [exit.3]
template <typename Sync>
void Step<Sync>::FireExit(WorkerT& worker, const PlanNode& node, IterationT& at,
                          const ReadyT& ready) {
  FrameT& frame = *at.frame;
  Cell<uint8_t>& state = frame.exits[node.detail];
  if (ready.is_dead()) {
    MarkDead(node, at, ready.place);
    if ((state.load() & ExitState::kWasDead) == 0) state.Or(ExitState::kWasDead);
    return AddBusy(worker, at, -1);
  }
  if (node.reads_references) {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  if ((state.Or(ExitState::kWasLive) & ExitState::kWasLive) != 0) {
    return Fail(node, at, SecondLiveExit());
  }
  DeliverKept(worker, *frame.parent, {&node, TakeInput(node, 0, at), false});
  AddBusy(worker, at, -1);
}

//                                                                Spec: [next.1] [next.2] [next.3]
template <typename Sync>
void Step<Sync>::FireNextIteration(WorkerT& worker, const PlanNode& node, IterationT& at,
                                   const ReadyT& ready) {
  if (ready.is_dead()) {
    MarkDead(node, at, ready.place);
    return AddBusy(worker, at, -1);
  }
  if (node.reads_references) {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  KeptToken token{&node, TakeInput(node, 0, at), false};
  IterationT* next = at.next.load();
  if (next == nullptr) {
    FrameT& frame = *at.frame;
    std::lock_guard lock(frame.mutex);
    next = at.next.load();  // another NextIteration may have begun it
    if (next == nullptr) {
      frame.deferred.push_back(std::move(token));
      if (MayBegin(frame.live_iterations, frame.plan.parallel_iterations)) {
        BeginIteration(worker, frame);
      }
    }
  }
  if (next != nullptr) DeliverKept(worker, *next, std::move(token));
  AddBusy(worker, at, -1);
}

// Puts a token where its node's outputs go.
template <typename Sync>
void Step<Sync>::DeliverKept(WorkerT& worker, IterationT& to, KeptToken token) {
  const size_t due_before = worker.ready.size();
  if (!token.is_dead) to.slots[token.node->outputs[0]] = std::move(token.value);
  Deliver(worker, to, token.node->edges, token.node->edges_end(), token.is_dead);
  if (const int64_t due = worker.DueSince(due_before); due > 0) AddBusy(worker, to, due);
}

// The frame that an Enter leads into from this iteration: it is the one that the iteration knows
// under the Enter's static frame.                                           Spec: [frame.1]
// [enter.3]
template <typename Sync>
Frame<Sync>& Step<Sync>::FindOrBeginFrame(WorkerT& worker, const EnterPlan& enter,
                                          IterationT& parent) {
  Cell<FrameT*>& child = parent.children[enter.child];
  if (FrameT* const found = child.load(); found != nullptr) return *found;
  std::lock_guard lock(parent.frame->mutex);
  if (FrameT* const found = child.load(); found != nullptr) return *found;
  FrameT& frame = frames_.Take(enter.frame);
  AddBusy(worker, parent, 1);
  // Against those who do not know that the frame it was before has ended.
  std::lock_guard frame_lock(frame.mutex);
  frame.Reset(&parent);
  BeginIteration(worker, frame);
  frame.first = frame.oldest;
  child.store(&frame);
  return frame;
}

// REQUIRES: the frame's mutex
template <typename Sync>
void Step<Sync>::BeginIteration(WorkerT& worker, FrameT& frame) {
  IterationT& begun = frame.Append();
  for (KeptToken& token : frame.deferred) DeliverKept(worker, begun, std::move(token));
  frame.deferred.clear();
  for (const KeptToken& token : frame.constants) DeliverKept(worker, begun, token);
}

// Counts what is busy in an iteration; the last to leave sees whether anything has ended. The frame
// is read before, since another thread may end the iteration right after.
template <typename Sync>
void Step<Sync>::AddBusy(WorkerT& worker, IterationT& at, int64_t change) {
  if (!at.is_in_loop || change == 0) return;
  FrameT* const frame = at.frame;
  if (at.busy.Add(static_cast<int32_t>(change)) == 0) Settle(worker, frame);
}

// Ends what has ended: iterations from the oldest on, then the frame, and so on outwards. All that
// makes an iteration or a frame end, other than its oldest iteration's end, is followed by a call.
// It may be called at any time: what it asks for stays true once it is.      Spec: [frame.6]
// [frame.7]
template <typename Sync>
void Step<Sync>::Settle(WorkerT& worker, FrameT* frame) {
  while (EndIterations(worker, *frame)) {
    // Nobody else knows the frame now; its parent iteration lives as long as it is counted there.
    IterationT& parent = *frame->parent;
    const size_t due_before = worker.ready.size();
    DeliverDeadExits(worker, *frame);
    const int64_t due = worker.DueSince(due_before);
    frames_.Release(*frame);
    if (!parent.is_in_loop) return;
    frame = parent.frame;
    if (parent.busy.Add(static_cast<int32_t>(due - 1)) != 0) return;
  }
}

// Whether the frame has ended too.
template <typename Sync>
bool Step<Sync>::EndIterations(WorkerT& worker, FrameT& frame) {
  std::lock_guard lock(frame.mutex);
  if (!frame.is_alive) return false;
  while (frame.oldest != nullptr && IterationEnded(frame.oldest->index, frame.oldest->busy.load(),
                                                   frame.enters_missing.load())) {
    NoteStarved(*frame.oldest);
    frame.DropOldest();
    if (!frame.deferred.empty() &&
        MayBegin(frame.live_iterations, frame.plan.parallel_iterations)) {
      BeginIteration(worker, frame);
    }
  }
  if (!FrameEnded(frame.live_iterations, frame.enters_missing.load())) return false;
  frame.is_alive = false;
  return true;
}

//                                                                                    Spec: [exit.2]
template <typename Sync>
void Step<Sync>::DeliverDeadExits(WorkerT& worker, FrameT& frame) {
  for (size_t i = 0; i < frame.exits.size(); ++i) {
    if (!ExitState::OwesDead(frame.exits[i].load())) continue;
    const PlanNode& exit = frame.nodes[frame.plan.exits[i]];
    Deliver(worker, *frame.parent, exit.edges, exit.edges_end(), true);
  }
}

template void Step<Sequential>::FireEnter(WorkerT&, const PlanNode&, IterationT&, const ReadyT&);
template void Step<Concurrent>::FireEnter(WorkerT&, const PlanNode&, IterationT&, const ReadyT&);
template void Step<Sequential>::FireExit(WorkerT&, const PlanNode&, IterationT&, const ReadyT&);
template void Step<Concurrent>::FireExit(WorkerT&, const PlanNode&, IterationT&, const ReadyT&);
template void Step<Sequential>::FireNextIteration(WorkerT&, const PlanNode&, IterationT&,
                                                  const ReadyT&);
template void Step<Concurrent>::FireNextIteration(WorkerT&, const PlanNode&, IterationT&,
                                                  const ReadyT&);
template void Step<Sequential>::AddBusy(WorkerT&, IterationT&, int64_t);
template void Step<Concurrent>::AddBusy(WorkerT&, IterationT&, int64_t);

}  // namespace tagflow::optimized::tokens
