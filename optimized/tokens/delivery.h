#ifndef TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_
#define TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_

// Members of Step: how a token arrives. In a header, because a firing spends most of its time here
// and every kind of firing ends in it.

#include <cstring>

#include "optimized/errors.h"
#include "optimized/resources.h"
#include "optimized/tokens/step.h"

namespace tagflow::optimized::tokens {

//                                                                                    Spec: [exit.2]
template <typename Cell>
inline void NoteDeadExit(Cell& state) {
  if ((state.load() & ExitState::kWasDead) == 0) state.Or(ExitState::kWasDead);
}

// Counts what has become due in an iteration, since there were `due_before` on the worker. What
// one thread pushes it counts then and there.
template <typename Sync>
inline void Step<Sync>::AddDue(WorkerT& worker, IterationT& at, size_t due_before) {
  if constexpr (Sync::kShared) {
    const size_t due = worker.ready.size() - due_before;
    if (due > 0 && at.is_in_loop) at.busy.Add(static_cast<int32_t>(due));
  }
}

// The same, and an instance of the iteration is done: the last to leave sees whether anything has
// ended. The frame is read before, since another thread may end the iteration right after.
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::Leave(WorkerT& worker, IterationT& at,
                                                     size_t due_before) {
  FrameT* const frame = at.frame;
  int32_t change = -1;
  if constexpr (Sync::kShared) {
    change += static_cast<int32_t>(worker.ready.size() - due_before);
    if (change == 0 || !at.is_in_loop) return;
  }
  if (at.busy.Add(change) == 0) [[unlikely]]
    Settle(worker, frame);
}

// REQUIRES: room in the worker's stack
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::Push(WorkerT& worker, IterationT& to,
                                                    const Edge& edge, bool is_dead) {
  uintptr_t flags = is_dead ? ReadyT::kDead : 0;
  if constexpr (Sync::kShared) {
    if (edge.is_heavy && !is_dead) {
      flags |= ReadyT::kHeavy;
      worker.NoteHeavy();
    }
  }
  worker.ready.Push(ReadyT(to, edge.target, flags));
  if constexpr (!Sync::kShared) to.busy.Add(1);
}

// Puts the tokens of these edges into an iteration: their values are in its slots already. What
// becomes due is pushed on the worker; the caller adds it to the iteration's busy instances.
// REQUIRES: room in the worker's stack                         Spec: [fire.1] [fire.2] [fire.4]
template <typename Sync>
template <bool kDead>
[[gnu::always_inline]] inline void Step<Sync>::Deliver(WorkerT& worker, IterationT& to,
                                                       const Edge* edge, const Edge* end) {
  for (; edge != end; ++edge) {
    if (edge->kind == EdgeKind::kCount) {
      Cell<uint32_t>& word = to.words[edge->target];
      if constexpr (kDead) word.Or(Arrivals::kDead);
      const uint32_t arrived = word.Add(-Arrivals::Step(edge->detail));
      if (Arrivals::Due(arrived)) Push(worker, to, *edge, Arrivals::Dead(arrived));
    } else if (edge->kind <= (kDead ? EdgeKind::kOnly : EdgeKind::kNext)) {
      Push(worker, to, *edge, kDead);
    } else {
      Arrive(worker, to, *edge, kDead);
    }
  }
}

// By a less common edge.
template <typename Sync>
void Step<Sync>::Arrive(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead) {
  switch (edge.kind) {
    case EdgeKind::kOnly:
    case EdgeKind::kCount:
    case EdgeKind::kNext:  // dead, and so nothing ([next.1])
      return;
    case EdgeKind::kExit:
      return NoteDeadExit(to.frame->exits[edge.detail]);
    case EdgeKind::kLoopHead:
      return ArriveAtLoopHead(worker, to, edge);
    case EdgeKind::kMergeData:
    case EdgeKind::kMergeControl:
      return ArriveAtMerge(worker, to, edge, is_dead);
    case EdgeKind::kFetch:
      return ArriveAtFetch(edge, to, is_dead);
    case EdgeKind::kDeadClass:
      return ArriveAtClass(worker, to, edge, is_dead);
  }
}

// The outputs of a node in its own iteration, all live or all dead; and the node has fired.
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::DeliverAll(WorkerT& worker, const PlanNode& node,
                                                          IterationT& at, bool is_dead) {
  const size_t due_before = worker.ready.size();
  if (is_dead) {
    Deliver<true>(worker, at, node.edges, node.edges_end());
  } else {
    Deliver<false>(worker, at, node.edges, node.edges_end());
  }
  Leave(worker, at, due_before);
}

// Of a node whose value went to one port: its edges are live, those of the other ports dead, the
// control edges live ([control.1]). No port is live when it has `num_outputs` for one.
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::DeliverPorts(WorkerT& worker, IterationT& to,
                                                            const PlanNode& node,
                                                            uint32_t first_port,
                                                            uint32_t live_port) {
  const PortEdges* const ports = plan_.port_edges.data() + first_port;
  const uint32_t count = node.num_outputs;
  const uint32_t controls = plan_.ports[first_port + count];
  if (controls != node.num_edges) {
    Deliver<false>(worker, to, node.edges + controls, node.edges_end());
  }
  if (count == 2 && live_port < 2) [[likely]] {
    const uint32_t dead_port = 1 - live_port;
    Deliver<false>(worker, to, ports[live_port].live, ports[live_port].live_end);
    Deliver<true>(worker, to, ports[dead_port].dead, ports[dead_port].dead_end);
    return;
  }
  if (live_port < count) {
    Deliver<false>(worker, to, ports[live_port].live, ports[live_port].live_end);
  }
  // The dead last, so that they are fired first: they are soon over and let iterations end.
  for (uint32_t port = 0; port < count; ++port) {
    if (port == live_port) continue;
    Deliver<true>(worker, to, ports[port].dead, ports[port].dead_end);
  }
}

// Of such a node that is dead; and it has fired.
template <typename Sync>
inline void Step<Sync>::DeliverDeadPorts(WorkerT& worker, IterationT& at, const PlanNode& node,
                                         uint32_t first_port) {
  const size_t due_before = worker.ready.size();
  for (uint32_t port = first_port; port < first_port + node.num_outputs; ++port) {
    const PortEdges& edges = plan_.port_edges[port];
    Deliver<true>(worker, at, edges.dead, edges.dead_end);
  }
  const uint32_t controls = plan_.ports[first_port + node.num_outputs];
  Deliver<true>(worker, at, node.edges + controls, node.edges_end());
  Leave(worker, at, due_before);
}

// One of its entries, live or dead. It is due if any was dead.
template <typename Sync>
inline void Step<Sync>::ArriveAtClass(WorkerT& worker, IterationT& to, const Edge& edge,
                                      bool is_dead) {
  Cell<uint32_t>& word = to.words[to.nodes[edge.target].detail];
  if (is_dead) word.Or(Arrivals::kDead);
  const uint32_t arrived = word.Add(-Arrivals::Step(1));
  if (Arrivals::Due(arrived) && Arrivals::Dead(arrived)) Push(worker, to, edge, true);
}

// In a later iteration, where a Merge has no other input. Its word stays as it began.
//                                                                            Spec: [merge.1]
template <typename Sync>
inline void Step<Sync>::ArriveAtLoopHead(WorkerT& worker, IterationT& to, const Edge& edge) {
  to.merges[to.nodes[edge.target].detail].first_live.store(static_cast<int32_t>(edge.detail));
  Push(worker, to, edge, false);
}

//                                                     Spec: [merge.2] [merge.3] [merge.4] [merge.5]
template <typename Sync>
inline void Step<Sync>::ArriveAtMerge(WorkerT& worker, IterationT& to, const Edge& edge,
                                      bool is_dead) {
  const PlanNode& node = to.nodes[edge.target];
  MergeState<Sync>& merge = to.merges[node.detail];
  uint64_t before, after;
  if (edge.kind == EdgeKind::kMergeControl || is_dead) {
    const uint64_t step = edge.kind == EdgeKind::kMergeControl
                              ? MergeArrivals::ControlStep(edge.detail)
                              : MergeArrivals::kDeadStep;
    after = merge.word.Add(-step);
    before = after + step;
    if (node.keeps_live_input) [[unlikely]]
      DropKept(node, to);
  } else {
    const auto input = static_cast<int32_t>(edge.detail);
    const bool is_first =
        !node.keeps_live_input && merge.first_live.Replace(MergeState<Sync>::kNone, input);
    if (!is_first && !ArriveLive(node, to, input)) [[unlikely]]
      return;
    before = merge.word.Or(MergeArrivals::kLive);
    after = before | MergeArrivals::kLive;
  }
  if (MergeArrivals::Due(after) && !MergeArrivals::Due(before)) {
    Push(worker, to, edge, !MergeArrivals::Live(after));
  }
}

// The value of an input, for who hands it on: moved where nobody else will read it.
template <typename Sync>
[[gnu::always_inline]] inline void Step<Sync>::MoveInput(const PlanNode& node, uint32_t input,
                                                         IterationT& at, Tensor& to) {
  const Tensor& value = at.slots[node.args[input].slot];
  if (value.is_inline() && to.is_inline()) [[likely]] {
    std::memcpy(static_cast<void*>(&to), &value, sizeof(Tensor));  // inline: that is all of it
  } else {
    to = TakeInput(node, input, at);
  }
}

// A fetch is a consumer: it reads a reference when the token arrives ([ref.2]).
template <typename Sync>
inline void Step<Sync>::ArriveAtFetch(const Edge& edge, IterationT& from, bool is_dead) {
  const FetchPlan& plan = plan_.fetches[edge.detail];
  Fetched& fetched = fetched_[edge.detail];
  fetched.state = is_dead ? Fetched::State::kDead : Fetched::State::kLive;
  if (is_dead) return;
  const Tensor& token = from.slots[plan.slot];
  if (!plan.is_reference) {
    fetched.value = token;
    return;
  }
  const Variable& variable = ReferencedVariable(token);
  fetched.value = variable.value();
  if (!fetched.value.has_value()) fetched.uninitialized = variable.name();
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_
