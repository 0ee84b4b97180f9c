#ifndef TAGFLOW_REFERENCE_STEP_H_
#define TAGFLOW_REFERENCE_STEP_H_

// One step: interpreters that share a rendezvous (usually one) run until nothing can fire, a limit
// is reached, or the first error. Spec: [step.*], [error.*]

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reference/interpreter.h"

namespace tagflow::reference {

struct Limits {
  int64_t max_firings = 0;          // 0: none
  double deadline_s = 0;            // 0: none; wall-clock seconds from the start of the step
  std::function<bool()> cancelled;  // null: never; polled between firings
  // Told the number of firings now and then; null: nobody.
  std::function<void(int64_t firings)> progress;
  // Which of `count` interpreters that have something ready fires next; null: each goes on until it
  // has nothing.
  std::function<size_t(size_t count)> turn;
  // Asked when nothing is ready: lets one message arrive, or says that none is under way (false).
  // null: messages arrive as they are sent.
  std::function<bool()> arrive;
  int64_t* firings = nullptr;  // counted up with each; null: nobody counts
};

// Whether a step may go on: asked before each firing.
class StepWatch {
 public:
  explicit StepWatch(const Limits& limits) : limits_(limits), start_(Clock::now()) {}
  //   Errors: RESOURCE_EXHAUSTED (max_firings), DEADLINE_EXCEEDED, CANCELLED
  Status Check();

 private:
  using Clock = std::chrono::steady_clock;
  Status Look();

  const Limits& limits_;
  const Clock::time_point start_;
  int64_t firings_ = 0;
};

// Runs until no interpreter has anything ready, and nothing arrives.
//   Errors: the first firing's that fails; RESOURCE_EXHAUSTED (max_firings), DEADLINE_EXCEEDED,
//   CANCELLED, each naming a node that was about to fire, since that is where an endless loop is.
Status RunToEnd(const std::vector<Interpreter*>& interpreters, const Limits& limits);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_STEP_H_
