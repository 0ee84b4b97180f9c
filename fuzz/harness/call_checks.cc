#include "fuzz/harness/call_checks.h"

#include <set>
#include <string>
#include <utility>

#include "fuzz/gradient/call_gradients.h"
#include "fuzz/gradient/differentiable_calls.h"
#include "fuzz/graphs/written.h"
#include "fuzz/harness/call_agreement.h"
#include "fuzz/harness/equal.h"
#include "fuzz/kernels/fusible.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/racing_pair.h"

namespace tagflow::fuzz {
namespace {

std::set<std::string> FusibleOps(const Graph& graph) {
  std::set<std::string> ops;
  for (const NodeId id : graph.NodeIds()) {
    if (IsFusible(graph.node(id))) ops.insert(graph.node(id).op);
  }
  return ops;
}

// That the engine, which may make one kernel of several of its own, calls kernels of the caller's
// as often as the reference does, and makes the same of them.
Finding CheckOwnKernels(const GraphSample& call, Choices&, Setting& setting) {
  const Capabilities can = setting.engine->capabilities();
  if (!can.is_in_process || can.is_reference || can.simplifies) return Finding::Holds();
  const LittleMemory little(kMemoryOfCalls);
  const auto run = [&](const Engine& by) {
    return by.RunWithOwnKernels(call.graph.Clone(), call.runs[0], call.fetches, call.targets);
  };
  const Result<OwnKernelRun> wanted = run(StandardReference());
  if (!wanted.ok()) return Finding::Holds();
  Result<OwnKernelRun> found = run(*setting.engine);
  if (!found.ok()) return FindingOf(found.status());
  for (const std::string& op : FusibleOps(call.graph)) {
    if (wanted->calls.at(op) == found->calls.at(op)) continue;
    return Finding::Fails("the caller's own kernels of " + op + " are called " +
                          std::to_string(found->calls.at(op)) + " times instead of " +
                          std::to_string(wanted->calls.at(op)) + "\n" + ToText(call));
  }
  if (!IsKnown(call)) return Finding::Holds();
  Finding finding = CompareCalls(call, wanted->values, std::move(found->values), true);
  if (finding.bad()) finding.why = "with own kernels: " + finding.why + "\n" + ToText(call);
  return finding;
}

// That gradients, which are graphs that the engine runs, are those of the reference's tape.
Finding CheckGradient(const GraphSample& call, Choices& choices, Setting& setting) {
  if (!IsInProcess(setting)) return Finding::Holds();
  GraphGradientCheck check;
  check.engine = setting.engine;
  const auto problem = CallGradientsEqualTape(call, choices, check);
  return problem.has_value() ? Finding::Fails("gradient: " + *problem) : Finding::Holds();
}

// That tensors are the same when they have been written to a file and read again.
Finding CheckWritten(const GraphSample& call, Choices& choices, Setting& setting) {
  if (!IsOfReference(setting)) return Finding::Holds();
  for (const auto& [name, value] : call.runs[0]) {
    const Problem problem = IsFilledUp(value, choices);
    if (problem.has_value()) return Finding::Fails("written: " + *problem);
  }
  return Finding::Holds();
}

// That the two orders of a pair are what an exploration finds.
Finding CheckRace(const GraphSample& call, Choices&, Setting& setting) {
  if (!IsOfReference(setting)) return Finding::Holds();
  return Finding::Of(RacesOtherwise(call, *setting.rules));
}

constexpr CallCheck kFurther[] = {
    {"gradient", DrawDifferentiableCall, CheckGradient},
    {"race", DrawRacingPair, CheckRace},
    {"own kernels", DrawKernelCall, CheckOwnKernels},
    {"written", DrawKernelCall, CheckWritten},
};
constexpr CallCheck kNothingMore = {"", DrawKernelCall, nullptr};

}  // namespace

const CallCheck& DrawCallCheck(Choices& choices) {
  if (!choices.Chance(kSometimes)) return kNothingMore;
  return choices.Of(kFurther);
}

}  // namespace tagflow::fuzz
