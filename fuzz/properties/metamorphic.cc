#include "fuzz/properties/metamorphic.h"

#include <utility>

#include "fuzz/direct/direct.h"
#include "fuzz/program/check.h"
#include "fuzz/properties/subject_run.h"

namespace tagflow::fuzz {
namespace {

AllFetched ValuesOf(const std::vector<RunResult>& runs) {
  AllFetched all;
  for (const RunResult& run : runs) all.push_back(run.values);
  return all;
}

// What a program twice gives: results and then variables, of each kind all of them and all again.
AllFetched Doubled(const Program& program, const AllFetched& once) {
  AllFetched all;
  const auto results = static_cast<ptrdiff_t>(program.body.results.size());
  for (const Fetched& values : once) {
    Fetched twice(values.begin(), values.begin() + results);
    twice.insert(twice.end(), values.begin(), values.begin() + results);
    twice.insert(twice.end(), values.begin() + results, values.end());
    twice.insert(twice.end(), values.begin() + results, values.end());
    all.push_back(std::move(twice));
  }
  return all;
}

Violation Compare(const Program& program, const Changed& changed, AllFetched expected,
                  const AllFetched& actual, const std::string& who) {
  if (changed.twice) expected = Doubled(program, expected);
  const Violation difference = DifferenceOf(changed.program, expected, actual);
  if (!difference) return std::nullopt;
  return "by " + who + ", after the change: " + *difference;
}

Violation CheckSame(const Program& program, const Changed& changed, const Engine& engine) {
  if (const Status status = Check(changed.program); !status.ok()) {
    return Failed("the changed program is none", status);
  }
  const Result<std::vector<RunResult>> before = Evaluate(program);
  if (!before.ok()) return Failed("the evaluator fails", before.status());
  const Result<std::vector<RunResult>> after = Evaluate(changed.program);
  if (!after.ok()) return Failed("the evaluator fails after the change", after.status());
  const Violation evaluated =
      Compare(program, changed, ValuesOf(*before), ValuesOf(*after), "the evaluator");
  if (evaluated) return evaluated;
  Result<AllFetched> expected = RunAllOn(program, engine);
  if (!expected.ok()) return Failed("the engine fails", expected.status());
  const Result<AllFetched> actual = RunAllOn(changed.program, engine);
  if (!actual.ok()) return Failed("the engine fails after the change", actual.status());
  return Compare(program, changed, *std::move(expected), *actual, "the engine");
}

}  // namespace

ProgramClaim SameAfter(Change change) {
  return [change](const Program& program, Choices& choices, const Engine& engine) -> Violation {
    const std::optional<Changed> changed = change(program, choices);
    return changed ? CheckSame(program, *changed, engine) : std::nullopt;
  };
}

}  // namespace tagflow::fuzz
