// A step may be stopped anywhere, says so, and leaves a session that still works.

#include <algorithm>
#include <memory>
#include <utility>

#include "fuzz/engines/program_run.h"
#include "fuzz/engines/reference_engine.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "graph/builder/builder.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kAll = 24;             // so many places to stop at are all tried
constexpr int kSampled = 6;              // of more than that
constexpr int64_t kFiringsPerLook = 64;  // a step looks that often whether it is cancelled
constexpr double kLongS = 1000;          // which no step takes

// Which of `count` places to try.
std::vector<int64_t> Places(int64_t count, Choices& choices) {
  std::vector<int64_t> places;
  if (count <= kAll) {
    for (int64_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  places = {0, count - 1};
  for (int i = 0; i < kSampled; ++i) {
    places.push_back(choices.Below(static_cast<size_t>(count)));
  }
  return places;
}

// A program in a session, what its first run gives, and how many firings that takes on the
// reference. Another engine may fire fewer: a step that it has finished before the place to stop is
// none that it should have stopped.
struct Stopping {
  ProgramRun subject;
  Fetched expected;
  int64_t firings = 0;
  bool loops = false;  // at least once around
  bool may_finish = false;
};

Result<Stopping> Prepare(const Program& program, const Lowered& lowered, const Engine& engine) {
  TAGFLOW_ASSIGN_OR_RETURN(ProgramRun subject, ProgramRun::Make(program, lowered, engine));
  TAGFLOW_RETURN_IF_ERROR(subject.Init());
  Stopping made{std::move(subject), {}, 0, false, !engine.capabilities().is_reference};
  if (made.may_finish) {
    TAGFLOW_ASSIGN_OR_RETURN(const Stopping counted,
                             Prepare(program, lowered, StandardReference()));
    made.firings = counted.firings;
    made.loops = counted.loops;
  }
  reference::RunOptions counting;
  counting.order = [&](const std::deque<reference::Ready>&) {
    ++made.firings;
    return size_t{0};
  };
  counting.trace = [&](const reference::TraceEvent& event) {
    made.loops |= event.node->op == "NextIteration" && !event.dead;
  };
  TAGFLOW_ASSIGN_OR_RETURN(made.expected, made.subject.Run(0, counting));
  return made;
}

// Runs with options that stop the step, then once more without; both from the first values.
Violation StopAndGoOn(const Program& program, Stopping& stopping,
                      const reference::RunOptions& options, Code code, const std::string& what) {
  if (Status status = stopping.subject.Init(); !status.ok()) return Failed(what, status);
  const Status stopped = stopping.subject.Run(0, options).status();
  const bool has_finished = stopping.may_finish && stopped.ok();
  if (!has_finished && (stopped.code() != code || stopped.node().empty())) {
    return what + ", the step ends with " + stopped.ToString() + " in place of " +
           std::string(CodeName(code)) + " at a node";
  }
  if (Status status = stopping.subject.Init(); !status.ok()) return Failed(what, status);
  const Result<Fetched> actual = stopping.subject.Run(0);
  if (!actual.ok()) return Failed("in the step after one that was " + what, actual.status());
  const Violation difference = DifferenceOf(program, stopping.expected, *actual, 0);
  if (!difference) return std::nullopt;
  return "in the step after one that was " + what + ": " + *difference;
}

// A loop without an end is cancelled at the third look, which comes long before its deadline.
Violation CancelEndless(const Engine& engine) {
  constexpr double kDeadlineS = 20;
  const Scope scope = Scope::Root();
  const Output counted = WhileLoop(
      scope, {Const(scope, 0)},
      [](const Scope& s, const OutputList& v) { return GreaterEqual(s, v[0], 0); },
      [](const Scope&, const OutputList& v) -> OutputList { return {v[0]}; })[0];
  Result<Graph> graph = scope.Finish();
  if (!graph.ok()) return Failed("an endless loop cannot be built", graph.status());
  const Result<std::unique_ptr<EngineSession>> session = engine.Open(*std::move(graph));
  if (!session.ok()) return Failed("no session for an endless loop", session.status());
  reference::RunOptions options;
  options.deadline_s = kDeadlineS;
  options.cancelled = [looks = 0]() mutable { return ++looks > 2; };
  const Status status = (*session)->Run({}, {counted.name()}, {}, options).status();
  if (status.code() == Code::kCancelled) return std::nullopt;
  return "an endless loop that is cancelled ends with " + status.ToString();
}

}  // namespace

Violation StepLimit(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<Stopping> stopping = Prepare(program, *lowered, engine);
  if (!stopping.ok()) return Failed("without a limit", stopping.status());
  for (const int64_t place : Places(stopping->firings - 1, choices)) {
    reference::RunOptions options;
    options.max_firings = place + 1;
    if (choices.Chance(kSometimes)) options.deadline_s = kLongS;
    const Violation violation = StopAndGoOn(program, *stopping, options, Code::kResourceExhausted,
                                            "limited to " + std::to_string(place + 1) + " firings");
    if (violation) return violation;
  }
  if (stopping->firings == 0) return std::nullopt;
  reference::RunOptions enough;
  enough.max_firings = (engine.capabilities().simplifies ? 2 : 1) * stopping->firings;
  if (Status status = stopping->subject.Init(); !status.ok()) return Failed("again", status);
  const Result<Fetched> actual = stopping->subject.Run(0, enough);
  if (!actual.ok()) return Failed("limited to the firings it takes", actual.status());
  return DifferenceOf(program, stopping->expected, *actual, 0);
}

Violation Cancellation(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<Stopping> stopping = Prepare(program, *lowered, engine);
  if (!stopping.ok()) return Failed("without being cancelled", stopping.status());
  const int64_t looks = (stopping->firings + kFiringsPerLook - 1) / kFiringsPerLook;
  for (const int64_t place : Places(looks, choices)) {
    reference::RunOptions options;
    int64_t looked = 0;
    options.cancelled = [&] { return looked++ >= place; };
    // Nothing is done before the first look; and going round takes another.
    stopping->may_finish = !engine.capabilities().is_reference && (place > 0 || !stopping->loops);
    if (choices.Chance(kEvenly)) options.deadline_s = kLongS;
    const Violation violation = StopAndGoOn(program, *stopping, options, Code::kCancelled,
                                            "cancelled at look " + std::to_string(place));
    if (violation) return violation;
  }
  return CancelEndless(engine);
}

}  // namespace tagflow::fuzz
