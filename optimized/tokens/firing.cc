// Members of Step: one firing, from the values in its slots to the tokens it hands on. See step.h.

#include <new>

#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {

// An error of the limits names the instance that was about to fire: there is the endless loop.
template <typename Sync>
bool Step<Sync>::MayFire(WorkerT& worker) {
  const ReadyT& next = worker.ready.back();
  if (stop_->is_set()) {
    NoteDropped(next);
    return false;
  }
  if (!is_counting_ || firings_left_.Add(-1) >= 0) return true;
  Fail(next.node(), *next.iteration, StepLimitReached(control_->max_firings));
  return false;
}

template <typename Sync>
void Step<Sync>::NoteDropped(const ReadyT& ready) {
  try {
    const Status status = stop_->status();
    if (!status.ok()) Fail(ready.node(), *ready.iteration, status);
  } catch (const std::bad_alloc&) {
    RunOutOfMemory();
  }
}

template <typename Sync>
void Step<Sync>::RunOutOfMemory() {
  errors_.AddOutOfMemory();
  stop_->Set(StopFlag::Reason::kFailed);
}

template <typename Sync>
void Step<Sync>::Fail(const PlanNode& node, const IterationT& at, const Status& error) {
  try {
    errors_.Add(TagOf(at), plan_.info(node).node->name, error);
  } catch (const std::bad_alloc&) {
    errors_.AddOutOfMemory();
  }
  stop_->Set(StopFlag::Reason::kFailed);
}

// What has nothing to do when it is dead but to say so.
template <typename Sync>
void Step<Sync>::FireDead(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  MarkDead(node, at, ready);
  if (node.role == Role::kSwitch) return DeliverDeadPorts(worker, at, node, node.detail);
  DeliverAll(worker, node, at, true);
}

// A live kernel runs; a dead one does not, and all its outputs are dead.              Spec:
// [fire.3]
template <typename Sync>
void Step<Sync>::FireKernel(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return FireDead(worker, node, at, ready);
  if (node.reads_references) {
    if (const Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  if (const Status status = RunKernel(worker, node, at); !status.ok()) {
    return Fail(node, at, status);
  }
  const size_t due_before = worker.ready.size();
  Deliver<false>(worker, at, node.edges, node.edges_end());
  if (node.has_unused_output) [[unlikely]]
    ReleaseUnusedOutputs(node, at);
  Leave(worker, at, due_before);
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
  PointAtBuffers(worker, node, at);
  const Status status = node.function(node.state, worker.context);
  ReleaseInputs(worker, node, at);
  return status;
}

template <typename Sync>
void Step<Sync>::PointAtBuffers(WorkerT& worker, const PlanNode& node, IterationT& at) {
  const uint32_t* const uses = plan_.uses_of(node);
  worker.args.assign(node.args, node.args + node.num_inputs);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    if (uses[i] < TokenPlan::kKept) worker.args[i].is_last = at.uses[uses[i]].load() == 1;
  }
  worker.context.Enter(at);
  worker.context.Point(worker.args.data(), node.outputs, static_cast<int>(node.num_inputs));
}

// Those that the worker's context was pointed at.
template <typename Sync>
void Step<Sync>::ReleaseInputs(WorkerT& worker, const PlanNode& node, IterationT& at) {
  const uint32_t* const uses = plan_.uses_of(node);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    const Arg arg = worker.args[i];
    if (at.slots[arg.slot].is_inline()) continue;
    ReleaseUse(at, arg.slot, arg.is_last ? TokenPlan::kSingleUse : uses[i]);
  }
}

