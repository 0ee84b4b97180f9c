#ifndef TAGFLOW_CONFORMANCE_PROGRESS_H_
#define TAGFLOW_CONFORMANCE_PROGRESS_H_

// How far a run has come, on a stream: one line that is rewritten on a terminal, else a line every
// few seconds.

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

#include "conformance/result.h"

namespace tagflow::conformance {

// Thread-safe.
class Progress {
 public:
  // Null: silent. `live`: the stream is a terminal.
  Progress(std::FILE* stream, bool live, size_t total)
      : stream_(stream), live_(live), total_(total) {}

  void Add(const CaseResult& result);
  // Clears the line that is being rewritten.
  void End();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* const stream_;
  const bool live_;
  const size_t total_;
  std::mutex mutex_;  // guards all below
  size_t done_ = 0;
  size_t bad_ = 0;
  Clock::time_point last_ = Clock::now();
  bool shown_ = false;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_PROGRESS_H_
