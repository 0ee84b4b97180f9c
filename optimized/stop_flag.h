#ifndef TAGFLOW_OPTIMIZED_STOP_FLAG_H_
#define TAGFLOW_OPTIMIZED_STOP_FLAG_H_

// How a step is told to end: a flag that executors look at before each kernel, and that a clock of
// the process sets when a step's deadline is over or its `cancelled` turns true. A Canceller sets
// it, and so does an executor of several threads when one of them fails.
//
// A step without deadline and `cancelled` costs nothing here. One with a deadline is known to the
// clock's thread, which sleeps until the next deadline; one with `cancelled` is asked every
// millisecond.
//
// Thread safety: a flag may be set from any thread. Tested by stop_flag_test.cc.

#include <atomic>
#include <functional>

#include "graph/status.h"
#include "optimized/executable.h"

namespace tagflow::optimized {

class StopFlag {
 public:
  enum class Reason : int { kNone, kDeadline, kCancelled, kFailed };

  // Watches the limits of `control`, which outlives it. `on_set`, if any, is called when the flag
  // is set, by the thread that sets it; it must not block.
  explicit StopFlag(const StepControl& control, std::function<void()> on_set = nullptr);
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  ~StopFlag();

  // Relaxed: who sees it late runs a kernel more.
  bool is_set() const { return reason_.load(std::memory_order_relaxed) != Reason::kNone; }
  void Set(Reason reason) {
    Reason none = Reason::kNone;
    if (!reason_.compare_exchange_strong(none, reason, std::memory_order_relaxed)) return;
    if (on_set_) on_set_();
  }
  // What is_set() reads, for code that is compiled: another than 0 where it is set.
  const void* word() const { return &reason_; }
  Reason reason() const { return reason_.load(std::memory_order_relaxed); }
  // DEADLINE_EXCEEDED or CANCELLED; OK when nothing or an error of the step set it.
  Status status() const { return StatusOf(reason()); }
  // The status of a flag that would begin to watch now.
  static Status StatusNow(const StepControl& control) { return StatusOf(ReasonNow(control)); }

 private:
  class Clock;
  friend class Clock;
  static Reason ReasonNow(const StepControl& control);
  static Status StatusOf(Reason reason);
  const StepControl& control_;
  const std::function<void()> on_set_;
  std::atomic<Reason> reason_{Reason::kNone};
  bool is_watched_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STOP_FLAG_H_
