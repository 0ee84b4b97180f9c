#include "optimized/stop_flag.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tagflow::optimized {

// One thread for all the steps of the process that have limits; it ends with the process.
class StopFlag::Clock {
 public:
  static Clock& Instance() {
    static Clock& clock = *new Clock;
    return clock;
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

  Clock() {
    std::thread([this] { Run(); }).detach();
  }

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
  if (!control.deadline && !control.cancelled) return;
  // What is over already is seen before the first kernel.
  if (const Reason reason = ReasonNow(control); reason != Reason::kNone) Set(reason);
  is_watched_ = true;
  Clock::Instance().Add(this);
}

StopFlag::~StopFlag() {
  if (is_watched_) Clock::Instance().Remove(this);
}

StopFlag::Reason StopFlag::ReasonNow(const StepControl& control) {
  if (control.deadline && StepControl::Clock::now() >= *control.deadline) return Reason::kDeadline;
  if (control.cancelled && control.cancelled()) return Reason::kCancelled;
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
