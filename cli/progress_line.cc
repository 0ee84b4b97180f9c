#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tagflow::cli {

ProgressLine::ProgressLine(std::string doing) : doing_(std::move(doing)) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { Watch(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ProgressLine::Watch() {
  std::unique_lock lock(mutex_);
  const auto is_over = [this] { return is_over_; };
  if (changed_.wait_until(lock, start_ + std::chrono::seconds(2), is_over)) return;
  do {
    Print();
  } while (!changed_.wait_for(lock, std::chrono::milliseconds(200), is_over));
  std::fputs("\r\033[K", stderr);
}

void ProgressLine::Print() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::fprintf(stderr, "\r\033[K%s: %.0f s", doing_.c_str(), seconds);
  const int64_t firings = firings_.load(std::memory_order_relaxed);
  if (firings > 0) std::fprintf(stderr, ", %lld firings", static_cast<long long>(firings));
  std::fputs(" (Ctrl-C stops)", stderr);
  std::fflush(stderr);
}

}  // namespace tagflow::cli
