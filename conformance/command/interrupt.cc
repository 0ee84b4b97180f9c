#include "conformance/command/interrupt.h"

#include <signal.h>

#include <atomic>

namespace tagflow {
namespace {

// Relaxed: the flag is the whole message.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // safe in a signal handler

void Note(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = Note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

}  // namespace tagflow
