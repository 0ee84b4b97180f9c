#include "reference/step.h"

namespace tagflow::reference {
namespace {

constexpr int64_t kFiringsPerLook = 64;

}  // namespace

Status StepWatch::Check() {
  if (limits_.max_firings > 0 && firings_ >= limits_.max_firings) {
    return ResourceExhausted(
               "step limit reached after " + std::to_string(firings_) +
               " firings: the loop may be endless; check its predicate or raise the limit")
        .WithRule("step.3");
  }
  if (limits_.firings != nullptr) ++*limits_.firings;
  // The clock is read seldom: it costs as much as a firing.
  if (firings_++ % kFiringsPerLook != 0) return Status();
  return Look();
}

Status StepWatch::Look() {
  if (limits_.progress) limits_.progress(firings_ - 1);
  if (limits_.cancelled && limits_.cancelled()) {
    return Cancelled("the step was cancelled after " + std::to_string(firings_ - 1) + " firings")
        .WithRule("step.4");
  }
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  if (limits_.deadline_s > 0 && elapsed.count() > limits_.deadline_s) {
    return DeadlineExceeded("the deadline of " + std::to_string(limits_.deadline_s) +
                            " s passed after " + std::to_string(firings_ - 1) +
                            " firings: the loop may be endless; check its predicate or allow more "
                            "time")
        .WithRule("step.3");
  }
  return Status();
}

Status RunToEnd(const std::vector<Interpreter*>& interpreters, const Limits& limits) {
  StepWatch watch(limits);
  for (Interpreter* interpreter : interpreters) interpreter->set_watch(&watch);
  while (true) {
    std::vector<Interpreter*> able;
    for (Interpreter* interpreter : interpreters) {
      if (interpreter->has_ready()) able.push_back(interpreter);
    }
    if (able.empty()) {
      if (limits.arrive && limits.arrive()) continue;
      return Status();
    }
    Interpreter& next = *able[limits.turn ? limits.turn(able.size()) : 0];
    do {
      if (Status status = watch.Check(); !status.ok()) return next.Locate(std::move(status));
      TAGFLOW_RETURN_IF_ERROR(next.FireOne());
    } while (!limits.turn && next.has_ready());
  }
}

}  // namespace tagflow::reference
