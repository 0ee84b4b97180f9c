// A program's graph, in some with gradients, gives what it gave when its loops and conds are made
// functions by transform/structure, parts of it functions that it calls, and all of that primitives
// again by transform/lower.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/program_run.h"
#include "fuzz/functions/outline.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "fuzz/properties/with_functions.h"
#include "fuzz/properties/with_gradients.h"
#include "transform/lower/lower.h"
#include "transform/structure/recover_functions.h"

namespace tagflow::fuzz {
namespace {

// Runs a program's own graph, then graphs made of it, and compares what they give.
class Translations {
 public:
  Translations(const Program& program, const Engine& engine) : program_(program), engine_(engine) {}

  // Runs the program's own graph, in some programs with gradients. A violation where that fails.
  Violation Start(Choices& choices) {
    Result<Lowered> lowered = Lower(program_);
    if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
    num_own_ = lowered->fetches.size();
    if (choices.Chance(kSometimes)) lowered = WithGradients(*std::move(lowered));
    if (!lowered.ok()) return Failed("with gradients", lowered.status());
    lowered_ = *std::move(lowered);
    Result<ProgramRun> subject = ProgramRun::Make(program_, lowered_, engine_);
    if (!subject.ok()) return Failed("as it is", subject.status());
    Result<AllFetched> expected = RunWithGradients(*subject);
    if (!expected.ok()) return Failed("as it is", expected.status());
    expected_ = *std::move(expected);
    return std::nullopt;
  }
  const Lowered& lowered() const { return lowered_; }

  // Runs a graph made of the program's; a violation where it gives something else.
  //   call: the same fetches and feeds; targets may be others
  //   may_end: the graph may give RESOURCE_EXHAUSTED instead
  Violation Same(const std::string& what, const Graph& graph, const CallSpec& call,
                 bool may_end = false) {
    if (const Status status = ValidateCall(graph, call).status(); !status.ok()) {
      return Failed(what + " it is no graph", status);
    }
    lowered_.init = TargetsOf(graph, call);
    Result<ProgramRun> changed = ProgramRun::Make(program_, lowered_, graph.Clone(), engine_);
    if (!changed.ok()) return Failed(what, changed.status());
    const Result<AllFetched> actual = RunWithGradients(*changed);
    if (may_end && actual.status().code() == Code::kResourceExhausted) return std::nullopt;
    if (!actual.ok()) return Failed(what, actual.status());
    const Violation difference =
        DifferenceWithGradients(program_, lowered_, num_own_, expected_, *actual);
    return difference ? what + ": " + *difference : difference;
  }

 private:
  const Program& program_;
  const Engine& engine_;
  Lowered lowered_;
  size_t num_own_ = 0;  // fetches of the program itself
  AllFetched expected_;
};

// The call of another graph in which its nodes have the same names.
CallSpec CallIn(const Graph& graph, const Graph& of, CallSpec call) {
  for (OutputRef& feed : call.feeds) feed.node = graph.Find(of.node(feed.node).name);
  for (OutputRef& fetch : call.fetches) fetch.node = graph.Find(of.node(fetch.node).name);
  for (NodeId& target : call.targets) target = graph.Find(of.node(target).name);
  return call;
}

}  // namespace

Violation Recovered(const Program& program, Choices& choices, const Engine& engine) {
  Translations translations(program, engine);
  if (Violation violation = translations.Start(choices)) return violation;
  const Result<CallSpec> call = WholeCallOf(translations.lowered());
  if (!call.ok()) return Failed("the call fails", call.status());
  const Result<RecoveredGraph> recovered = RecoverFunctions(translations.lowered().graph, *call);
  if (!recovered.ok()) return Failed("the recovery fails", recovered.status());
  return translations.Same("recovered", recovered->graph, recovered->call);
}

Violation Functional(const Program& program, Choices& choices, const Engine& engine) {
  Translations translations(program, engine);
  if (Violation violation = translations.Start(choices)) return violation;
  const Result<CallSpec> call = WholeCallOf(translations.lowered());
  if (!call.ok()) return Failed("the call fails", call.status());
  Result<RecoveredGraph> functional = WithFunctions(translations.lowered(), *call, choices);
  if (!functional.ok()) return Failed("functions cannot be made", functional.status());

  Graph& graph = functional->graph;
  // Nobody but us promises an error for calls without end.
  const bool is_recursive = engine.capabilities().is_in_process && choices.Chance(kRarely) &&
                            MakeRecursive(graph, functional->call, choices);
  if (Violation violation =
          translations.Same("with calls", graph, functional->call, is_recursive)) {
    return violation;
  }
  Graph primitive = graph.Clone();
  LowerFunctions(primitive);
  const CallSpec lowered_call = CallIn(primitive, graph, functional->call);
  if (Violation violation = translations.Same("lowered", primitive, lowered_call, is_recursive)) {
    return violation;
  }
  const Result<RecoveredGraph> again = RecoverFunctions(primitive, lowered_call);
  if (!again.ok()) return Failed("the second recovery fails", again.status());
  return translations.Same("lowered and recovered", again->graph, again->call, is_recursive);
}

}  // namespace tagflow::fuzz
