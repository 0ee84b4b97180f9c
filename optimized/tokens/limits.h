#ifndef TAGFLOW_OPTIMIZED_TOKENS_LIMITS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_LIMITS_H_

// What ends a step early: a limit on firings, a deadline, a cancellation. A worker asks for leave
// to fire a number of instances at once, and does not look at the limits in between.
//                                                                   Spec: [step.3] [step.4]

#include <algorithm>
#include <chrono>

#include "optimized/executable.h"
#include "optimized/tokens/rules.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
class Limits {
 public:
  // `control` stays valid during the step.
  void Begin(const StepControl& control) {
    control_ = &control;
    is_counting_ = control.max_firings > 0;
    remaining_.store(control.max_firings);
    // A cancellation is looked for before every kernel. Several workers that count take one firing
    // at a time, so that none is refused what another holds unused.
    const bool one_by_one = control.cancelled != nullptr || (is_counting_ && Sync::kShared);
    chunk_ = one_by_one ? 1 : kFiringsPerLook;
  }

  // Leave for a worker's next firings, at least one; or the error that ends the step. `looks`
  // counts the worker's calls.
  Result<int64_t> Grant(int64_t& looks) {
    if (control_->cancelled && control_->cancelled()) return StepCancelled();
    // The clock costs as much as a firing.
    const bool looks_at_clock = chunk_ > 1 || looks++ % kFiringsPerLook == 0;
    if (looks_at_clock && HasPassed()) return DeadlinePassed();
    return is_counting_ ? Count() : Result<int64_t>(chunk_);
  }
  // Takes back what a worker does not use: after a long kernel it had better look again.
  void Return(int64_t& granted) {
    if (is_counting_) remaining_.Add(granted);
    granted = 0;
  }

  // Whether the step is to end, for kernels that wait.
  bool HasPassed() const {
    return control_->deadline.has_value() && StepControl::Clock::now() >= *control_->deadline;
  }
  bool IsCancelled() const { return control_->cancelled && control_->cancelled(); }

 private:
  static constexpr int64_t kFiringsPerLook = 64;

  Result<int64_t> Count() {
    const int64_t left = remaining_.Add(-chunk_);
    if (left >= 0) return chunk_;
    if (left > -chunk_) {  // what was left is less than a chunk
      remaining_.Add(-left);
      return chunk_ + left;
    }
    return StepLimitReached(control_->max_firings);
  }

  const StepControl* control_ = nullptr;
  bool is_counting_ = false;
  int64_t chunk_ = kFiringsPerLook;
  typename Sync::template Cell<int64_t> remaining_;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_LIMITS_H_
