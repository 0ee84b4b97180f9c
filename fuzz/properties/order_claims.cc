// What a race-free program gives does not depend on the order of firings, nor on how many
// iterations may be under way.

#include <limits>
#include <utility>

#include "fuzz/engines/program_run.h"
#include "fuzz/program/walk.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

constexpr int kOrders = 2;
// Schedules of an engine, whose threads differ in more than the order of firings.
constexpr int kSchedules = 20;
// The search for races takes time by the square.
constexpr size_t kMostFirings = 3000;

}  // namespace

Violation RandomOrder(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<ProgramRun> subject = ProgramRun::Make(program, *lowered, engine);
  if (!subject.ok()) return Failed("in the first order", subject.status());
  if (Status status = subject->Init(); !status.ok()) return Failed("in the first order", status);
  reference::History history;
  reference::RunOptions recorded;
  recorded.history = &history;
  const Result<Fetched> expected = subject->Run(0, recorded);
  if (!expected.ok()) return Failed("in the first order", expected.status());
  if (history.firings.size() <= kMostFirings) {
    const std::vector<reference::Race> races = FindRaces(history);
    if (!races.empty()) return races[0].ToString(history);
  }
  const int orders = engine.capabilities().is_reference ? kOrders : kSchedules;
  for (int i = 0; i < orders; ++i) {
    reference::RunOptions options;
    options.seed = 1 + choices.Below(std::numeric_limits<int32_t>::max());
    const std::string what = "in order " + std::to_string(options.seed);
    if (Status status = subject->Init(); !status.ok()) return Failed(what, status);
    const Result<Fetched> actual = subject->Run(0, options);
    if (!actual.ok()) return Failed(what, actual.status());
    if (const Violation difference = DifferenceOf(program, *expected, *actual, 0)) {
      return what + ": " + *difference;
    }
  }
  return std::nullopt;
}

Violation Parallel(const Program& program, Choices& choices, const Engine& engine) {
  const std::vector<int64_t> kWidths = {1, 2, 3, std::numeric_limits<int32_t>::max()};
  bool any = false;
  ForEachStatement(program.body,
                   [&](const Statement& statement) { any |= statement.op == Op::kWhile; });
  if (!any) return std::nullopt;
  const Result<AllFetched> expected = RunAllOn(program, engine);
  if (!expected.ok()) return Failed("as it is", expected.status());
  for (const bool mixed : {false, true}) {
    Program changed = program;
    const int64_t one = choices.Of(kWidths);
    ForEachStatement(changed.body, [&](Statement& statement) {
      if (statement.op != Op::kWhile) return;
      statement.loop.parallel_iterations = mixed ? choices.Of(kWidths) : one;
    });
    const std::string what = "with parallel_iterations " + (mixed ? "mixed" : std::to_string(one));
    const Result<AllFetched> actual = RunAllOn(changed, engine);
    if (!actual.ok()) return Failed(what, actual.status());
    if (const Violation difference = DifferenceOf(program, *expected, *actual)) {
      return what + ": " + *difference;
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
