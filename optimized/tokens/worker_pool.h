#ifndef TAGFLOW_OPTIMIZED_TOKENS_WORKER_POOL_H_
#define TAGFLOW_OPTIMIZED_TOKENS_WORKER_POOL_H_

// The threads that help with the steps of a session. A step belongs to the thread that called it;
// when it has work for others it enlists itself as a job, and helpers that are idle take part until
// nothing is left to take. A step that never has any costs the pool nothing.
//
// An idle helper spins for some microseconds before it parks: waking a parked one costs more than
// a thousand small ops.
//
// As the crew of kernels, the pool's idle helpers take parts of one firing. Errands are what no
// step waits for: a helper is away for as long as one takes.
//
// Thread safety: any thread. No lock is held while a job is helped.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "optimized/idle_threads.h"
#include "optimized/kernel.h"

namespace tagflow::optimized::tokens {

class WorkerPool final : public Crew, public IdleThreads {
 public:
  class Job {
   public:
    virtual ~Job() = default;
    // Runs what can be taken, as this worker; whether there was anything. Different workers may
    // call it at once.
    virtual bool Help(int worker) = 0;
  };

  // `threads` counts the calling thread of a step, which is worker 0; below 1 is 1.
  explicit WorkerPool(int threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() override;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  // From now on helpers may take part.
  void Enlist(Job& job);
  // No helper takes part in it any more. Waits for those that do.
  void Dismiss(Job& job);
  // Tells helpers that enlisted jobs have something to take, for one of them or for all.
  void Notify(bool all = false);
  // Whether a helper has nothing to do.
  bool HasIdle() const override { return idle_.load(std::memory_order_relaxed) > 0; }

  int size() const override { return threads(); }
  // By the calling thread alone, where no helper is idle. May be called from within Help.
  void Share(int64_t count, const std::function<void(int64_t)>& work) override;
  bool Start(std::function<void()> errand) override;

 private:
  class Errands;
  struct Enlisted {
    Job* job;
    int helpers;  // in Help
    bool is_leaving;
  };
  void Close();
  void Run(int worker);
  bool HelpSomebody(int worker);
  void Leave(Job* job);
  bool SpinForNews(uint64_t seen) const;
  bool Park(uint64_t seen);

  std::atomic<uint64_t> news_{
      0};  // counts Notify; pairs with the helpers' reading it before a look
  std::atomic<int> idle_{0};
  std::atomic<int> parked_{0};  // sequentially consistent with news_: see Park
  std::atomic<bool> is_closing_{false};

  std::mutex mutex_;
  std::condition_variable wake_;  // helpers
  std::condition_variable left_;  // who waits in Dismiss
  std::vector<Enlisted> jobs_;    // guarded by mutex_
  // Guarded by mutex_ until it is made, and a job from then on; null: there was no errand.
  std::unique_ptr<Errands> errands_;

  std::vector<std::thread> helpers_;
};

// Lets the other thread of a core run for a moment.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_WORKER_POOL_H_
