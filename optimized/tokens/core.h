#ifndef TAGFLOW_OPTIMIZED_TOKENS_CORE_H_
#define TAGFLOW_OPTIMIZED_TOKENS_CORE_H_

// What the parts of a step share: the plan, what the caller gave, and how the step is stopped.

#include <functional>
#include <memory>
#include <new>
#include <optional>

#include "optimized/stop_flag.h"
#include "optimized/tokens/errors.h"
#include "optimized/tokens/in_flight.h"
#include "optimized/tokens/worker.h"

namespace tagflow::optimized::tokens {

template <typename Sync>
struct StepCore {
  using IterationT = Iteration<Sync>;
  using ReadyT = Ready<Sync>;

  explicit StepCore(const TokenPlan& token_plan) : plan(token_plan) {}

  // The instance's error, which ends the step.
  [[gnu::cold]] void Fail(const PlanNode& node, const IterationT& at, const Status& error) {
    try {
      const Tag tag = TagOf(at);
      const std::string& name = plan.info(node).node->name;
      const std::string place = TagWithin(control->services, ToString(tag));
      errors.Add(tag, name, error.WithNode(name).WithTag(place));
    } catch (const std::bad_alloc&) {
      errors.AddOutOfMemory();
    }
    stop->Set(StopFlag::Reason::kFailed);
  }

  // An instance that will not fire, or not be done, because the step is stopped: if that is by a
  // limit, it is where.
  void NoteDropped(const ReadyT& ready) {
    try {
      const Status status = stop->status();
      if (!status.ok()) Fail(ready.node(), *ready.iteration, status);
    } catch (const std::bad_alloc&) {
      RunOutOfMemory();
    }
  }

  // Ends the step, since some worker ran out of memory.
  void RunOutOfMemory() {
    errors.AddOutOfMemory();
    stop->Set(StopFlag::Reason::kFailed);
  }

  // Whether an error or a limit ends the step.
  bool is_stopped() const { return stop->is_set(); }

  const TokenPlan& plan;
  const StepControl* control = nullptr;
  std::optional<StopFlag> stop;             // of the step that was started
  std::shared_ptr<InFlight<ReadyT>> calls;  // of async kernels; null when the plan has none
  Errors errors;
};

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_CORE_H_
