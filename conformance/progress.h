#ifndef TAGFLOW_CONFORMANCE_PROGRESS_H_
#define TAGFLOW_CONFORMANCE_PROGRESS_H_

// How far a run of cases has come, on a stream.

#include <cstdio>
#include <mutex>
#include <string>

#include "conformance/command/rewritten_line.h"
#include "conformance/result.h"

namespace tagflow::conformance {

// Thread-safe.
class Progress {
 public:
  // Null: silent. `live`: the stream is a terminal.
  Progress(std::FILE* stream, bool live, size_t total) : total_(total), line_(stream, live) {}

  void Add(const CaseResult& result);
  // Clears the line that is being rewritten.
  void End();

 private:
  static constexpr size_t kNameMost = 50;  // characters of a case's name

  const size_t total_;
  std::mutex mutex_;  // guards all below
  size_t done_ = 0;
  size_t bad_ = 0;
  RewrittenLine line_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_PROGRESS_H_
