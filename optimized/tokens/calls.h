#ifndef TAGFLOW_OPTIMIZED_TOKENS_CALLS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_CALLS_H_

// Kernels that complete by themselves. An instance of one is busy from its firing until a worker
// takes what it was done with, so that its iteration lives.   Tested by async_test.cc.

#include <utility>
#include <vector>

#include "optimized/devices/step_devices.h"
#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/core.h"
#include "optimized/tokens/delivery.h"
#include "optimized/tokens/slots.h"
#include "optimized/tokens/transfers.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Calls {
 public:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;

  Calls(StepCore<Sync>& core, Slots<Sync>& slots, Delivery<Sync>& delivery,
        Transfers<Sync>& transfers)
      : core_(core), plan_(core.plan), slots_(slots), delivery_(delivery), transfers_(transfers) {}

  void FireAsync(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
    if (ready.is_dead()) return delivery_.FireDead(worker, node, at, ready);
    if (Status status = slots_.ReadReferences(node, at); !status.ok())
      return core_.Fail(node, at, status);
    if (Status status = StartCall(worker, node, at, ready); !status.ok())
      core_.Fail(node, at, status);
  }
  bool HasCalls() const { return core_.calls != nullptr && core_.calls->HasCalls(); }
  bool HasDoneCalls() const { return core_.calls != nullptr && core_.calls->HasDone(); }
  bool AwaitsRecvsAlone() const {
    return core_.calls != nullptr && core_.calls->NumCalls() == transfers_.num_asked();
  }

  // As in Step.
  void TakeDoneCalls(WorkerT& worker) {
    while (TakeDoneCall(worker, 0)) {
    }
  }

  bool TakeDoneCall(WorkerT& worker, size_t which) {
    auto done = core_.calls->TakeDone(which);
    if (!done) return false;
    Complete(worker, done->instance, std::move(done->outputs));
    return true;
  }

  bool Advance() {
    if (core_.control->services.devices != nullptr && core_.control->services.devices->Advance())
      return true;
    return core_.control->rendezvous != nullptr && transfers_.num_asked() > 0 &&
           core_.control->rendezvous->Await();
  }

  bool AwaitCalls(WorkerT& worker) {
    while (AwaitDoneCalls()) {
      TakeDoneCalls(worker);
      if (!worker.ready.empty()) return true;
    }
    return false;
  }

  bool AwaitDoneCalls() {
    while (HasCalls() && !core_.is_stopped()) {
      if (HasDoneCalls()) return true;
      if (Advance() || HasDoneCalls()) continue;
      if (AwaitsRecvsAlone()) return false;
      core_.calls->Await([&] { return core_.is_stopped(); });
    }
    return false;
  }

  // A step that ends while calls are in flight was stopped. Their instances have fired, and yet the
  // one reported is among them if nothing else was about to.
  void EndCalls() {
    if (core_.calls == nullptr) return;
    for (const ReadyT& left : core_.calls->End()) {
      core_.NoteDropped(left);
      if (left.Has(ReadyT::kAsked)) transfers_.NoteUnanswered(left);
    }
    core_.calls = nullptr;
  }

 private:
  Status StartCall(WorkerT& worker, const PlanNode& node, IterationT& at, const ReadyT& ready) {
    if (const DeviceKernel* const there = plan_.info(node).on_device.get()) {
      slots_.PointAtBuffers(worker, node, at);
      core_.control->services.devices->Launch(*there, worker.context, core_.calls->Begin(ready));
      slots_.ReleaseInputs(worker, node, at);
      return Status();
    }
    const AsyncFunction* const start = FindAsyncFunction(plan_.info(node).kernel);
    if (start == nullptr) {  // it could not be bound, and says why
      slots_.PointAtBuffers(worker, node, at);
      return node.function(node.state, worker.context);
    }
    const std::shared_ptr<AsyncCall> call = core_.calls->Begin(ready);
    slots_.PointAtBuffers(worker, node, at);
    (*start)(worker.context, call);
    slots_.ReleaseInputs(worker, node, at);
    return Status();
  }

  void Complete(WorkerT& worker, const ReadyT& ready, Result<std::vector<Tensor>> outputs) {
    const PlanNode& node = ready.node();
    IterationT& at = *ready.iteration;
    if (ready.Has(ReadyT::kAsked)) transfers_.NoteAnswered();
    if (!outputs.ok()) return core_.Fail(node, at, outputs.status());
    if (node.role == Role::kRecv)
      return transfers_.CompleteRecv(worker, ready, *std::move(outputs));
    if (Status status = CheckAsyncOutputs(*outputs, node.num_outputs); !status.ok()) {
      return core_.Fail(node, at, status);
    }
    for (uint32_t i = 0; i < node.num_outputs; ++i) {
      at.slots[node.outputs[i]] = std::move((*outputs)[i]);
    }
    worker.ready.Reserve(node.num_edges);
    const size_t due_before = worker.ready.size();
    delivery_.template Deliver<false>(worker, at, node.edges, node.edges_end());
    delivery_.Leave(worker, at, due_before);
  }

  StepCore<Sync>& core_;
  const TokenPlan& plan_;
  Slots<Sync>& slots_;
  Delivery<Sync>& delivery_;
  Transfers<Sync>& transfers_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_CALLS_H_
