#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace tagflow::cli {

ProgressLine::ProgressLine()
    : is_terminal_(isatty(STDERR_FILENO) == 1), next_(start_ + std::chrono::seconds(1)) {}

void ProgressLine::Update(int64_t firings) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r\033[Krunning: %lld firings, %.0f s (Ctrl-C stops)",
               static_cast<long long>(firings), seconds);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Wipe() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace tagflow::cli
