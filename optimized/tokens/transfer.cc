// Members of Step: Send and Recv. Both ends are in the step, so a Recv that waits keeps no thread:
// the Send makes it due.                                                     Spec: [rendezvous.*]

#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {
namespace {

Status WrongDType(DType wanted, DType sent) {
  return InvalidArgument("a Recv of " + DTypeName(wanted) + " got " + DTypeName(sent) +
                         "; give what is sent and what is received one tensor_type")
      .WithRule("rendezvous.3");
}

}  // namespace

template <typename Sync>
MeetingKey Step<Sync>::MeetingOf(const PlanNode& node, const IterationT& at) const {
  MeetingKey key;
  key.channel = plan_.transfers[node.detail].channel;
  for (const IterationT* of = &at; of->is_in_loop; of = of->frame->parent) key.Add(of->index);
  return key;
}

template <typename Sync>
RendezvousKey Step<Sync>::KeyOf(const PlanNode& node, const IterationT& at) const {
  const TransferPlan& transfer = plan_.transfers[node.detail];
  return {transfer.sender, transfer.receiver, transfer.tensor, TagOf(at)};
}

template <typename Sync>
std::string Step<Sync>::KeyText(const PlanNode& node, const IterationT& at) const {
  return ToString(KeyOf(node, at));
}

template <typename Sync>
Status Step<Sync>::SecondOfKey(const char* what, const PlanNode& node, const IterationT& at) const {
  return InvalidArgument(what + (" the key " + KeyText(node, at)) +
                         ": give each a tensor_name of its own")
      .WithRule("rendezvous.3");
}

// Also when it is dead: then its token is.                                Spec: [rendezvous.2]
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
  if (Rendezvous* const rendezvous = control_->rendezvous) {
    const Status status =
        rendezvous->Send(KeyOf(node, at), {std::move(token.value), token.is_dead});
    if (!status.ok()) return Fail(node, at, status);
    return DeliverAll(worker, node, at, ready.is_dead());
  }
  std::optional<ReadyT> waiter;
  const bool is_contested = plan_.transfers[node.detail].is_contested;
  if (!meetings_.Send(MeetingOf(node, at), is_contested, token, waiter)) {
    return Fail(node, at, SecondOfKey("two tokens were sent under", node, at));
  }
  if (waiter.has_value()) Receive(worker, *waiter, std::move(token));
  DeliverAll(worker, node, at, ready.is_dead());
}

// Fires twice: to ask for the token, and when it is there. In between it waits, and is busy.
//                                                                         Spec: [rendezvous.4]
template <typename Sync>
void Step<Sync>::FireRecv(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  if (!ready.Has(ReadyT::kReceived) && control_->rendezvous != nullptr) {
    return AskForToken(node, at, ready);
  }
  if (!ready.Has(ReadyT::kReceived)) {
    std::optional<SentToken> token;
    const bool is_contested = plan_.transfers[node.detail].is_contested;
    if (!meetings_.Recv(MeetingOf(node, at), is_contested, ready, token)) {
      return Fail(node, at, SecondOfKey("two Recvs want", node, at));
    }
    if (token.has_value()) Receive(worker, ready, *std::move(token));
    return;
  }
  if (ready.is_dead()) {
    MarkDead(node, at, ready);
    return DeliverDeadPorts(worker, at, node, plan_.transfers[node.detail].first_port);
  }
  const bool has_value = !ready.Has(ReadyT::kReceivedDead);
  const uint32_t port = has_value ? 0 : node.num_outputs;
  if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::WentTo(port));
  const size_t due_before = worker.ready.size();
  DeliverPorts(worker, at, node, plan_.transfers[node.detail].first_port, port);
  Leave(worker, at, due_before);
}

// Of the rendezvous that the caller has given. A dead token comes as no outputs.
template <typename Sync>
void Step<Sync>::AskForToken(const PlanNode& node, IterationT& at, const ReadyT& ready) {
  ReadyT asked = ready;
  asked.bits |= ReadyT::kAsked;
  ++asked_;
  control_->rendezvous->Recv(KeyOf(node, at),
                             [call = calls_->Begin(asked)](Result<Rendezvous::Token> token) {
                               if (!token.ok()) return call->Done(token.status());
                               std::vector<Tensor> outputs;
                               if (!token->is_dead) outputs.push_back(std::move(token->value));
                               call->Done(std::move(outputs));
                             });
}

// Of a Recv that asked, its token has come; of one whose token was brought from another memory, it
// is there.
template <typename Sync>
void Step<Sync>::CompleteRecv(WorkerT& worker, const ReadyT& ready, std::vector<Tensor> outputs) {
  if (ready.Has(ReadyT::kAsked)) {
    ReadyT waiter = ready;
    waiter.bits &= ~ReadyT::kAsked;
    SentToken token;
    token.is_dead = outputs.empty();
    if (!token.is_dead) token.value = std::move(outputs[0]);
    return Receive(worker, waiter, std::move(token));
  }
  ready.iteration->slots[ready.node().outputs[0]] = std::move(outputs[0]);
  worker.ready.push_back(ready);
}

template <typename Sync>
std::vector<Ready<Sync>> Step<Sync>::WaitingRecvs() const {
  std::vector<ReadyT> waiting = meetings_.Waiters();
  waiting.insert(waiting.end(), unanswered_.begin(), unanswered_.end());
  return waiting;
}

// The token of a Recv that asked for it.
template <typename Sync>
void Step<Sync>::Receive(WorkerT& worker, const ReadyT& waiter, SentToken token) {
  ReadyT received = waiter;
  received.bits |= ReadyT::kReceived | (token.is_dead ? ReadyT::kReceivedDead : 0);
  const PlanNode& node = waiter.node();
  const TransferPlan& transfer = plan_.transfers[node.detail];
  const DType wanted = plan_.info(node).signature.outputs[0].dtype;
  if (!token.is_dead && token.value.dtype() != wanted) {
    return Fail(node, *waiter.iteration, WrongDType(wanted, token.value.dtype()));
  }
  if (transfer.crosses_memory && !token.is_dead) {
    return control_->devices->Transfer(transfer.from, transfer.to, std::move(token.value),
                                       calls_->Begin(received));
  }
  if (!token.is_dead) waiter.iteration->slots[node.outputs[0]] = std::move(token.value);
  worker.ready.push_back(received);
}

template std::vector<Ready<Sequential>> Step<Sequential>::WaitingRecvs() const;
template std::vector<Ready<Concurrent>> Step<Concurrent>::WaitingRecvs() const;
template void Step<Sequential>::CompleteRecv(WorkerT&, const ReadyT&, std::vector<Tensor>);
template void Step<Concurrent>::CompleteRecv(WorkerT&, const ReadyT&, std::vector<Tensor>);
template std::string Step<Sequential>::KeyText(const PlanNode&, const IterationT&) const;
template std::string Step<Concurrent>::KeyText(const PlanNode&, const IterationT&) const;
template void Step<Sequential>::FireSend(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireSend(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Sequential>::FireRecv(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireRecv(WorkerT&, const PlanNode&, IterationT&, ReadyT);

}  // namespace tagflow::optimized::tokens
