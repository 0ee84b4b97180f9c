#include "optimized/stop_flag.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "optimized/canceller.h"

namespace tagflow::optimized {

// One thread for all the steps of the process that have limits; it ends with the process. A forked
// child has none of its parent's threads, and so gets a clock of its own.
class StopFlag::Clock {
 public:
  static Clock& Instance() {
    static std::atomic<Clock*> instance{nullptr};
    static const int registered = pthread_atfork(nullptr, nullptr, [] { instance = nullptr; });
    static_cast<void>(registered);
    Clock* clock = instance.load();
    if (clock != nullptr) return *clock;
    auto made = std::make_unique<Clock>();
    if (!instance.compare_exchange_strong(clock, made.get())) return *clock;
    clock = made.release();
    std::thread([clock] { clock->Run(); }).detach();
    return *clock;
  }

  void Add(StopFlag* flag) {
    std::lock_guard lock(mutex_);
    flags_.push_back(flag);
    changed_.notify_one();
  }
  // When it returns, the clock has done with the flag.
  void Remove(StopFlag* flag) {
    std::lock_guard lock(mutex_);
    std::erase(flags_, flag);
  }

 private:
  using Time = StepControl::Clock::time_point;
  static constexpr std::chrono::milliseconds kAsk{1};

  [[noreturn]] void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      const Time now = StepControl::Clock::now();
      Time next = Time::max();
      for (StopFlag* flag : flags_) next = std::min(next, Look(*flag, now));
      if (next == Time::max()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, next);
      }
    }
  }

  // Sets the flag if it is time; when to look again.
  static Time Look(StopFlag& flag, Time now) {
    if (flag.is_set()) return Time::max();
    const StepControl& control = flag.control_;
    if (const Reason reason = ReasonNow(control); reason != Reason::kNone) {
      flag.Set(reason);
      return Time::max();
    }
    const Time next = control.deadline.value_or(Time::max());
    return control.cancelled ? std::min(next, now + kAsk) : next;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<StopFlag*> flags_;  // guarded by mutex_
};

StopFlag::StopFlag(const StepControl& control, std::function<void()> on_set)
    : control_(control), on_set_(std::move(on_set)) {
  if (control.canceller != nullptr) control.canceller->Add(this);
  if (!control.deadline && !control.cancelled) return;
  // What is over already is seen before the first kernel.
  if (const Reason reason = ReasonNow(control); reason != Reason::kNone) Set(reason);
  is_watched_ = true;
  Clock::Instance().Add(this);
}

StopFlag::~StopFlag() {
  if (control_.canceller != nullptr) control_.canceller->Remove(this);
  if (is_watched_) Clock::Instance().Remove(this);
}

StopFlag::Reason StopFlag::ReasonNow(const StepControl& control) {
  if (control.deadline && StepControl::Clock::now() >= *control.deadline) return Reason::kDeadline;
  if (control.cancelled && control.cancelled()) return Reason::kCancelled;
  if (control.canceller != nullptr && control.canceller->is_cancelled()) return Reason::kCancelled;
  return Reason::kNone;
}

Status StopFlag::StatusOf(Reason reason) {
  switch (reason) {
    case Reason::kDeadline:
      return DeadlineExceeded(
                 "the deadline of the step passed: a loop may be endless; check its predicate, or "
                 "give the step more time")
          .WithRule("step.3");
    case Reason::kCancelled:
      return Cancelled("the step was cancelled").WithRule("step.4");
    case Reason::kNone:
    case Reason::kFailed:
      break;
  }
  return Status();
}

}  // namespace tagflow::optimized
