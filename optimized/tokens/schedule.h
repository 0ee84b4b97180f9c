#ifndef TAGFLOW_OPTIMIZED_TOKENS_SCHEDULE_H_
#define TAGFLOW_OPTIMIZED_TOKENS_SCHEDULE_H_

// Who fires which due instance, and when: the seam through which all the nondeterminism of a step
// goes. A step that one thread runs needs none of this (Step<Sequential>::FireAll: the latest
// first).
//
//   PooledSchedule     the threads of a pool. Cheap instances are fired where they became due, the
//                      latest first, and no other thread ever sees them. Heavy ones, if there is
//                      other work to go on with, are put on a list that others take from, the
//                      oldest first.
//   SimulatedSchedule  one thread that plays several workers. Who is next and what it fires comes
//                      from a seed, so that a schedule can be run again. The seed modulo 3 says how
//                      it is drawn:
//                        0  evenly
//                        1  by priorities of nodes, so that some run ahead as far as they may while
//                           others starve; now and then the node that fires becomes the last
//                           (Burckhardt et al., "A Randomized Scheduler with Probabilistic
//                           Guarantees of Finding Bugs", 2010)
//                        2  with delays: some of what becomes due is put aside for many firings, or
//                           until nothing else is due
//                      What async kernels and devices are done with is taken one by one, and any
//                      number of firings later.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

#include "optimized/tokens/step.h"
#include "optimized/tokens/worker_pool.h"

namespace tagflow::optimized::tokens {

class Schedule {
 public:
  virtual ~Schedule() = default;
  // Fires what is due in a step that was started, until nothing is or the step stops.
  virtual void Run(Step<Concurrent>& step) = 0;
};

class SimulatedSchedule : public Schedule {
 public:
  explicit SimulatedSchedule(uint64_t seed)
      : manner_(static_cast<Manner>(seed % 3)), random_(seed) {}
  void Run(Step<Concurrent>& step) override;
  // Of all firings in order: (worker, node, tag). Equal for equal seeds.
  uint64_t hash() const { return hash_; }

 private:
  using WorkerT = Worker<Concurrent>;
  using ReadyT = Ready<Concurrent>;
  enum class Manner : uint8_t { kEvenly, kByPriority, kWithDelays };
  struct Delayed {
    ReadyT ready;
    int worker;
    size_t until;  // how many firings there have been
  };

  WorkerT* Choose(Step<Concurrent>& step);
  WorkerT* ChooseEvenly(Step<Concurrent>& step);
  WorkerT* ChooseByPriority(Step<Concurrent>& step);
  uint64_t& PriorityOf(const Step<Concurrent>& step, const ReadyT& ready);
  void PutAside(WorkerT& worker, size_t first);
  void TakeSomeDoneCalls(Step<Concurrent>& step);
  void TakeDoneCall(Step<Concurrent>& step);
  void BringBack(Step<Concurrent>& step);
  void DropAll(Step<Concurrent>& step);
  size_t Below(size_t limit) { return static_cast<size_t>(random_() % limit); }
  void Note(const Step<Concurrent>& step, const WorkerT& worker);

  const Manner manner_;
  std::mt19937_64 random_;
  size_t firings_ = 0;
  std::unordered_map<NodeId, uint64_t> priorities_;  // the highest first
  uint64_t lowest_ = uint64_t{1} << 32;              // of all that were given
  std::vector<Delayed> delayed_;
  uint64_t hash_ = 0;
};

// May be used for one step after another.
class PooledSchedule : public Schedule, private WorkerPool::Job {
 public:
  // The pool outlives the schedule.
  explicit PooledSchedule(WorkerPool& pool);
  void Run(Step<Concurrent>& step) override;

 private:
  using WorkerT = Worker<Concurrent>;
  using ReadyT = Ready<Concurrent>;

  // What a worker has for others.
  struct alignas(64) Lane {
    std::mutex mutex;
    std::deque<ReadyT> ready;     // guarded by mutex
    std::atomic<size_t> size{0};  // of ready; a hint for who has not locked
  };

  bool Help(int worker) override;
  bool Work(WorkerT& worker);
  bool FireWhatIsDue(WorkerT& worker);
  void Drop(WorkerT& worker);
  void OfferHeavy(WorkerT& worker);
  void Offer(WorkerT& worker, const ReadyT& ready);
  bool Take(WorkerT& worker);
  bool TakeFrom(Lane& lane, WorkerT& worker);
  bool HasOffers() const;
  bool IsAbandoned() const;
  bool CanAdvance() const;
  bool IsQuiet() const { return quiet_since_ == helps_.load(); }
  bool Leave();
  bool AwaitOffers();
  void WakeCaller();
  void DropAll();

  WorkerPool& pool_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by worker
  Step<Concurrent>* step_ = nullptr;
  std::atomic<bool> is_enlisted_{false};
  // Workers that may have something due; when it comes to 0 nothing is, anywhere, since a worker
  // leaves only with an empty lane. Each leaving releases what the worker did to the last.
  std::atomic<int> active_{0};
  std::atomic<bool> is_over_{false};  // set by the last to leave; releases the step to the caller
  std::atomic<bool> caller_parked_{false};
  std::atomic<uint64_t> helps_{0};  // how often a helper took part
  // Of the caller: when it last tried, nothing was left to happen that Step::Advance does, and so
  // it is until a helper takes part again.
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t quiet_since_ = kNever;
  std::mutex mutex_;
  std::condition_variable wake_caller_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_SCHEDULE_H_
