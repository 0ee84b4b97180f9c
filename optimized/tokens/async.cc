// Members of Step: kernels that complete by themselves. An instance of one is busy from its firing
// until a worker takes what it was done with, so that its iteration lives.

#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/delivery.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
void Step<Sync>::FireAsync(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready) {
  if (ready.is_dead()) return FireDead(worker, node, at, ready);
  if (Status status = ReadReferences(node, at); !status.ok()) return Fail(node, at, status);
  if (Status status = StartCall(worker, node, at, ready); !status.ok()) Fail(node, at, status);
}

template <typename Sync>
Status Step<Sync>::StartCall(WorkerT& worker, const PlanNode& node, IterationT& at,
                             const ReadyT& ready) {
  if (const DeviceKernel* const there = plan_.info(node).on_device.get()) {
    PointAtBuffers(worker, node, at);
    control_->devices->Launch(*there, worker.context, calls_->Begin(ready));
    ReleaseInputs(worker, node, at);
    return Status();
  }
  const AsyncFunction* const start = FindAsyncFunction(plan_.info(node).kernel);
  if (start == nullptr) {  // it could not be bound, and says why
    PointAtBuffers(worker, node, at);
    return node.function(node.state, worker.context);
  }
  const std::shared_ptr<AsyncCall> call = calls_->Begin(ready);
  PointAtBuffers(worker, node, at);
  (*start)(worker.context, call);
  ReleaseInputs(worker, node, at);
  return Status();
}

template <typename Sync>
void Step<Sync>::TakeDoneCalls(WorkerT& worker) {
  while (TakeDoneCall(worker, 0)) {
  }
}

template <typename Sync>
bool Step<Sync>::TakeDoneCall(WorkerT& worker, size_t which) {
  auto done = calls_->TakeDone(which);
  if (!done) return false;
  Complete(worker, done->instance, std::move(done->outputs));
  return true;
}

template <typename Sync>
void Step<Sync>::Complete(WorkerT& worker, const ReadyT& ready,
                          Result<std::vector<Tensor>> outputs) {
  const PlanNode& node = ready.node();
  IterationT& at = *ready.iteration;
  if (ready.Has(ReadyT::kAsked)) --asked_;
  if (!outputs.ok()) return Fail(node, at, outputs.status());
  if (node.role == Role::kRecv) return CompleteRecv(worker, ready, *std::move(outputs));
  if (Status status = CheckAsyncOutputs(*outputs, node.num_outputs); !status.ok()) {
    return Fail(node, at, status);
  }
  for (uint32_t i = 0; i < node.num_outputs; ++i) {
    at.slots[node.outputs[i]] = std::move((*outputs)[i]);
  }
  worker.ready.Reserve(node.num_edges);
  const size_t due_before = worker.ready.size();
  Deliver<false>(worker, at, node.edges, node.edges_end());
  Leave(worker, at, due_before);
}

template <typename Sync>
bool Step<Sync>::Advance() {
  if (control_->devices != nullptr && control_->devices->Advance()) return true;
  return control_->rendezvous != nullptr && asked_.load() > 0 && control_->rendezvous->Await();
}

template <typename Sync>
bool Step<Sync>::AwaitCalls(WorkerT& worker) {
  while (AwaitDoneCalls()) {
    TakeDoneCalls(worker);
    if (!worker.ready.empty()) return true;
  }
  return false;
}

template <typename Sync>
bool Step<Sync>::AwaitDoneCalls() {
  while (HasCalls() && !is_stopped()) {
    if (HasDoneCalls()) return true;
    if (Advance() || HasDoneCalls()) continue;
    if (AwaitsRecvsAlone()) return false;
    calls_->Await([&] { return is_stopped(); });
  }
  return false;
}

// A step that ends while calls are in flight was stopped. Their instances have fired, and yet the
// one reported is among them if nothing else was about to.
template <typename Sync>
void Step<Sync>::EndCalls() {
  if (calls_ == nullptr) return;
  for (const ReadyT& left : calls_->End()) {
    NoteDropped(left);
    if (left.Has(ReadyT::kAsked)) unanswered_.push_back(left);
  }
  calls_ = nullptr;
}

template void Step<Sequential>::FireAsync(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Concurrent>::FireAsync(WorkerT&, const PlanNode&, IterationT&, ReadyT);
template void Step<Sequential>::TakeDoneCalls(WorkerT&);
template void Step<Concurrent>::TakeDoneCalls(WorkerT&);
template bool Step<Sequential>::TakeDoneCall(WorkerT&, size_t);
template bool Step<Concurrent>::TakeDoneCall(WorkerT&, size_t);
template bool Step<Sequential>::Advance();
template bool Step<Concurrent>::Advance();
template bool Step<Sequential>::AwaitCalls(WorkerT&);
template bool Step<Concurrent>::AwaitCalls(WorkerT&);
template bool Step<Sequential>::AwaitDoneCalls();
template bool Step<Concurrent>::AwaitDoneCalls();
template void Step<Sequential>::EndCalls();
template void Step<Concurrent>::EndCalls();

}  // namespace tagflow::optimized::tokens
