#include "optimized/canceller.h"

#include "optimized/stop_flag.h"

// Tests: stop_flag_test.cc, session_test.cc.

namespace tagflow::optimized {

void Canceller::Cancel() {
  std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  for (StopFlag* const flag : flags_) flag->Set(StopFlag::Reason::kCancelled);
}

void Canceller::Reset() {
  std::lock_guard lock(mutex_);
  is_cancelled_ = false;
}

bool Canceller::is_cancelled() const {
  std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void Canceller::Add(StopFlag* flag) {
  std::lock_guard lock(mutex_);
  flags_.push_back(flag);
  if (is_cancelled_) flag->Set(StopFlag::Reason::kCancelled);
}

void Canceller::Remove(StopFlag* flag) {
  std::lock_guard lock(mutex_);
  std::erase(flags_, flag);
}

}  // namespace tagflow::optimized
