#ifndef TAGFLOW_CLI_PROGRESS_LINE_H_
#define TAGFLOW_CLI_PROGRESS_LINE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tagflow::cli {

// "running: 3 s, 1200345 firings (Ctrl-C stops)" on one line of the terminal, from the second
// second on, several times a second, as long as the object lives; then the line is wiped. Nothing
// where stderr is no terminal. Nobody else writes to stderr meanwhile.
//
// A thread of its own looks at the clock, so whatever takes long is told of, and is not slowed.
class ProgressLine {
 public:
  // doing: "running", "reading graph.pb"
  explicit ProgressLine(std::string doing);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // How far it is, if somebody knows. From any thread.
  void Update(int64_t firings) { firings_.store(firings, std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  void Watch();
  void Print() const;

  const std::string doing_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<int64_t> firings_{0};  // relaxed: a number for people
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;  // guarded by mutex_
  std::thread thread_;    // none where there is no terminal
};

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_PROGRESS_LINE_H_
