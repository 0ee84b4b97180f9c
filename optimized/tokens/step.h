#ifndef TAGFLOW_OPTIMIZED_TOKENS_STEP_H_
#define TAGFLOW_OPTIMIZED_TOKENS_STEP_H_

// One step of a plan: fires what is due, sends the tokens on, begins and ends iterations and
// frames. Which of the due instances fires next, and on which thread, is a schedule's business
// (schedule.h); the rules are rules.h's.
//
//   Start   puts the feeds in and makes the nodes without inputs due.
//   FireOne takes the last of a worker's due instances, runs it, and delivers its outputs; what
//           becomes due is pushed on the same worker.
//   Finish  when nothing is due any more: the fetched values, or what went wrong.
//
// Thread safety: FireOne for different workers at once, of a Concurrent step; the rest by one
// thread.
//
// A step that ended well can Start again, when Cleared, and reuses its memory.
//
// Its parts, from the inside out; each knows those before it, and Delivery and Frames each other:
//
//   StepCore    the plan, what the caller gave, errors                     core.h
//   Slots       who may have the value in a slot, and when it goes         slots.h
//   KeptInputs  two live inputs of a Merge                                 kept_inputs.h
//   Delivery    a token arrives; what has all its inputs is due            delivery.h
//   Frames      Enter, Exit, NextIteration; frames begin and end           frames.h
//   Transfers   Send and Recv                                              transfers.h
//   Calls       kernels that complete by themselves                        calls.h
//   Ending      what was fetched, or what is owed (Starved says why)       ending.h
//
// What is left to Step are its beginning and the firing of ordinary nodes (step_impl.h).

#include <functional>
#include <memory>
#include <vector>

#include "optimized/tokens/calls.h"
#include "optimized/tokens/core.h"
#include "optimized/tokens/delivery.h"
#include "optimized/tokens/ending.h"
#include "optimized/tokens/frames.h"
#include "optimized/tokens/kept_inputs.h"
#include "optimized/tokens/slots.h"
#include "optimized/tokens/starved.h"
#include "optimized/tokens/transfers.h"
#include "optimized/tokens/worker.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Step {
 public:
  template <typename T>
  using Cell = typename Sync::template Cell<T>;

  // The plan outlives the step.
  Step(const TokenPlan& plan, int num_workers);

  // feeds: one per feed of the plan. `control` stays valid until Finish.
  void Start(std::vector<Tensor> feeds, const StepControl& control);
  Worker<Sync>& worker(int i) { return *workers_[static_cast<size_t>(i)]; }
  const TokenPlan& plan() const { return core_.plan; }
  int num_workers() const { return static_cast<int>(workers_.size()); }

  // Fires the last of the worker's due instances; false, and nothing fired, when the step is to
  // stop. REQUIRES: the worker has one
  bool FireOne(Worker<Sync>& worker);
  // Fires the worker's due instances, and what becomes due, until none is left; the step is to
  // stop; or, of a Concurrent step, something heavy became due (Worker::has_news).
  void FireAll(Worker<Sync>& worker);
  // An instance that will not fire, or not be done, because the step is stopped: if that is by a
  // limit, it is where.
  void NoteDropped(const Ready<Sync>& ready) { core_.NoteDropped(ready); }
  // Ends the step, since some worker ran out of memory.
  void RunOutOfMemory() { core_.RunOutOfMemory(); }
  // Whether an error or a limit ends the step.
  bool is_stopped() const { return core_.is_stopped(); }

  // Calls of async kernels (calls.h). Null when the plan has none.
  InFlight<Ready<Sync>>* calls() { return core_.calls.get(); }
  bool HasCalls() const { return calls_.HasCalls(); }
  bool HasDoneCalls() const { return calls_.HasDoneCalls(); }
  // Sends the outputs of calls that are done on; what becomes due is pushed on this worker. One
  // takes one of them (`which`: as in InFlight::TakeDone), if there is any.
  void TakeDoneCalls(Worker<Sync>& worker);
  bool TakeDoneCall(Worker<Sync>& worker, size_t which);
  // When nothing else is to be done: lets the time of simulated devices go on, or messages arrive.
  // False when nothing of the kind is left to happen.
  bool Advance();
  bool MayAdvance() const {
    return core_.control->services.devices != nullptr || core_.control->rendezvous != nullptr;
  }
  // Whether what is in flight are Recvs alone. If nothing is due and nothing can happen, they
  // starve.
  bool AwaitsRecvsAlone() const { return calls_.AwaitsRecvsAlone(); }
  // For who has nothing else to do: waits until something is due for the worker. False when no call
  // is in flight, or the step is stopped.
  bool AwaitCalls(Worker<Sync>& worker);
  // The same, until a call is done, which nobody has taken yet.
  bool AwaitDoneCalls();

  // REQUIRES: no worker has anything due, or the step is stopped
  Result<std::vector<Tensor>> Finish();
  // How many kernels have fired, of a step with max_firings.
  int64_t firings() const { return core_.control->max_firings - firings_left_.load(); }
  // Whether every frame has ended: none starves, though nothing of it may be owed.
  bool HasEnded() const { return frames_.pool().AllEnded(); }
  // Lets go of all values and makes the step ready to Start again. REQUIRES: Finish gave no error,
  // and HasEnded()
  void Clear();

 private:
  using IterationT = Iteration<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;

  // One firing (step_impl.h).
  bool MayFire(WorkerT& worker);
  void Fire(WorkerT& worker, const ReadyT& ready);
  void FireAny(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireControl(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireKernel(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FirePass(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireSwitch(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireMerge(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  Status RunKernel(WorkerT& worker, const PlanNode& node, IterationT& at);
  [[gnu::noinline]] Status RunOnBuffers(WorkerT& worker, const PlanNode& node, IterationT& at);

  // First, so that it is where the step is: a firing then keeps one address at hand instead of two.
  Delivery<Sync> delivery_;
  StepCore<Sync> core_;
  StepServices services_;  // what kernels are given
  std::function<bool()> caller_stopped_;
  bool is_counting_ = false;  // firings, of which are left:
  Cell<int64_t> firings_left_;
  Frame<Sync> root_;
  std::vector<std::unique_ptr<WorkerT>> workers_;
  std::vector<Cell<bool>> target_fired_;  // by target
  Slots<Sync> slots_;
  KeptInputs<Sync> kept_;
  Starved<Sync> starved_;
  Frames<Sync> frames_;
  Transfers<Sync> transfers_;
  Calls<Sync> calls_;
  Ending<Sync> ending_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_STEP_H_
