// Members of Step: Send and Recv. Both ends are in the step, so a Recv that waits keeps no thread:
// the Send makes it due.                                                     Spec: [rendezvous.*]

#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
RendezvousKey Step<Sync>::KeyOf(const PlanNode& node, const IterationT& at) const {
  const TransferPlan& transfer = plan_.transfers[node.detail];
  return {transfer.sender, transfer.receiver, transfer.tensor, TagOf(at)};
}

// Also when it is dead: then its token is.                                      Spec:
// [rendezvous.2]
template <typename Sync>
void Step<Sync>::FireSend(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  SentToken token;
  token.is_dead = ready.is_dead();
  if (token.is_dead) {
    MarkDead(node, at, ready);
  } else {
    if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
    token.value = TakeInput(node, 0, at);
  }
  const auto waiter = rendezvous_.Send(KeyOf(node, at), token);
  if (!waiter.ok()) return Fail(node, at, waiter.status());
  if (waiter->has_value()) Receive(worker, **waiter, std::move(token));
  DeliverAll(worker, node, at, ready.is_dead());
}

// Fires twice: to ask for the token, and when it is there. In between it waits, and is busy.
//                                                                               Spec:
//                                                                               [rendezvous.4]
template <typename Sync>
void Step<Sync>::FireRecv(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  if (!ready.Has(ReadyT::kReceived)) {
    auto token = rendezvous_.Recv(KeyOf(node, at), ready);
    if (!token.ok()) return Fail(node, at, token.status());
    if (token->has_value()) Receive(worker, ready, std::move(**token));
    return;
  }
  if (ready.is_dead()) {
    MarkDead(node, at, ready);
    return DeliverAll(worker, node, at, true);
  }
  const bool has_value = !ready.Has(ReadyT::kReceivedDead);
  const uint32_t port = has_value ? 0 : node.num_outputs;
  if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::WentTo(port));
  const size_t due_before = worker.ready.size();
  DeliverPorts(worker, at, node, plan_.transfers[node.detail].first_port, port);
  Leave(worker, at, due_before);
}

// The token of a Recv that asked for it.
template <typename Sync>
void Step<Sync>::Receive(WorkerT& worker, const ReadyT& waiter, SentToken token) {
  ReadyT received = waiter;
  received.bits |= ReadyT::kReceived | (token.is_dead ? ReadyT::kReceivedDead : 0);
  const PlanNode& node = waiter.node();
  if (!token.is_dead) waiter.iteration->slots[node.outputs[0]] = std::move(token.value);
  worker.ready.push_back(received);
}

template void Step<Sequential>::FireSend(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireSend(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Sequential>::FireRecv(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireRecv(WorkerT&, const PlanNode&, IterationT&, ReadyT);

}  // namespace tagflow::optimized::tokens
