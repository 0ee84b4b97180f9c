#ifndef TAGFLOW_OPTIMIZED_TOKENS_FRAMES_H_
#define TAGFLOW_OPTIMIZED_TOKENS_FRAMES_H_

// How tokens cross the borders of frames and iterations, and how these begin and end. See state.h
// for what is locked.

#include <mutex>
#include <utility>

#include "optimized/tokens/core.h"
#include "optimized/tokens/delivery.h"
#include "optimized/tokens/slots.h"
#include "optimized/tokens/starved.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Frames {
 public:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;
  using FrameT = Frame<Sync>;
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  Frames(StepCore<Sync>& core, Slots<Sync>& slots, Delivery<Sync>& delivery, Starved<Sync>& starved)
      : core_(core),
        plan_(core.plan),
        slots_(slots),
        delivery_(delivery),
        starved_(starved),
        pool_(plan_) {}

  //                                                           Spec: [enter.1] [enter.2] [enter.3]
  void FireEnter(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    if (!ready.is_dead() && node.reads_references) {
      if (Status status = slots_.ReadReferences(node, at); !status.ok())
        return core_.Fail(node, at, status);
    }
    const EnterPlan& enter = plan_.enters[node.detail];
    FrameT& frame = FindOrBeginFrame(worker, enter, at);
    KeptToken token{&node, Tensor(), ready.is_dead()};
    if (ready.is_dead()) {
      slots_.MarkDead(node, at, ready);
    } else {
      token.value = slots_.TakeInput(node, 0, at);
    }
    if (enter.is_constant) {
      std::lock_guard lock(frame.mutex);
      for (IterationT* begun = frame.oldest; begun != nullptr; begun = begun->next.load()) {
        DeliverKept(worker, *begun, token);
      }
      frame.AddConstant(std::move(token));
    } else {
      DeliverKept(worker, *frame.first, std::move(token));
    }
    // After the token: until then this Enter keeps iteration 0.
    if (frame.enters_missing.Add(-1) == 0) Settle(worker, &frame);
    delivery_.Leave(worker, at, worker.ready.size());
  }

  // A live one goes to the parent at once; a dead one leaves a mark.
  //                                                                        Spec: [exit.1] [exit.3]
  void FireExit(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    FrameT& frame = *at.frame;
    Cell<uint8_t>& state = frame.exits[node.detail];
    if (ready.is_dead()) {
      slots_.MarkDead(node, at, ready);
      NoteDeadExit(state);
      return delivery_.Leave(worker, at, worker.ready.size());
    }
    if (node.reads_references) {
      if (Status status = slots_.ReadReferences(node, at); !status.ok())
        return core_.Fail(node, at, status);
    }
    if ((state.Or(ExitState::kWasLive) & ExitState::kWasLive) != 0) {
      return core_.Fail(node, at, SecondLiveExit());
    }
    SendOn(worker, node, at, *frame.parent);
    delivery_.Leave(worker, at, worker.ready.size());
  }

  //                                                              Spec: [next.1] [next.2] [next.3]
  void FireNextIteration(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    if (ready.is_dead()) {
      slots_.MarkDead(node, at, ready);
      return delivery_.Leave(worker, at, worker.ready.size());
    }
    if (node.reads_references) {
      if (Status status = slots_.ReadReferences(node, at); !status.ok())
        return core_.Fail(node, at, status);
    }
    IterationT* next = at.next.load();
    if (next == nullptr) next = NextOf(worker, node, at);
    if (next != nullptr) SendOn(worker, node, at, *next);
    delivery_.Leave(worker, at, worker.ready.size());
  }

  // Ends what has ended: iterations from the oldest on, then the frame, and so on outwards. All
  // that makes an iteration or a frame end, other than its oldest iteration's end, is followed by a
  // call. It may be called at any time: what it asks for stays true once it is.
  //                                                                      Spec: [frame.6] [frame.7]
  [[gnu::noinline]] void Settle(WorkerT& worker, FrameT* frame) {
    while (EndIterations(worker, *frame)) {
      // Nobody else knows the frame now; its parent iteration lives as long as it is counted there.
      IterationT& parent = *frame->parent;
      const size_t due_before = worker.ready.size();
      DeliverDeadExits(worker, *frame);
      delivery_.AddDue(worker, parent, due_before);
      pool_.Release(*frame);
      if (!parent.is_in_loop) return;
      frame = parent.frame;
      if (parent.busy.Add(-1) != 0) return;
    }
  }
  FramePool<Sync>& pool() { return pool_; }
  const FramePool<Sync>& pool() const { return pool_; }

 private:
  // The iteration after this one, begun now if it may; null, and the token kept for it, if not.
  Iteration<Sync>* NextOf(WorkerT& worker, const PlanNode& node, IterationT& at) {
    FrameT& frame = *at.frame;
    std::lock_guard lock(frame.mutex);
    // Another NextIteration may have begun it.
    if (IterationT* const begun = at.next.load(); begun != nullptr) return begun;
    if (MayBegin(frame.live_iterations, frame.plan.parallel_iterations)) {
      return &BeginIteration(worker, frame);
    }
    frame.deferred.push_back({&node, slots_.TakeInput(node, 0, at), false});
    return nullptr;
  }

  // Puts the input of an Exit or NextIteration where its outputs go. One that is all that a Merge
  // waits for is that Merge.
  void SendOn(WorkerT& worker, const PlanNode& node, IterationT& at, IterationT& to) {
    const size_t due_before = worker.ready.size();
    const PlanNode* sends = &node;
    if (node.role == Role::kNextIteration && node.detail != PlanNode::kNoPlace) {
      sends = &to.nodes[node.detail];
    }
    slots_.MoveInput(node, 0, at, to.slots[sends->outputs[0]]);
    delivery_.template Deliver<false>(worker, to, sends->edges, sends->edges_end());
    delivery_.AddDue(worker, to, due_before);
  }

  // The frame that an Enter leads into from this iteration: it is the one that the iteration knows
  // under the Enter's static frame.
  //                                                                      Spec: [frame.1] [enter.3]
  Frame<Sync>& FindOrBeginFrame(WorkerT& worker, const EnterPlan& enter, IterationT& parent) {
    Cell<FrameT*>& child = parent.children[enter.child];
    if (FrameT* const found = child.load(); found != nullptr) return *found;
    std::lock_guard lock(parent.frame->mutex);
    if (FrameT* const found = child.load(); found != nullptr) return *found;
    FrameT& frame = pool_.Take(enter.frame);
    if (parent.is_in_loop) parent.busy.Add(1);
    // Against those who do not know that the frame it was before has ended.
    std::lock_guard frame_lock(frame.mutex);
    frame.Reset(&parent);
    BeginIteration(worker, frame);
    frame.first = frame.oldest;
    child.store(&frame);
    return frame;
  }

  // REQUIRES: the frame's mutex
  Iteration<Sync>& BeginIteration(WorkerT& worker, FrameT& frame) {
    IterationT& begun = frame.Append();
    for (KeptToken& token : frame.deferred) DeliverKept(worker, begun, std::move(token));
    frame.deferred.clear();
    if (!frame.constants.empty()) DeliverConstants(worker, frame, begun);
    return begun;
  }

  // Unless the iteration began with them.
  void DeliverConstants(WorkerT& worker, FrameT& frame, IterationT& begun) {
    if (!frame.begins_with_constants) {
      for (const KeptToken& token : frame.constants) DeliverKept(worker, begun, token);
      return;
    }
    const std::vector<Edge>& due = frame.plan.due_by_constants;
    if (due.empty()) return;
    worker.ready.Reserve(due.size());
    const size_t due_before = worker.ready.size();
    delivery_.template Deliver<false>(worker, begun, due.data(), due.data() + due.size());
    delivery_.AddDue(worker, begun, due_before);
  }

  // Puts a token where its node's outputs go.
  void DeliverKept(WorkerT& worker, IterationT& to, KeptToken token) {
    worker.ready.Reserve(token.node->num_edges);
    const size_t due_before = worker.ready.size();
    if (token.is_dead) {
      delivery_.template Deliver<true>(worker, to, token.node->edges, token.node->edges_end());
    } else {
      to.slots[token.node->outputs[0]] = std::move(token.value);
      delivery_.template Deliver<false>(worker, to, token.node->edges, token.node->edges_end());
    }
    delivery_.AddDue(worker, to, due_before);
  }

  // Whether the frame has ended too.
  bool EndIterations(WorkerT& worker, FrameT& frame) {
    std::lock_guard lock(frame.mutex);
    if (!frame.is_alive) return false;
    while (frame.oldest != nullptr && IterationEnded(frame.oldest->index, frame.oldest->busy.load(),
                                                     frame.enters_missing.load())) {
      frame.DropOldest(starved_.NoteStarved(*frame.oldest));
      if (!frame.deferred.empty() &&
          MayBegin(frame.live_iterations, frame.plan.parallel_iterations)) {
        BeginIteration(worker, frame);
      }
    }
    if (!FrameEnded(frame.live_iterations, frame.enters_missing.load())) return false;
    frame.is_alive = false;
    return true;
  }

  //                                                                                  Spec: [exit.2]
  void DeliverDeadExits(WorkerT& worker, FrameT& frame) {
    for (size_t i = 0; i < frame.exits.size(); ++i) {
      if (!ExitState::OwesDead(frame.exits[i].load())) continue;
      const PlanNode& exit = frame.nodes[frame.plan.exits[i]];
      worker.ready.Reserve(exit.num_edges);
      delivery_.template Deliver<true>(worker, *frame.parent, exit.edges, exit.edges_end());
    }
  }

  StepCore<Sync>& core_;
  const TokenPlan& plan_;
  Slots<Sync>& slots_;
  Delivery<Sync>& delivery_;
  Starved<Sync>& starved_;
  FramePool<Sync> pool_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_FRAMES_H_
