#include "optimized/tokens/worker_pool.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

namespace tagflow::optimized::tokens {
namespace {

// About 20 microseconds.
constexpr int kSpins = 1000;

// What one kernel shares: parts that are taken in order.
class SharedWork : public WorkerPool::Job {
 public:
  SharedWork(int64_t count, const std::function<void(int64_t)>& work)
      : count_(count), work_(work) {}

  bool Help(int /*worker*/) override {
    bool helped = false;
    for (int64_t part = next_.fetch_add(1); part < count_; part = next_.fetch_add(1)) {
      helped = true;
      Do(part);
    }
    return helped;
  }
  // Waits until all parts are done, but no longer than some microseconds.
  void AwaitDone() const {
    for (int i = 0; i < kSpins && done_.load(std::memory_order_acquire) < count_; ++i) Relax();
  }
  void RethrowFailure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  // After a failure the other parts are taken and left undone.
  void Do(int64_t part) {
    try {
      if (!has_failed_.load(std::memory_order_relaxed)) work_(part);
    } catch (...) {
      if (!has_failed_.exchange(true)) failure_ = std::current_exception();
    }
    done_.fetch_add(1, std::memory_order_release);
  }

  const int64_t count_;
  const std::function<void(int64_t)>& work_;
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> done_{0};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;  // of the first to fail; read when nobody is at work
};

}  // namespace

// They are taken in order, each by one helper.
class WorkerPool::Errands : public WorkerPool::Job {
 public:
  void Add(std::function<void()> errand) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(errand));
  }
  bool Help(int /*worker*/) override {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) return false;
    const std::function<void()> errand = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    errand();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;  // guarded by mutex_
};

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

void WorkerPool::Notify(bool all) {
  news_.fetch_add(1);
  if (parked_.load() == 0) return;
  { std::lock_guard lock(mutex_); }  // whoever parks is waiting by now, or sees the news
  if (all) {
    wake_.notify_all();
  } else {
    wake_.notify_one();
  }
}

void WorkerPool::Share(int64_t count, const std::function<void(int64_t)>& work) {
  if (count <= 1 || !HasIdle()) {
    for (int64_t part = 0; part < count; ++part) work(part);
    return;
  }
  SharedWork shared(count, work);
  Enlist(shared);
  Notify(/*all=*/count > 2);
  shared.Help(0);
  shared.AwaitDone();  // so that it need not be woken, mostly
  Dismiss(shared);
  shared.RethrowFailure();
}

bool WorkerPool::Start(std::function<void()> errand) {
  if (!HasIdle()) return false;
  {
    std::lock_guard lock(mutex_);
    if (errands_ == nullptr) {
      errands_ = std::make_unique<Errands>();
      jobs_.push_back({errands_.get(), 0, false});
    }
  }
  errands_->Add(std::move(errand));
  Notify();
  return true;
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
