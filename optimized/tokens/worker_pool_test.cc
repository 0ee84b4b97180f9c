#include "optimized/tokens/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

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

TEST(WorkerPool, EachPartOfSharedWorkIsDoneOnce) {
  WorkerPool pool(3);
  for (int64_t count : {0, 1, 2, 7, 100}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(count));
      pool.Share(count, [&](int64_t part) { ++done[static_cast<size_t>(part)]; });
      for (const auto& times : done) ASSERT_EQ(times, 1);
    }
  }
}

TEST(WorkerPool, HelpersTakeTheirShare) {
  WorkerPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int round = 0; round < 100 && threads.size() < 3; ++round) {
    pool.Share(30, [&](int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(threads.size(), 3u);
}

// A part that shares work of its own, as a kernel does that a helper runs.
TEST(WorkerPool, WorkMayBeSharedFromWithin) {
  WorkerPool pool(3);
  std::atomic<int> done = 0;
  for (int round = 0; round < 200; ++round) {
    pool.Share(5, [&](int64_t) { pool.Share(4, [&](int64_t) { ++done; }); });
  }
  EXPECT_EQ(done, 200 * 20);
}

TEST(WorkerPool, WhatAPartThrowsIsThrownToWhoShares) {
  WorkerPool pool(3);
  for (int round = 0; round < 200; ++round) {
    const auto fail = [](int64_t part) {
      if (part == 3) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.Share(8, fail), std::bad_alloc);
  }
}

TEST(WorkerPool, AnIdleHelperRunsAnErrandOnce) {
  std::atomic<int> done = 0;
  int started = 0;
  {
    WorkerPool pool(3);
    for (int round = 0; round < 200; ++round) {
      while (!pool.HasIdle()) std::this_thread::yield();
      if (pool.Start([&] { ++done; })) ++started;
      pool.Share(4, [](int64_t) {});
    }
    while (done < started) std::this_thread::yield();
  }
  EXPECT_GT(started, 0);
  EXPECT_EQ(done, started);
}

TEST(WorkerPool, AnErrandIsNotTakenWhereAllAreBusy) {
  WorkerPool nobody(1);
  EXPECT_FALSE(nobody.Start([] {}));
  WorkerPool pool(2);
  while (!pool.HasIdle()) std::this_thread::yield();
  std::atomic<bool> is_away = false, may_return = false;
  ASSERT_TRUE(pool.Start([&] {
    is_away = true;
    while (!may_return) std::this_thread::yield();
  }));
  while (!is_away) std::this_thread::yield();
  EXPECT_FALSE(pool.Start([] {}));
  // Nobody waits for it.
  std::atomic<int> parts = 0;
  pool.Share(10, [&](int64_t) { ++parts; });
  EXPECT_EQ(parts, 10);
  may_return = true;
}

TEST(WorkerPool, ErrandsThatNobodyTookGoWithIt) {
  for (int round = 0; round < 1000; ++round) {
    const auto kept = std::make_shared<int>();
    {
      WorkerPool pool(2);
      (void)pool.Start([kept] {});
    }
    EXPECT_EQ(kept.use_count(), 1);
  }
}

}  // namespace
}  // namespace tagflow::optimized::tokens
