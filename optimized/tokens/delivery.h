#ifndef TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_
#define TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_

// How a token arrives. A firing spends most of its time here, and every kind of firing ends in it.
//
// What becomes due is pushed on the worker; then AddDue or Leave counts it in the iteration.

#include <string>
#include <vector>

#include "optimized/resources.h"
#include "optimized/tokens/kept_inputs.h"
#include "optimized/tokens/slots.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Frames;

// How a fetch stands.
struct Fetched {
  enum class State : uint8_t { kMissing, kDead, kLive };
  State state = State::kMissing;
  Tensor value;
  std::string uninitialized;  // the variable that had no value
};

template <typename Sync>
class Delivery {
 public:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  Delivery(const TokenPlan& plan, Slots<Sync>& slots, KeptInputs<Sync>& kept, Frames<Sync>& frames)
      : plan_(plan), slots_(slots), kept_(kept), frames_(frames), fetched_(plan.fetches.size()) {}

  // Puts the tokens of these edges into an iteration: their values are in its slots already. What
  // becomes due is pushed on the worker; the caller adds it to the iteration's busy instances.
  // REQUIRES: room in the worker's stack                       Spec: [fire.1] [fire.2] [fire.4]
  template <bool kDead>
  [[gnu::always_inline]] void Deliver(WorkerT& worker, IterationT& to, const Edge* edge,
                                      const Edge* end) {
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

  // The outputs of a node in its own iteration, all live or all dead; and the node has fired.
  [[gnu::always_inline]] void DeliverAll(WorkerT& worker, const PlanNode& node, IterationT& at,
                                         bool is_dead) {
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
  [[gnu::always_inline]] void DeliverPorts(WorkerT& worker, IterationT& to, const PlanNode& node,
                                           uint32_t first_port, uint32_t live_port) {
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
  void DeliverDeadPorts(WorkerT& worker, IterationT& at, const PlanNode& node,
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

  // What has nothing to do when it is dead but to say so.
  [[gnu::noinline]] void FireDead(WorkerT& worker, const PlanNode& node, IterationT& at,
                                  ReadyT ready) {
    slots_.MarkDead(node, at, ready);
    if (node.role == Role::kSwitch) return DeliverDeadPorts(worker, at, node, node.detail);
    DeliverAll(worker, node, at, true);
  }

  // REQUIRES: room in the worker's stack
  [[gnu::always_inline]] void Push(WorkerT& worker, IterationT& to, const Edge& edge,
                                   bool is_dead) {
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

  // Counts what has become due in an iteration, since there were `due_before` on the worker. What
  // one thread pushes it counts then and there.
  void AddDue(WorkerT& worker, IterationT& at, size_t due_before) {
    if constexpr (Sync::kShared) {
      const size_t due = worker.ready.size() - due_before;
      if (due > 0 && at.is_in_loop) at.busy.Add(static_cast<int32_t>(due));
    }
  }

  // The same, and an instance of the iteration is done: the last to leave sees whether anything has
  // ended. The frame is read before, since another thread may end the iteration right after.
  [[gnu::always_inline]] void Leave(WorkerT& worker, IterationT& at, size_t due_before) {
    Frame<Sync>* const frame = at.frame;
    int32_t change = -1;
    if constexpr (Sync::kShared) {
      change += static_cast<int32_t>(worker.ready.size() - due_before);
      if (change == 0 || !at.is_in_loop) return;
    }
    if (at.busy.Add(change) == 0) [[unlikely]]
      frames_.Settle(worker, frame);
  }

  std::vector<Fetched>& fetched() { return fetched_; }

 private:
  // By a less common edge.
  [[gnu::noinline]] void Arrive(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead) {
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

  // In a later iteration, where a Merge has no other input. Its word stays as it began.
  //                                                                          Spec: [merge.1]
  void ArriveAtLoopHead(WorkerT& worker, IterationT& to, const Edge& edge) {
    to.merges[to.nodes[edge.target].detail].first_live.store(static_cast<int32_t>(edge.detail));
    Push(worker, to, edge, false);
  }

  //                                                   Spec: [merge.2] [merge.3] [merge.4] [merge.5]
  void ArriveAtMerge(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead) {
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
        kept_.DropKept(node, to);
    } else {
      const auto input = static_cast<int32_t>(edge.detail);
      const bool is_first =
          !node.keeps_live_input && merge.first_live.Replace(MergeState<Sync>::kNone, input);
      if (!is_first && !kept_.ArriveLive(node, to, input)) [[unlikely]]
        return;
      before = merge.word.Or(MergeArrivals::kLive);
      after = before | MergeArrivals::kLive;
    }
    if (MergeArrivals::Due(after) && !MergeArrivals::Due(before)) {
      Push(worker, to, edge, !MergeArrivals::Live(after));
    }
  }

  // A fetch is a consumer: it reads a reference when the token arrives ([ref.2]).
  void ArriveAtFetch(const Edge& edge, IterationT& from, bool is_dead) {
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

  // One of its entries, live or dead. It is due if any was dead.
  void ArriveAtClass(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead) {
    Cell<uint32_t>& word = to.words[to.nodes[edge.target].detail];
    if (is_dead) word.Or(Arrivals::kDead);
    const uint32_t arrived = word.Add(-Arrivals::Step(1));
    if (Arrivals::Due(arrived) && Arrivals::Dead(arrived)) Push(worker, to, edge, true);
  }

  const TokenPlan& plan_;
  Slots<Sync>& slots_;
  KeptInputs<Sync>& kept_;
  Frames<Sync>& frames_;
  std::vector<Fetched> fetched_;  // each written by the one instance it is an output of
};

//                                                                                  Spec: [exit.2]
template <typename Cell>
inline void NoteDeadExit(Cell& state) {
  if ((state.load() & ExitState::kWasDead) == 0) state.Or(ExitState::kWasDead);
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_