// Hands its input on. LoopCond takes predicates only ([switch.2]).
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FirePass(WorkerT& worker, const PlanNode& node,
                                                        IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return FireDead(worker, node, at, ready);
  if (node.reads_references) [[unlikely]] {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  if (node.role == Role::kLoopCond && !at.slots[node.args[0].slot].is_inline()) [[unlikely]] {
    return Fail(node, at, CheckPredicate(at.slots[node.args[0].slot]));
  }
  MoveInput(node, 0, at, at.slots[node.outputs[0]]);
  DeliverAll(worker, node, at, false);
}

//                                                                      Spec: [switch.1] [switch.2]
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireSwitch(WorkerT& worker, const PlanNode& node,
                                                          IterationT& at, ReadyT ready) {
  if (ready.is_dead()) [[unlikely]]
    return FireDead(worker, node, at, ready);
  if (node.reads_references) [[unlikely]] {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  }
  const Tensor& predicate = at.slots[node.args[1].slot];
  uint32_t port;
  if (predicate.is_inline() && predicate.dtype() == DType::kBool) [[likely]] {
    port = predicate.inline_value<bool>() ? 1 : 0;
  } else {
    if (Status status = CheckPredicate(predicate); !status.ok()) return Fail(node, at, status);
    port = ChosenOutput(predicate, node.num_outputs);
  }
  MoveInput(node, 0, at, at.slots[node.outputs[port]]);
  if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::WentTo(port));
  const size_t due_before = worker.ready.size();
  DeliverPorts(worker, at, node, node.detail, port);
  Leave(worker, at, due_before);
}

// Its live input, and which it was.                                               Spec: [merge.6]
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireMerge(WorkerT& worker, const PlanNode& node,
                                                         IterationT& at, ReadyT ready) {
  if (!ready.is_dead()) {
    const int32_t live = at.merges[node.detail].first_live.load();
    if (node.reads_references) [[unlikely]] {
      for (const ReferenceInput& reference : plan_.info(node).references) {
        if (static_cast<int32_t>(reference.input) != live) continue;
        if (Status status = ReadReference(reference, node, at); !status.ok()) {
          return Fail(node, at, status);
        }
      }
    }
    MoveInput(node, static_cast<uint32_t>(live), at, at.slots[node.outputs[0]]);
    at.slots[node.outputs[1]].template SetScalar<int32_t>(live);
  }
  DeliverAll(worker, node, at, ready.is_dead());
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
      return FireEnter(worker, node, at, ready);
    case Role::kExit:
      return FireExit(worker, node, at, ready);
    case Role::kNextIteration:
      return FireNextIteration(worker, node, at, ready);
    case Role::kTrigger:  // live whatever it waited for ([control.2])
      return DeliverAll(worker, node, at, false);
    case Role::kSend:
      return FireSend(worker, node, at, ready);
    case Role::kRecv:
      return FireRecv(worker, node, at, ready);
    case Role::kAsync:
      return FireAsync(worker, node, at, ready);
    case Role::kDeadClass:
      return DeliverAll(worker, node, at, true);
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
    return Fail(node, at, status);
  }
  DeliverAll(worker, node, at, false);
}

