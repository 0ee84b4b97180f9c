#include "optimized/measured_executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

namespace tagflow::optimized {
namespace {

using Clock = std::chrono::steady_clock;

// Tokens cost more where nothing is gained: they must save this part of straight code's time.
constexpr double kWorthwhile = 0.9;

class MeasuredExecutable : public Executable {
 public:
  MeasuredExecutable(std::unique_ptr<Executable> straight,
                     std::function<Result<std::unique_ptr<Executable>>()> tokens)
      : straight_(std::move(straight)), make_tokens_(std::move(tokens)) {}

  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                  const StepControl& control) const override {
    const Executable* const chosen = chosen_.load(std::memory_order_acquire);
    if (chosen != nullptr) return chosen->Run(std::move(feeds), control);
    const Turn turn = NextTurn();
    const auto start = Clock::now();
    Result<std::vector<Tensor>> values = turn.executable->Run(std::move(feeds), control);
    const std::chrono::duration<double> took = Clock::now() - start;
    Note(turn, values.ok() ? took.count() : kNever);
    return values;
  }

  std::vector<std::string> Notes() const override {
    std::lock_guard lock(mutex_);
    const Executable* const chosen = chosen_.load();
    std::vector<std::string> notes = (chosen == nullptr ? straight_.get() : chosen)->Notes();
    if (chosen == nullptr) return notes;
    const auto text = [](double seconds) { return std::to_string(seconds * 1e6) + " us"; };
    notes.push_back(std::string("steps run by ") +
                    (chosen == straight_.get() ? "straight code" : "tokens") +
                    ": straight code took " + text(best_s_[0]) + ", tokens " + text(best_s_[1]));
    return notes;
  }

 private:
  static constexpr double kNever = 1e300;
  struct Turn {
    const Executable* executable;
    int which;     // 0: straight code, 1: tokens
    bool is_warm;  // it has run before
  };

  // Of whichever has run less often.
  Turn NextTurn() const {
    std::lock_guard lock(mutex_);
    const int which = runs_[0] <= runs_[1] ? 0 : 1;
    if (which == 1 && tokens_ == nullptr) {
      Result<std::unique_ptr<Executable>> made = make_tokens_();
      if (!made.ok()) {  // no memory for it
        chosen_ = straight_.get();
        return {straight_.get(), 0, false};
      }
      tokens_ = std::move(*made);
    }
    return {which == 0 ? straight_.get() : tokens_.get(), which, runs_[which]++ > 0};
  }

  void Note(const Turn& turn, double seconds) const {
    std::lock_guard lock(mutex_);
    if (turn.is_warm) best_s_[turn.which] = std::min(best_s_[turn.which], seconds);
    if (chosen_.load() != nullptr || runs_[0] + runs_[1] < kMeasuredRuns) return;
    const bool tokens_pay = best_s_[1] < kWorthwhile * best_s_[0];
    chosen_.store(tokens_pay ? tokens_.get() : straight_.get(), std::memory_order_release);
  }

  const std::unique_ptr<Executable> straight_;
  const std::function<Result<std::unique_ptr<Executable>>()> make_tokens_;
  mutable std::atomic<const Executable*> chosen_{nullptr};
  mutable std::mutex mutex_;
  // Guarded by mutex_; where two stand, of straight code and of tokens.
  mutable std::unique_ptr<Executable> tokens_;
  mutable int runs_[2] = {0, 0};
  mutable double best_s_[2] = {kNever, kNever};
};

}  // namespace

std::unique_ptr<Executable> MeasureExecutables(
    std::unique_ptr<Executable> straight,
    std::function<Result<std::unique_ptr<Executable>>()> tokens) {
  return std::make_unique<MeasuredExecutable>(std::move(straight), std::move(tokens));
}

}  // namespace tagflow::optimized
