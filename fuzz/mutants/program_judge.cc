#include "fuzz/mutants/program_judge.h"

#include <utility>
#include <vector>

#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/lower/lower.h"
#include "fuzz/mutants/mutant_session.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostFirings = 300'000;  // a mutant may go on for ever

class ProgramRun {
 public:
  ProgramRun(const Program& program, const Lowered& lowered, const Mutant& mutant, uint64_t seed)
      : program_(program), lowered_(lowered), mutant_(mutant), seed_(seed) {}

  Result<std::vector<std::vector<Tensor>>> RunAll() {
    MutantSession session(lowered_.graph.Clone(), mutant_);
    if (!lowered_.init.empty())
      TAGFLOW_RETURN_IF_ERROR(session.Run({{}, {}, lowered_.init}, Options()).status());
    std::vector<std::vector<Tensor>> all;
    for (int run = 0; run < program_.runs; ++run) {
      reference::RunOptions options = Options();
      reference::History history;
      if (mutant_.history) options.history = &history;
      if (mutant_.options) options.trace = [this](const reference::TraceEvent&) { ++firings_; };
      if (run > 0) options.trace = nullptr;
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> values, session.Run(CallOf(run), options));
      all.push_back(std::move(values));
      const std::vector<reference::Race> races = reference::FindRaces(history);
      if (!races.empty()) race_ = races.front().ToString(history);
    }
    return all;
  }

  // One firing too few for the first run.
  std::string Limited() {
    MutantSession session(lowered_.graph.Clone(), mutant_);
    (void)session.Run({{}, {}, lowered_.init}, Options());
    reference::RunOptions options = Options();
    options.max_firings = firings_ - 1;
    const Status status = session.Run(CallOf(0), options).status();
    if (status.code() == Code::kResourceExhausted || firings_ < 2) return "";
    return "a limit of one firing too few gives " + status.ToString();
  }

  const std::string& race() const { return race_; }

 private:
  reference::RunOptions Options() const {
    reference::RunOptions options;
    options.seed = seed_;
    options.max_firings = kMostFirings;
    return options;
  }

  Call CallOf(int run) const {
    Call call;
    call.feeds = FeedsOf(program_, lowered_, run);
    call.fetches = lowered_.fetches;
    return call;
  }

  const Program& program_;
  const Lowered& lowered_;
  const Mutant& mutant_;
  const uint64_t seed_;
  int64_t firings_ = 0;
  std::string race_;
};

}  // namespace

std::string WrongByProgram(const Program& program, const Mutant& mutant, uint64_t seed) {
  const Result<std::vector<RunResult>> expected = Evaluate(program);
  if (!expected.ok()) return "";  // a program that fails says nothing
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return lowered.status().ToString();
  ProgramRun run(program, *lowered, mutant, seed);
  const Result<std::vector<std::vector<Tensor>>> actual = run.RunAll();
  if (!actual.ok()) return actual.status().ToString();
  const Result<Verdict> verdict = Judge(program, *expected, *actual);
  if (verdict.ok() && !verdict->difference.empty()) return verdict->difference;
  if (!run.race().empty()) return run.race();
  return mutant.options ? run.Limited() : "";
}

}  // namespace tagflow::fuzz
