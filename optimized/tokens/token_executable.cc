#include "optimized/tokens/token_executable.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "optimized/tokens/schedule.h"

namespace tagflow::optimized::tokens {
namespace {

// Things made once and used by one step after another, as many as run at once.
template <typename T>
class Stock {
 public:
  // Null when there is none.
  std::unique_ptr<T> Take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<T> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void Return(std::unique_ptr<T> used) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(used));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;  // guarded by mutex_
};

struct PooledStep {
  PooledStep(const TokenPlan& plan, WorkerPool& pool)
      : step(plan, pool.threads()), schedule(pool) {}
  Step<Concurrent> step;
  PooledSchedule schedule;
};

class TokenExecutable : public Executable {
 public:
  TokenExecutable(TokenPlan plan, int threads, TokenOptions options)
      : plan_(std::move(plan)), threads_(threads), options_(std::move(options)) {}

  Result<std::vector<Tensor>> Run(std::vector<Tensor> feeds,
                                  const StepControl& control) const override {
    if (feeds.size() != plan_.feeds.size()) {
      return InvalidArgument("the call has " + std::to_string(plan_.feeds.size()) +
                             " feeds, and got " + std::to_string(feeds.size()) + " values");
    }
    if (control.seed != 0) return Simulate(std::move(feeds), control);
    const bool shares = threads_ > 1 && (plan_.has_heavy || options_.always_shares);
    return shares ? RunPooled(std::move(feeds), control) : RunHere(std::move(feeds), control);
  }

 private:
  template <typename Sync>
  static Result<std::vector<Tensor>> Finish(Step<Sync>& step, const StepControl& control) {
    Result<std::vector<Tensor>> result = step.Finish();
    if (control.firings != nullptr) *control.firings = step.firings();
    return result;
  }

  Result<std::vector<Tensor>> RunHere(std::vector<Tensor> feeds, const StepControl& control) const {
    std::unique_ptr<Step<Sequential>> step = steps_.Take();
    if (step == nullptr) step = std::make_unique<Step<Sequential>>(plan_, 1);
    step->Start(std::move(feeds), control);
    try {
      do {
        step->FireAll(step->worker(0));
      } while (step->AwaitCalls(step->worker(0)));
    } catch (const std::bad_alloc&) {
      step->RunOutOfMemory();
    }
    Result<std::vector<Tensor>> result = Finish(*step, control);
    if (!result.ok() || !step->HasEnded()) return result;  // what is left of the step goes
    step->Clear();
    steps_.Return(std::move(step));
    return result;
  }

  Result<std::vector<Tensor>> RunPooled(std::vector<Tensor> feeds,
                                        const StepControl& control) const {
    std::unique_ptr<PooledStep> pooled = pooled_steps_.Take();
    if (pooled == nullptr) pooled = std::make_unique<PooledStep>(plan_, *options_.pool);
    pooled->step.Start(std::move(feeds), control);
    pooled->schedule.Run(pooled->step);
    Result<std::vector<Tensor>> result = Finish(pooled->step, control);
    if (!result.ok() || !pooled->step.HasEnded()) return result;
    pooled->step.Clear();
    pooled_steps_.Return(std::move(pooled));
    return result;
  }

  Result<std::vector<Tensor>> Simulate(std::vector<Tensor> feeds,
                                       const StepControl& control) const {
    Step<Concurrent> step(plan_, threads_);
    SimulatedSchedule schedule(control.seed);
    step.Start(std::move(feeds), control);
    try {
      schedule.Run(step);
    } catch (const std::bad_alloc&) {
      step.RunOutOfMemory();
    }
    if (options_.on_schedule) options_.on_schedule(schedule.hash());
    return Finish(step, control);
  }

  const TokenPlan plan_;
  const int threads_;
  const TokenOptions options_;
  mutable Stock<Step<Sequential>> steps_;
  mutable Stock<PooledStep> pooled_steps_;
};

}  // namespace

Result<std::unique_ptr<Executable>> MakeTokenExecutable(const ExecutableSpec& spec,
                                                        TokenOptions options) {
  TAGFLOW_ASSIGN_OR_RETURN(TokenPlan plan, MakeTokenPlan(spec));
  const int threads = std::max(1, options.pool ? options.pool->threads() : spec.threads);
  if (options.pool == nullptr && threads > 1) options.pool = std::make_shared<WorkerPool>(threads);
  return std::unique_ptr<Executable>(
      std::make_unique<TokenExecutable>(std::move(plan), threads, std::move(options)));
}

}  // namespace tagflow::optimized::tokens
