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

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimized/stop_flag.h"
#include "optimized/tokens/errors.h"
#include "optimized/tokens/in_flight.h"
#include "optimized/tokens/meetings.h"
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
  const TokenPlan& plan() const { return plan_; }
  int num_workers() const { return static_cast<int>(workers_.size()); }

  // Fires the last of the worker's due instances; false, and nothing fired, when the step is to
  // stop. REQUIRES: the worker has one
  bool FireOne(Worker<Sync>& worker);
  // Fires the worker's due instances, and what becomes due, until none is left; the step is to
  // stop; or, of a Concurrent step, something heavy became due (Worker::has_news).
  void FireAll(Worker<Sync>& worker);
  // An instance that will not fire, or not be done, because the step is stopped: if that is by a
  // limit, it is where.
  void NoteDropped(const Ready<Sync>& ready);
  // Ends the step, since some worker ran out of memory.
  void RunOutOfMemory();
  // Whether an error or a limit ends the step.
  bool is_stopped() const { return stop_->is_set(); }

  // Calls of async kernels (async.cc). Null when the plan has none.
  InFlight<Ready<Sync>>* calls() { return calls_.get(); }
  bool HasCalls() const { return calls_ != nullptr && calls_->HasCalls(); }
  bool HasDoneCalls() const { return calls_ != nullptr && calls_->HasDone(); }
  // Sends the outputs of calls that are done on; what becomes due is pushed on this worker. One
  // takes one of them (`which`: as in InFlight::TakeDone), if there is any.
  void TakeDoneCalls(Worker<Sync>& worker);
  bool TakeDoneCall(Worker<Sync>& worker, size_t which);
  // When nothing else is to be done: lets the time of simulated devices go on, or messages arrive.
  // False when nothing of the kind is left to happen.
  bool Advance();
  bool MayAdvance() const {
    return control_->devices != nullptr || control_->rendezvous != nullptr;
  }
  // Whether what is in flight are Recvs alone. If nothing is due and nothing can happen, they
  // starve.
  bool AwaitsRecvsAlone() const { return calls_ != nullptr && calls_->NumCalls() == asked_.load(); }
  // For who has nothing else to do: waits until something is due for the worker. False when no call
  // is in flight, or the step is stopped.
  bool AwaitCalls(Worker<Sync>& worker);
  // The same, until a call is done, which nobody has taken yet.
  bool AwaitDoneCalls();

  // REQUIRES: no worker has anything due, or the step is stopped
  Result<std::vector<Tensor>> Finish();
  // Whether every frame has ended: none starves, though nothing of it may be owed.
  bool HasEnded() const { return frames_.AllEnded(); }
  // Lets go of all values and makes the step ready to Start again. REQUIRES: Finish gave no error,
  // and HasEnded()
  void Clear();

 private:
  using IterationT = Iteration<Sync>;
  using FrameT = Frame<Sync>;
  using WorkerT = Worker<Sync>;
  using ReadyT = Ready<Sync>;

  // How a fetch stands.
  struct Fetched {
    enum class State : uint8_t { kMissing, kDead, kLive };
    State state = State::kMissing;
    Tensor value;
    std::string uninitialized;  // the variable that had no value
  };

  // One firing (firing.cc).
  bool MayFire(WorkerT& worker);
  [[gnu::cold]] void Fail(const PlanNode& node, const IterationT& at, const Status& error);
  void Fire(WorkerT& worker, const ReadyT& ready);
  void FireAny(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireKernel(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FirePass(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireControl(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  [[gnu::noinline]] void FireDead(WorkerT& worker, const PlanNode& node, IterationT& at,
                                  ReadyT ready);
  void FireSwitch(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireMerge(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  Status RunKernel(WorkerT& worker, const PlanNode& node, IterationT& at);
  [[gnu::noinline]] Status RunOnBuffers(WorkerT& worker, const PlanNode& node, IterationT& at);
  void PointAtBuffers(WorkerT& worker, const PlanNode& node, IterationT& at);
  void ReleaseInputs(WorkerT& worker, const PlanNode& node, IterationT& at);
  Status ReadReferences(const PlanNode& node, IterationT& at);
  Status ReadReference(const ReferenceInput& reference, const PlanNode& node, IterationT& at);
  void DeliverAll(WorkerT& worker, const PlanNode& node, IterationT& at, bool is_dead);
  // Values in slots.
  [[gnu::noinline]] Tensor TakeInput(const PlanNode& node, uint32_t input, IterationT& at);
  void MoveInput(const PlanNode& node, uint32_t input, IterationT& at, Tensor& to);
  void ReleaseUse(IterationT& at, uint32_t slot, uint32_t use);
  [[gnu::noinline]] void MarkDead(const PlanNode& node, IterationT& at, const ReadyT& ready);
  void ReleaseUnusedOutputs(const PlanNode& node, IterationT& at);

  // Async kernels (async.cc).
  void FireAsync(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  Status StartCall(WorkerT& worker, const PlanNode& node, IterationT& at, const ReadyT& ready);
  void Complete(WorkerT& worker, const ReadyT& ready, Result<std::vector<Tensor>> outputs);
  void EndCalls();
  // Send and Recv (transfer.cc).
  void FireSend(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireRecv(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void AskForToken(const PlanNode& node, IterationT& at, const ReadyT& ready);
  void CompleteRecv(WorkerT& worker, const ReadyT& ready, std::vector<Tensor> outputs);
  void Receive(WorkerT& worker, const ReadyT& waiter, SentToken token);
  RendezvousKey KeyOf(const PlanNode& node, const IterationT& at) const;
  std::vector<ReadyT> WaitingRecvs() const;
  MeetingKey MeetingOf(const PlanNode& node, const IterationT& at) const;
  std::string KeyText(const PlanNode& node, const IterationT& at) const;
  Status SecondOfKey(const char* what, const PlanNode& node, const IterationT& at) const;

  // Tokens arrive (delivery.h).
  template <bool kDead>
  void Deliver(WorkerT& worker, IterationT& to, const Edge* edge, const Edge* end);
  void DeliverPorts(WorkerT& worker, IterationT& to, const PlanNode& node, uint32_t first_port,
                    uint32_t live_port);
  [[gnu::noinline]] void Arrive(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead);
  void ArriveAtLoopHead(WorkerT& worker, IterationT& to, const Edge& edge);
  void ArriveAtMerge(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead);
  void ArriveAtFetch(const Edge& edge, IterationT& from, bool is_dead);
  // Live inputs of Merges where two may meet (kept_inputs.cc).
  [[gnu::noinline]] bool ArriveLive(const PlanNode& node, IterationT& to, int32_t input);
  [[gnu::noinline]] void DropKept(const PlanNode& node, IterationT& to);
  void ArriveAtClass(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead);
  void DeliverDeadPorts(WorkerT& worker, IterationT& at, const PlanNode& node, uint32_t first_port);
  void Push(WorkerT& worker, IterationT& to, const Edge& edge, bool is_dead);

  // Frames and iterations (frames.cc).
  void FireEnter(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireExit(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  void FireNextIteration(WorkerT& worker, const PlanNode& node, IterationT& at, ReadyT ready);
  IterationT* NextOf(WorkerT& worker, const PlanNode& node, IterationT& at);
  void SendOn(WorkerT& worker, const PlanNode& node, IterationT& at, IterationT& to);
  FrameT& FindOrBeginFrame(WorkerT& worker, const EnterPlan& enter, IterationT& parent);
  IterationT& BeginIteration(WorkerT& worker, FrameT& frame);
  void DeliverConstants(WorkerT& worker, FrameT& frame, IterationT& begun);
  void DeliverKept(WorkerT& worker, IterationT& to, KeptToken token);
  void AddDue(WorkerT& worker, IterationT& at, size_t due_before);
  void Leave(WorkerT& worker, IterationT& at, size_t due_before);
  [[gnu::noinline]] void Settle(WorkerT& worker, FrameT* frame);
  bool EndIterations(WorkerT& worker, FrameT& frame);
  void DeliverDeadExits(WorkerT& worker, FrameT& frame);

  // The end (finish.cc).
  bool NoteStarved(const IterationT& iteration);
  void ListHalfFed(const IterationT& iteration, std::vector<std::string>& waits) const;
  std::string Missing(const IterationT& iteration, const PlanNode& node) const;
  std::string Waiting() const;
  Status Owed(const std::string& what) const;
  bool IsOwed(const TargetPlan& target) const;
  Status CheckTargets() const;
  Result<Tensor> TakeFetch(size_t i);

  const TokenPlan& plan_;
  StepServices services_;  // what kernels are given
  std::function<bool()> caller_stopped_;
  const StepControl* control_ = nullptr;
  std::optional<StopFlag> stop_;  // of the step that was started
  bool is_counting_ = false;      // firings, of which are left:
  Cell<int64_t> firings_left_;
  std::shared_ptr<InFlight<ReadyT>> calls_;
  Errors errors_;
  FramePool<Sync> frames_;
  FrameT root_;
  std::vector<std::unique_ptr<WorkerT>> workers_;
  std::vector<Fetched> fetched_;          // each written by the one instance it is an output of
  std::vector<Cell<bool>> target_fired_;  // by target
  Meetings<Sync> meetings_;
  std::atomic<int> asked_{0};        // Recvs that have asked the rendezvous and wait
  std::vector<ReadyT> unanswered_;   // of those, when the step has ended
  typename Sync::Mutex kept_mutex_;  // of kept inputs, and MergeState::num_live
  std::mutex starved_mutex_;
  std::vector<std::string> starved_;  // in iterations that have ended; guarded by starved_mutex_
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_STEP_H_
