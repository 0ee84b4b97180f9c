#include "conformance/command/rewritten_line.h"

namespace tagflow {
namespace {

using namespace std::chrono_literals;
constexpr auto kOnTerminal = 100ms;
constexpr auto kElsewhere = 5000ms;

}  // namespace

void RewrittenLine::Update(const std::function<std::string()>& text, const std::string& extra) {
  if (stream_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < (is_terminal_ ? kOnTerminal : kElsewhere)) return;
  last_ = now;
  if (is_terminal_) {
    std::fprintf(stream_, "\r\033[K%s%s", text().c_str(), extra.c_str());
  } else {
    std::fprintf(stream_, "%s\n", text().c_str());
  }
  std::fflush(stream_);
  is_shown_ = is_terminal_;
}

void RewrittenLine::Wipe() {
  if (!is_shown_) return;
  std::fprintf(stream_, "\r\033[K");
  std::fflush(stream_);
  is_shown_ = false;
}

}  // namespace tagflow
