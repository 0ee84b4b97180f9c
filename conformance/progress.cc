#include "conformance/progress.h"

namespace tagflow::conformance {

void Progress::Add(const CaseResult& result) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++done_;
  if (IsBad(result)) ++bad_;
  if (stream_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < (live_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000))) {
    return;
  }
  last_ = now;
  shown_ = true;
  std::string line = std::to_string(done_) + " of " + std::to_string(total_) + " cases";
  if (bad_ > 0) line += ", " + std::to_string(bad_) + " bad";
  if (live_) {
    std::fprintf(stream_, "\r\033[K%s  %.50s", line.c_str(), result.name.c_str());
  } else {
    std::fprintf(stream_, "%s\n", line.c_str());
  }
  std::fflush(stream_);
}

void Progress::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stream_ != nullptr && live_ && shown_) std::fprintf(stream_, "\r\033[K");
}

}  // namespace tagflow::conformance
