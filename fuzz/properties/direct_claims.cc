#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/engines/program_run.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"

namespace tagflow::fuzz {

Violation EqualsDirect(const Program& program, Choices&, const Engine& engine) {
  const Result<std::vector<RunResult>> expected = Evaluate(program);
  if (!expected.ok()) return Failed("the evaluator fails", expected.status());
  const Result<AllFetched> actual = RunAllOn(program, engine);
  if (!actual.ok()) return Failed("the engine fails", actual.status());
  const Result<Verdict> verdict = Judge(program, *expected, *actual);
  if (!verdict.ok()) return Failed("the evaluator fails", verdict.status());
  if (verdict->difference.empty()) return std::nullopt;
  return verdict->difference;
}

}  // namespace tagflow::fuzz
