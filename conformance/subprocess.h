#ifndef TAGFLOW_CONFORMANCE_SUBPROCESS_H_
#define TAGFLOW_CONFORMANCE_SUBPROCESS_H_

// A child process that answers frames, watched: it may die, hang, print, or talk nonsense.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/engine.h"
#include "graph/status.h"

namespace tagflow::conformance {

// Not thread-safe. Destroying it kills the child and whatever the child started.
class Subprocess {
 public:
  // arguments[0] is the program, looked up in PATH. Errors: NOT_FOUND, naming the program.
  static Result<std::unique_ptr<Subprocess>> Start(const std::vector<std::string>& arguments);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // Writes `frame` (may be empty) and reads one frame back.
  //   Errors: DEADLINE_EXCEEDED; ABORTED when the child ended, saying by which signal or exit code;
  //   DATA_LOSS when what comes is no frame. After any of them the child is dead.
  Result<std::string> Exchange(std::string_view frame, Clock::time_point deadline);

  // The last few hundred bytes that the child wrote to its standard error, as one line.
  std::string ErrorTail() const;

 private:
  Subprocess() = default;
  void DrainErrors();
  bool ReadOutput();                             // false at the end of the stream
  bool WriteSome(std::string_view& rest) const;  // false when the child reads no more
  Status EndedStatus();
  void Kill();

  pid_t pid_ = -1;
  int input_ = -1;   // the child's standard input
  int output_ = -1;  // its standard output
  int errors_ = -1;  // its standard error
  std::string received_;
  std::string error_tail_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SUBPROCESS_H_
