#include "optimized/tokens/worker_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace tagflow::optimized::tokens {
namespace {

// A number of things to do, each by whoever comes first.
class Heap : public WorkerPool::Job {
 public:
  explicit Heap(int count) : left_(count) {}
  bool Help(int worker) override {
    bool helped = false;
    while (left_.fetch_sub(1) > 0) {
      helped = true;
      std::lock_guard lock(mutex_);
      workers_.insert(worker);
      ++done_;
    }
    return helped;
  }
  int done() {
    std::lock_guard lock(mutex_);
    return done_;
  }
  std::set<int> workers() {
    std::lock_guard lock(mutex_);
    return workers_;
  }

 private:
  std::atomic<int> left_;
  std::mutex mutex_;
  int done_ = 0;           // guarded by mutex_
  std::set<int> workers_;  // guarded by mutex_
};

TEST(WorkerPool, HasAtLeastTheCallingThread) {
  EXPECT_EQ(WorkerPool(0).threads(), 1);
  EXPECT_EQ(WorkerPool(3).threads(), 3);
}

TEST(WorkerPool, HelpersDoWhatIsThere) {
  WorkerPool pool(3);
  for (int round = 0; round < 200; ++round) {
    Heap heap(10);
    pool.Enlist(heap);
    pool.Notify();
    while (heap.done() < 10) std::this_thread::yield();
    pool.Dismiss(heap);
    for (int worker : heap.workers()) EXPECT_TRUE(worker == 1 || worker == 2);
  }
}

TEST(WorkerPool, AJobThatIsDismissedIsLeftAlone) {
  WorkerPool pool(2);
  for (int round = 0; round < 1000; ++round) {
    Heap heap(1);
    pool.Enlist(heap);
    pool.Notify();
    pool.Dismiss(heap);  // whether or not the helper has come
  }
}

TEST(WorkerPool, JobsOfSeveralCallersAreHelped) {
  WorkerPool pool(2);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&pool] {
      Heap heap(100);
      pool.Enlist(heap);
      pool.Notify();
      while (heap.done() < 100) std::this_thread::yield();
      pool.Dismiss(heap);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace tagflow::optimized::tokens