template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::FireAny(WorkerT& worker, const PlanNode& node,
                                                       IterationT& at, ReadyT ready) {
  if (node.is_target) [[unlikely]]
    target_fired_[plan_.info(node).target].store(true);
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
    if (is_counting_ || stop_->is_set()) [[unlikely]] {
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

template <typename Sync>
Status Step<Sync>::ReadReferences(const PlanNode& node, IterationT& at) {
  for (const ReferenceInput& reference : plan_.info(node).references) {
    TAGFLOW_RETURN_IF_ERROR(ReadReference(reference, node, at));
  }
  return Status();
}

// A snapshot of the variable, where the op takes a value.                 Spec: [ref.2] [ref.3]
template <typename Sync>
Status Step<Sync>::ReadReference(const ReferenceInput& reference, const PlanNode& node,
                                 IterationT& at) {
  if (reference.allows_no_value) return Status();
  const Variable& variable = ReferencedVariable(at.slots[reference.token_slot]);
  Tensor value = variable.value();
  if (!value.has_value()) return UninitializedVariable(variable.name());
  if (reference.is_passed_on) return Status();
  at.slots[node.args[reference.input].slot] = std::move(value);
  ReleaseUse(at, reference.token_slot, reference.use);
  return Status();
}

// The value of an input, for who hands it on: moved where nobody else will read it.
template <typename Sync>
Tensor Step<Sync>::TakeInput(const PlanNode& node, uint32_t input, IterationT& at) {
  const uint32_t at_slot = node.args[input].slot;
  Tensor& slot = at.slots[at_slot];
  if (slot.is_inline()) return slot;
  const uint32_t use = plan_.uses_of(node)[input];
  if (use == TokenPlan::kKept) return slot;
  if (use == TokenPlan::kSingleUse || at.uses[use].load() == 1) return std::move(slot);
  Tensor value = slot;  // before the others are told that this reader is done
  ReleaseUse(at, at_slot, use);
  return value;
}

template <typename Sync>
void Step<Sync>::ReleaseUse(IterationT& at, uint32_t slot, uint32_t use) {
  if (use == TokenPlan::kKept) return;
  if (use == TokenPlan::kSingleUse || at.uses[use].Add(static_cast<uint32_t>(-1)) == 0) {
    at.slots[slot] = Tensor();
  }
}

// A dead instance reads nothing, and so lets go of those of its inputs that are live.
template <typename Sync>
void Step<Sync>::MarkDead(const PlanNode& node, IterationT& at, const ReadyT& ready) {
  if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::kDead);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    const uint32_t slot = node.args[i].slot;
    if (!at.slots[slot].is_inline()) ReleaseUse(at, slot, plan_.uses_of(node)[i]);
  }
  if (!node.reads_references) return;
  for (const ReferenceInput& reference : plan_.info(node).references) {
    if (reference.is_passed_on || at.slots[reference.token_slot].is_inline()) continue;
    ReleaseUse(at, reference.token_slot, reference.use);
  }
}

template <typename Sync>
void Step<Sync>::ReleaseUnusedOutputs(const PlanNode& node, IterationT& at) {
  for (uint32_t unused : plan_.info(node).unused_outputs) {
    Tensor& slot = at.slots[node.outputs[unused]];
    if (!slot.is_inline()) slot = Tensor();
  }
}

template bool Step<Sequential>::FireOne(WorkerT&);
template bool Step<Concurrent>::FireOne(WorkerT&);
template void Step<Sequential>::FireAll(WorkerT&);
template void Step<Concurrent>::FireAll(WorkerT&);
template void Step<Sequential>::Fail(const PlanNode&, const IterationT&, const Status&);
template void Step<Concurrent>::Fail(const PlanNode&, const IterationT&, const Status&);
template void Step<Sequential>::MarkDead(const PlanNode&, IterationT&, const ReadyT&);
template void Step<Concurrent>::MarkDead(const PlanNode&, IterationT&, const ReadyT&);
template void Step<Sequential>::PointAtBuffers(WorkerT&, const PlanNode&, IterationT&);
template void Step<Concurrent>::PointAtBuffers(WorkerT&, const PlanNode&, IterationT&);
template void Step<Sequential>::ReleaseInputs(WorkerT&, const PlanNode&, IterationT&);
template void Step<Concurrent>::ReleaseInputs(WorkerT&, const PlanNode&, IterationT&);
template void Step<Sequential>::ReleaseUnusedOutputs(const PlanNode&, IterationT&);
template void Step<Concurrent>::ReleaseUnusedOutputs(const PlanNode&, IterationT&);
template void Step<Sequential>::RunOutOfMemory();
template void Step<Concurrent>::RunOutOfMemory();
template void Step<Sequential>::NoteDropped(const ReadyT&);
template void Step<Concurrent>::NoteDropped(const ReadyT&);
template void Step<Sequential>::FireDead(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireDead(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Sequential>::ReleaseUse(IterationT&, uint32_t, uint32_t);
template void Step<Concurrent>::ReleaseUse(IterationT&, uint32_t, uint32_t);
template Status Step<Sequential>::ReadReferences(const PlanNode&, IterationT&);
template Status Step<Concurrent>::ReadReferences(const PlanNode&, IterationT&);
template Tensor Step<Sequential>::TakeInput(const PlanNode&, uint32_t, IterationT&);
template Tensor Step<Concurrent>::TakeInput(const PlanNode&, uint32_t, IterationT&);

}  // namespace tagflow::optimized::tokens
