#ifndef TAGFLOW_OPTIMIZED_TOKENS_IN_FLIGHT_H_
#define TAGFLOW_OPTIMIZED_TOKENS_IN_FLIGHT_H_

// The calls of async kernels that a step has in flight, and those that are done and wait for a
// worker to take them.
//
//   Begin    gives a kernel the call that it is to complete.
//   TakeDone gives a worker a call that was completed.
//   End      when the step is over: what is still in flight is told, and has nothing to do with the
//            step any more. Calls keep this object alive, and it knows nothing of the step then.
//
// A call that its kernel lets go of before it is done is done with an error.
//
// Thread safety: any thread. Nothing of a kernel is called with the lock held; `wake` is.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "optimized/async_kernel.h"

namespace tagflow::optimized::tokens {

// Instance: what a worker needs to know of a firing; a value.
template <typename Instance>
class InFlight : public std::enable_shared_from_this<InFlight<Instance>> {
 public:
  struct Done {
    Instance instance;
    Result<std::vector<Tensor>> outputs;
  };

  // `wake` is called when a call is done or Wake is called; not after End. It must not block.
  void SetWake(std::function<void()> wake) {
    std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  std::shared_ptr<AsyncCall> Begin(const Instance& instance) {
    const auto call = std::make_shared<Call>(this->shared_from_this(), instance);
    std::lock_guard lock(mutex_);
    // So that Complete, on a kernel's own thread, needs no memory.
    const size_t most_done = done_.size() + calls_.size() + 1;
    if (done_.capacity() < most_done) done_.reserve(2 * most_done);
    calls_.emplace(call.get(), call);
    ++begun_;
    return call;
  }
  // Whether a call has begun and was not taken.
  bool HasCalls() const { return begun_.load() > 0; }
  int NumCalls() const { return begun_.load(); }
  bool HasDone() const { return num_done_.load() > 0; }
  // which: of those that are done, from the latest on, and round again.
  std::optional<Done> TakeDone(size_t which = 0) {
    std::lock_guard lock(mutex_);
    if (done_.empty()) return std::nullopt;
    std::swap(done_[done_.size() - 1 - which % done_.size()], done_.back());
    Done taken = std::move(done_.back());
    done_.pop_back();
    --num_done_;
    --begun_;
    return taken;
  }
  // Waits until a call is done, or `ended()` is true after a Wake.
  template <typename Ended>
  void Await(const Ended& ended) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !done_.empty() || ended(); });
  }
  void Wake() {
    std::lock_guard lock(mutex_);
    WakeLocked();
  }
  // The instances of the calls that were not taken, each of which is told.
  std::vector<Instance> End();

 private:
  class Call;

  // REQUIRES: the mutex
  void WakeLocked() {
    changed_.notify_all();
    if (wake_) wake_();
  }
  // Whether it was in flight.
  bool Complete(Call& call, Result<std::vector<Tensor>> outputs) {
    std::lock_guard lock(mutex_);
    if (calls_.erase(&call) == 0) return false;
    done_.push_back({call.instance, std::move(outputs)});
    ++num_done_;
    WakeLocked();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> wake_;                  // guarded by mutex_, as the rest
  std::map<Call*, std::weak_ptr<Call>> calls_;  // that are not done
  std::vector<Done> done_;
  std::atomic<int> begun_{0};  // changed under the mutex, read without, as num_done_
  std::atomic<int> num_done_{0};
};

template <typename Instance>
class InFlight<Instance>::Call : public AsyncCall {
 public:
  Call(std::shared_ptr<InFlight> of_step, const Instance& firing)
      : instance(firing), owner_(std::move(of_step)) {}
  ~Call() override { owner_->Complete(*this, CallLetGo()); }

  void Done(Result<std::vector<Tensor>> outputs) override {
    std::function<void()> dropped;  // it may hold this call
    if (!owner_->Complete(*this, std::move(outputs))) return;
    std::lock_guard lock(owner_->mutex_);
    dropped.swap(on_end_);
  }
  void OnEnd(std::function<void()> ended) override {
    {
      std::lock_guard lock(owner_->mutex_);
      if (!has_ended_) {
        on_end_ = std::move(ended);
        return;
      }
    }
    ended();
  }
  void End() {
    std::function<void()> ended;
    {
      std::lock_guard lock(owner_->mutex_);
      has_ended_ = true;
      ended = std::move(on_end_);
    }
    if (ended) ended();
  }

  const Instance instance;

 private:
  const std::shared_ptr<InFlight> owner_;
  bool has_ended_ = false;  // guarded by the owner's mutex_, as the rest
  std::function<void()> on_end_;
};

template <typename Instance>
std::vector<Instance> InFlight<Instance>::End() {
  std::vector<Instance> left;
  std::vector<std::shared_ptr<Call>> told;
  {
    std::lock_guard lock(mutex_);
    wake_ = nullptr;  // first: the step may be gone soon, though there be no memory for the rest
    left.reserve(calls_.size() + done_.size());
    told.reserve(calls_.size());
    for (auto& [call, weak] : calls_) {
      left.push_back(call->instance);
      if (auto strong = weak.lock()) told.push_back(std::move(strong));
    }
    calls_.clear();
    for (const auto& done : done_) left.push_back(done.instance);
    done_.clear();
    num_done_ = 0;
    begun_ = 0;
  }
  for (const auto& call : told) call->End();
  return left;
}

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_IN_FLIGHT_H_
