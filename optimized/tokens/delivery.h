#ifndef TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_
#define TAGFLOW_OPTIMIZED_TOKENS_DELIVERY_H_

// Members of Step: how a token arrives. In a header, because a firing spends most of its time here
// and every kind of firing ends in it.

#include "optimized/resources.h"
#include "optimized/tokens/step.h"

namespace tagflow::optimized::tokens {

// REQUIRES: room in the worker's stack
template <typename Sync>
inline void Step<Sync>::Push(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead) {
  uint32_t flags = is_dead ? ReadyT::kDead : 0;
  if constexpr (Sync::kShared) {
    if (edge.is_heavy && !is_dead) {
      flags |= ReadyT::kHeavy;
      worker.NoteHeavy();
    }
  }
  worker.ready.Push({&to, edge.target, flags});
}

// Puts the tokens of these edges into an iteration: their values are in its slots already. What
// becomes due is pushed on the worker; the caller adds it to the iteration's busy instances.
//                                                              Spec: [fire.1] [fire.2] [fire.4]
template <typename Sync>
inline void Step<Sync>::Deliver(WorkerT& worker, IterationT& to, const Edge* edge, const Edge* end,
                                bool is_dead) {
  worker.ready.Reserve(static_cast<size_t>(end - edge));
  for (; edge != end; ++edge) {
    switch (edge->kind) {
      case EdgeKind::kOnly:
        Push(worker, to, *edge, is_dead);
        break;
      case EdgeKind::kCount: {
        Cell<uint32_t>& word = to.words[edge->target];
        if (is_dead) word.Or(Arrivals::kDead);
        const uint32_t arrived = word.Add(-Arrivals::Step(edge->detail));
        if (Arrivals::Due(arrived)) Push(worker, to, *edge, Arrivals::Dead(arrived));
        break;
      }
      case EdgeKind::kMergeData:
      case EdgeKind::kMergeControl:
        ArriveAtMerge(worker, to, *edge, is_dead);
        break;
      case EdgeKind::kFetch:
        ArriveAtFetch(*edge, to, is_dead);
        break;
    }
  }
}

// The outputs of a node in its own iteration, all live or all dead; and the node has fired.
template <typename Sync>
inline void Step<Sync>::DeliverAll(WorkerT& worker, const PlanNode& node, IterationT& at,
                                   bool is_dead) {
  const size_t due_before = worker.ready.size();
  Deliver(worker, at, node.edges, node.edges_end(), is_dead);
  AddBusy(worker, at, worker.DueSince(due_before) - 1);
}

// Of a node whose value went to one port: its edges are live, those of the other ports dead, the
// control edges live ([control.1]). No port is live when it has `num_outputs` for one.
template <typename Sync>
inline void Step<Sync>::DeliverPorts(WorkerT& worker, IterationT& to, const PlanNode& node,
                                     uint32_t first_port, uint32_t live_port) {
  const uint32_t* const ports = plan_.ports.data() + first_port;
  const uint32_t count = node.num_outputs;
  Deliver(worker, to, node.edges + ports[count], node.edges_end(), false);
  if (live_port < count) {
    Deliver(worker, to, node.edges + ports[live_port], node.edges + ports[live_port + 1], false);
  }
  // The dead last, so that they are fired first: they are soon over and let iterations end.
  for (uint32_t port = 0; port < count; ++port) {
    if (port == live_port) continue;
    Deliver(worker, to, node.edges + ports[port], node.edges + ports[port + 1], true);
  }
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
  } else {
    const auto input = static_cast<int32_t>(edge.detail);
    if (!merge.first_live.Replace(MergeState<Sync>::kNone, input)) {
      Fail(node, to, SecondLiveInput(merge.first_live.load(), input));
      return;
    }
    before = merge.word.Or(MergeArrivals::kLive);
    after = before | MergeArrivals::kLive;
  }
  if (MergeArrivals::Due(after) && !MergeArrivals::Due(before)) {
    Push(worker, to, edge, !MergeArrivals::Live(after));
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
