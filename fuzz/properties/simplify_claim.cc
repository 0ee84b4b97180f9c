// A program's graph, after the passes of transform/simplify, gives what it gave.

#include <utility>
#include <vector>

#include "fuzz/engines/program_run.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "fuzz/simplify/simplified.h"

namespace tagflow::fuzz {
namespace {

// The first run, with some of what it feeds written into the program.
Program WithConstants(const Program& program, Choices& choices) {
  Program changed = program;
  changed.runs = 1;
  std::vector<Statement> constants;
  for (Input& input : changed.inputs) {
    input.feeds.resize(1);
    if (choices.Chance(kSometimes)) continue;
    Statement constant;
    constant.literal = input.feeds[0];
    constant.outputs = {std::exchange(input.value, ValueId::kNone)};
    constants.push_back(std::move(constant));
  }
  std::erase_if(changed.inputs, [](const Input& input) { return input.value == ValueId::kNone; });
  std::vector<Statement>& statements = changed.body.statements;
  statements.insert(statements.begin(), constants.begin(), constants.end());
  return changed;
}

Violation SameSimplified(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<ProgramRun> subject = ProgramRun::Make(program, *lowered, engine);
  if (!subject.ok()) return Failed("as it is", subject.status());
  const Result<AllFetched> expected = subject->RunAll();
  if (!expected.ok()) return Failed("as it is", expected.status());
  // The step that initializes variables runs on the same graph.
  const Result<CallSpec> call =
      ResolveCall(lowered->graph, lowered->feeds, lowered->fetches, lowered->init);
  if (!call.ok()) return Failed("the call fails", call.status());
  const Evaluate evaluate =
      EvaluateBy([&engine](Graph graph, const reference::NamedTensors& feeds,
                           const std::vector<std::string>& fetches) -> Result<std::vector<Tensor>> {
        TAGFLOW_ASSIGN_OR_RETURN(const auto session, engine.Open(std::move(graph)));
        return session->Run(feeds, fetches, {}, {});
      });
  for (const std::vector<Pass>& passes : PassOrders(choices)) {
    const std::string what = "after " + NamesOf(passes);
    Result<Graph> graph = RunPasses(lowered->graph, *call, passes, evaluate);
    if (!graph.ok()) return Failed(what, graph.status());
    Result<ProgramRun> changed = ProgramRun::Make(program, *lowered, *std::move(graph), engine);
    if (!changed.ok()) return Failed(what, changed.status());
    const Result<AllFetched> actual = changed->RunAll();
    if (!actual.ok()) return Failed(what, actual.status());
    if (const Violation difference = DifferenceOf(program, *expected, *actual)) {
      return what + ": " + *difference;
    }
  }
  return std::nullopt;
}

}  // namespace

Violation Simplification(const Program& program, Choices& choices, const Engine& engine) {
  if (Violation violation = SameSimplified(program, choices, engine)) return violation;
  const Violation violation = SameSimplified(WithConstants(program, choices), choices, engine);
  if (violation) return "with constants for inputs: " + *violation;
  return std::nullopt;
}

}  // namespace tagflow::fuzz
