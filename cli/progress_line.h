#ifndef TAGFLOW_CLI_PROGRESS_LINE_H_
#define TAGFLOW_CLI_PROGRESS_LINE_H_

#include <chrono>
#include <cstdint>

namespace tagflow::cli {

// "running: 1200345 firings, 3 s" on one line of the terminal, from the first second on, several
// times a second; nothing where stderr is no terminal. The line is wiped at the end.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { Wipe(); }

  void Update(int64_t firings);
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;
  const bool is_terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool shown_ = false;
};

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_PROGRESS_LINE_H_
