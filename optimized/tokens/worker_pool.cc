#include "optimized/tokens/worker_pool.h"

#include <algorithm>

namespace tagflow::optimized::tokens {
namespace {

// About 20 microseconds.
constexpr int kSpins = 1000;

}  // namespace

WorkerPool::WorkerPool(int threads) {
  try {
    helpers_.reserve(static_cast<size_t>(threads));
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this, i] { Run(i); });
  } catch (...) {  // no memory, or no thread
    Close();
    throw;
  }
}

WorkerPool::~WorkerPool() { Close(); }

void WorkerPool::Close() {
  {
    std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void WorkerPool::Enlist(Job& job) {
  std::lock_guard lock(mutex_);
  jobs_.push_back({&job, 0, false});
}

void WorkerPool::Dismiss(Job& job) {
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(jobs_.begin(), jobs_.end(),
                        [&](const Enlisted& each) { return each.job == &job; });
  };
  find()->is_leaving = true;
  left_.wait(lock, [&] { return find()->helpers == 0; });
  jobs_.erase(find());
}

void WorkerPool::Notify() {
  news_.fetch_add(1);
  if (parked_.load() == 0) return;
  { std::lock_guard lock(mutex_); }  // whoever parks is waiting by now, or sees the news
  wake_.notify_one();
}

void WorkerPool::Run(int worker) {
  while (!is_closing_) {
    const uint64_t seen = news_.load();
    if (HelpSomebody(worker)) continue;
    idle_.fetch_add(1);
    const bool has_news = SpinForNews(seen) || Park(seen);
    idle_.fetch_sub(1);
    if (!has_news) return;
  }
}

// One round over the enlisted jobs; whether any had something.
bool WorkerPool::HelpSomebody(int worker) {
  bool helped = false;
  std::unique_lock lock(mutex_);
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].is_leaving) continue;
    Job* const job = jobs_[i].job;
    ++jobs_[i].helpers;
    lock.unlock();
    helped = job->Help(worker) || helped;
    lock.lock();
    Leave(job);
  }
  return helped;
}

// REQUIRES: the mutex. The list may have changed meanwhile, but not by this job.
void WorkerPool::Leave(Job* job) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Enlisted& each) { return each.job == job; });
  if (--found->helpers == 0 && found->is_leaving) left_.notify_all();
}

bool WorkerPool::SpinForNews(uint64_t seen) const {
  for (int i = 0; i < kSpins; ++i) {
    if (news_.load(std::memory_order_acquire) != seen) return true;
    Relax();
  }
  return false;
}

// Waits for news; false when the pool closes. Who parks says so before it looks for news a last
// time, and who has news says so before it looks for parked helpers: one of them sees the other.
bool WorkerPool::Park(uint64_t seen) {
  std::unique_lock lock(mutex_);
  parked_.fetch_add(1);
  wake_.wait(lock, [&] { return news_.load() != seen || is_closing_; });
  parked_.fetch_sub(1);
  return !is_closing_;
}

}  // namespace tagflow::optimized::tokens
