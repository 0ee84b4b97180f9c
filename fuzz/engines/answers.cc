#include "fuzz/engines/answers.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fuzz/direct/direct.h"
#include "fuzz/engines/program_run.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kGraphFiringsMost = 20'000;

Result<Answers> EvaluateDirectly(const Program& program) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<RunResult> runs, Evaluate(program));
  Answers answers;
  for (RunResult& run : runs) answers.runs.push_back(std::move(run.values));
  return answers;
}

// How a step failed, under a code that is not one of the three that say how an engine is.
Status Said(const Engine& engine, const Status& error) {
  const Capabilities can = engine.capabilities();
  const bool is_lacking = error.code() == Code::kUnimplemented && !can.is_reference;
  return is_lacking || !can.is_in_process ? error : Internal(error.ToString());
}

}  // namespace

bool BitwiseEqual(const Answers& a, const Answers& b) {
  const auto same = [](const Tensor& x, const Tensor& y) { return BitwiseEqual(x, y); };
  return std::ranges::equal(
      a.runs, b.runs, [&](const auto& x, const auto& y) { return std::ranges::equal(x, y, same); });
}

Result<Answers> RunProgram(const Engine* engine, const Program& program, int64_t max_firings) {
  if (engine == nullptr) return EvaluateDirectly(program);
  TAGFLOW_ASSIGN_OR_RETURN(Lowered lowered, Lower(program));
  Graph graph = std::move(lowered.graph);
  const int64_t limit = engine->capabilities().is_reference ? max_firings : 0;
  TAGFLOW_ASSIGN_OR_RETURN(ProgramRun run,
                           ProgramRun::Make(program, lowered, std::move(graph), *engine, limit));
  Answers answers;
  reference::RunOptions options;
  options.firings = &answers.firings;
  TAGFLOW_ASSIGN_OR_RETURN(answers.runs, run.RunAll(options));
  return answers;
}

std::vector<Result<std::vector<Tensor>>> RunCalls(const Engine& engine, const GraphSample& sample,
                                                  const std::vector<GraphCall>& calls) {
  const auto session = engine.Open(sample.graph.Clone(), sample.devices);
  if (!session.ok()) return {Said(engine, session.status())};
  reference::RunOptions options;
  options.deadline_s = sample.deadline_s;
  if (sample.deadline_s == 0) options.max_firings = kGraphFiringsMost;
  std::vector<Result<std::vector<Tensor>>> results;
  for (const GraphCall& call : calls) {
    results.push_back((*session)->Run(call.feeds, call.fetches, call.targets, options));
    if (!results.back().ok()) results.back() = Said(engine, results.back().status());
  }
  return results;
}

}  // namespace tagflow::fuzz
