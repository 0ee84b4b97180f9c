// Tested by session_test.py.

#include "python/core/interrupts.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace tagflow::python {
namespace {

std::atomic<int> forks{0};

// Remembered, since asking takes two calls of the system. In a child the thread that forked is the
// main one.
bool IsMainThread() {
  struct Known {
    int at = -1;  // of ForkGeneration
    bool is_main = false;
  };
  thread_local Known known;
  if (known.at != ForkGeneration()) known = {ForkGeneration(), gettid() == getpid()};
  return known.is_main;
}

// The thread that cancels what runs on the main thread, and how it hears of SIGINT. One for each
// process: a child gets another, since its parent's thread is not in it.
class Watcher {
 public:
  // REQUIRES: called by the main thread
  static Watcher& Instance() {
    static Watcher* watcher = nullptr;
    static int made_at = 0;
    if (watcher == nullptr || made_at != ForkGeneration()) {
      watcher = new Watcher;  // never destroyed: its thread may be awake when the program ends
      made_at = ForkGeneration();
    }
    return *watcher;
  }

  // What runs on the main thread from now on. Returns what ran before.
  optimized::Canceller* Watch(optimized::Canceller* canceller) {
    if (is_asleep_.load()) sem_post(&wake_);
    std::lock_guard lock(mutex_);
    if (canceller != nullptr && IsAnotherTick()) GoBeforePython();
    return std::exchange(running_, canceller);
  }

 private:
  Watcher() {
    sem_init(&wake_, 0, 0);
    current = this;
    std::thread([this] { Run(); }).detach();
  }

  [[noreturn]] void Run() {
    // SIGINT is the main thread's.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (int idle = 0;; ++idle) {
      if (idle < kIdleTicks) {
        AwaitATick();
      } else {
        is_asleep_ = true;
        sem_wait(&wake_);
        is_asleep_ = false;
        idle = 0;
      }
      std::lock_guard lock(mutex_);
      if (is_interrupted_.exchange(false) && running_ != nullptr) running_->Cancel();
      if (running_ == nullptr) continue;
      idle = 0;
      GoBeforePython();
    }
  }

  void AwaitATick() {
    timespec until = {};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kTickNs;
    if (until.tv_nsec >= 1'000'000'000) {
      until.tv_nsec -= 1'000'000'000;
      ++until.tv_sec;
    }
    sem_timedwait(&wake_, &until);
  }

  // Whether the coarse clock, which changes every few milliseconds, has since this was asked
  // before.
  static bool IsAnotherTick() {
    static timespec before_that = {};
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const bool is_another = now.tv_nsec != before_that.tv_nsec || now.tv_sec != before_that.tv_sec;
    before_that = now;
    return is_another;
  }

  // Puts our handler before Python's, where it is not yet, or Python code has set another since.
  // Asking for that takes the system longer than a small step does: so it is asked at the beginning
  // of a step once in a tick, and while one runs.
  static void GoBeforePython() {
    struct sigaction now;
    if (sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler == &Handle) return;
    const bool is_nobodys = (now.sa_flags & SA_SIGINFO) == 0 &&
                            (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
    if (is_nobodys) return;
    before = now;
    struct sigaction ours = now;
    ours.sa_flags &= ~SA_SIGINFO;
    ours.sa_handler = &Handle;
    sigaction(SIGINT, &ours, nullptr);
  }

  static void Handle(int signal) {
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      siginfo_t none = {};
      before.sa_sigaction(signal, &none, nullptr);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
    }
    Watcher* const watcher = current.load();
    if (watcher == nullptr) return;
    watcher->is_interrupted_ = true;
    sem_post(&watcher->wake_);
  }

  static inline struct sigaction before = {};
  static inline std::atomic<Watcher*> current{nullptr};

  static constexpr long kTickNs = 10'000'000;
  static constexpr int kIdleTicks = 100;  // without a step, after which the thread sleeps

  sem_t wake_;
  std::atomic<bool> is_interrupted_{false};
  std::atomic<bool> is_asleep_{false};
  std::mutex mutex_;
  optimized::Canceller* running_ = nullptr;  // on the main thread; guarded by mutex_
};

}  // namespace

InterruptibleStep::InterruptibleStep() : is_watched_(IsMainThread()) {
  if (is_watched_) outer_ = Watcher::Instance().Watch(&canceller_);
}

InterruptibleStep::~InterruptibleStep() {
  if (is_watched_) Watcher::Instance().Watch(outer_);
}

int ForkGeneration() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(registered);
  return forks;
}

}  // namespace tagflow::python
