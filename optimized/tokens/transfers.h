#ifndef TAGFLOW_OPTIMIZED_TOKENS_TRANSFERS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_TRANSFERS_H_

// Send and Recv. Both ends are in the step, or the other is at the caller's rendezvous; a Recv that
// waits keeps no thread: the Send makes it due.                             Spec: [rendezvous.*]

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/step_devices.h"
#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/core.h"
#include "optimized/tokens/delivery.h"
#include "optimized/tokens/meetings.h"
#include "optimized/tokens/slots.h"

namespace tagflow::optimized::tokens {

Status WrongDType(DType wanted, DType sent);

template <typename Sync>
class Transfers {
 public:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;

  Transfers(StepCore<Sync>& core, Slots<Sync>& slots, Delivery<Sync>& delivery)
      : core_(core), plan_(core.plan), slots_(slots), delivery_(delivery) {}

  // Also when it is dead: then its token is.                              Spec: [rendezvous.2]
  void FireSend(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    SentToken token;
    token.is_dead = ready.is_dead();
    if (token.is_dead) {
      slots_.MarkDead(node, at, ready);
    } else {
      if (Status status = slots_.ReadReferences(node, at); !status.ok())
        return core_.Fail(node, at, status);
      token.value = slots_.TakeInput(node, 0, at);
    }
    if (Rendezvous* const rendezvous = core_.control->rendezvous) {
      const Status status =
          rendezvous->Send(KeyOf(node, at), {std::move(token.value), token.is_dead});
      if (!status.ok()) return core_.Fail(node, at, status);
      return delivery_.DeliverAll(worker, node, at, ready.is_dead());
    }
    std::optional<ReadyT> waiter;
    const bool is_contested = plan_.transfers[node.detail].is_contested;
    if (!meetings_.Send(MeetingOf(node, at), is_contested, token, waiter)) {
      return core_.Fail(node, at, SecondOfKey("two tokens were sent under", node, at));
    }
    if (waiter.has_value()) Receive(worker, *waiter, std::move(token));
    delivery_.DeliverAll(worker, node, at, ready.is_dead());
  }

  // Fires twice: to ask for the token, and when it is there. In between it waits, and is busy.
  //                                                                       Spec: [rendezvous.4]
  void FireRecv(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    if (!ready.Has(ReadyT::kReceived) && core_.control->rendezvous != nullptr) {
      return AskForToken(node, at, ready);
    }
    if (!ready.Has(ReadyT::kReceived)) {
      std::optional<SentToken> token;
      const bool is_contested = plan_.transfers[node.detail].is_contested;
      if (!meetings_.Recv(MeetingOf(node, at), is_contested, ready, token)) {
        return core_.Fail(node, at, SecondOfKey("two Recvs want", node, at));
      }
      if (token.has_value()) Receive(worker, ready, *std::move(token));
      return;
    }
    if (ready.is_dead()) {
      slots_.MarkDead(node, at, ready);
      return delivery_.DeliverDeadPorts(worker, at, node, plan_.transfers[node.detail].first_port);
    }
    const bool has_value = !ready.Has(ReadyT::kReceivedDead);
    const uint32_t port = has_value ? 0 : node.num_outputs;
    if (!at.is_in_loop) at.words[ready.place()].store(Arrivals::WentTo(port));
    const size_t due_before = worker.ready.size();
    delivery_.DeliverPorts(worker, at, node, plan_.transfers[node.detail].first_port, port);
    delivery_.Leave(worker, at, due_before);
  }

  // Of a Recv that asked, its token has come; of one whose token was brought from another memory,
  // it is there.
  void CompleteRecv(WorkerT& worker, const ReadyT& ready, std::vector<Tensor> outputs) {
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

  // Recvs that have asked the rendezvous and wait: how many, that one has its answer, and that one
  // has none when the step has ended.
  int num_asked() const { return asked_.load(); }
  void NoteAnswered() { --asked_; }
  void NoteUnanswered(const ReadyT& recv) { unanswered_.push_back(recv); }
  // REQUIRES: no worker runs
  std::vector<Ready<Sync>> WaitingRecvs() const {
    std::vector<ReadyT> waiting = meetings_.Waiters();
    waiting.insert(waiting.end(), unanswered_.begin(), unanswered_.end());
    return waiting;
  }

  std::string KeyText(const PlanNode& node, const IterationT& at) const {
    return ToString(KeyOf(node, at));
  }
  void Clear() {
    meetings_.Clear();
    asked_ = 0;
    unanswered_.clear();
  }

 private:
  // Of the rendezvous that the caller has given. A dead token comes as no outputs.
  void AskForToken(const PlanNode& node, IterationT& at, const ReadyT& ready) {
    ReadyT asked = ready;
    asked.bits |= ReadyT::kAsked;
    ++asked_;
    core_.control->rendezvous->Recv(
        KeyOf(node, at), [call = core_.calls->Begin(asked)](Result<Rendezvous::Token> token) {
          if (!token.ok()) return call->Done(token.status());
          std::vector<Tensor> outputs;
          if (!token->is_dead) outputs.push_back(std::move(token->value));
          call->Done(std::move(outputs));
        });
  }

  // The token of a Recv that asked for it.
  void Receive(WorkerT& worker, const ReadyT& waiter, SentToken token) {
    ReadyT received = waiter;
    received.bits |= ReadyT::kReceived | (token.is_dead ? ReadyT::kReceivedDead : 0);
    const PlanNode& node = waiter.node();
    const TransferPlan& transfer = plan_.transfers[node.detail];
    const DType wanted = plan_.info(node).signature.outputs[0].dtype;
    if (!token.is_dead && token.value.dtype() != wanted) {
      return core_.Fail(node, *waiter.iteration, WrongDType(wanted, token.value.dtype()));
    }
    if (transfer.crosses_memory && !token.is_dead) {
      return core_.control->services.devices->Transfer(
          transfer.from, transfer.to, std::move(token.value), core_.calls->Begin(received));
    }
    if (!token.is_dead) waiter.iteration->slots[node.outputs[0]] = std::move(token.value);
    worker.ready.push_back(received);
  }

  RendezvousKey KeyOf(const PlanNode& node, const IterationT& at) const {
    const TransferPlan& transfer = plan_.transfers[node.detail];
    return {transfer.sender, transfer.receiver, transfer.tensor, TagOf(at)};
  }

  MeetingKey MeetingOf(const PlanNode& node, const IterationT& at) const {
    MeetingKey key;
    key.channel = plan_.transfers[node.detail].channel;
    for (const IterationT* of = &at; of->is_in_loop; of = of->frame->parent) key.Add(of->index);
    return key;
  }

  Status SecondOfKey(const char* what, const PlanNode& node, const IterationT& at) const {
    return InvalidArgument(what + (" the key " + KeyText(node, at)) +
                           ": give each a tensor_name of its own")
        .WithRule("rendezvous.3");
  }

  StepCore<Sync>& core_;
  const TokenPlan& plan_;
  Slots<Sync>& slots_;
  Delivery<Sync>& delivery_;
  Meetings<Sync> meetings_;
  std::atomic<int> asked_{0};
  std::vector<ReadyT> unanswered_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_TRANSFERS_H_
