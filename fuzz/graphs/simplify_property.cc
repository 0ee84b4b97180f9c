// What the passes of transform/simplify leave means what it meant. Tested by properties_test.cc.

#include <algorithm>

#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/simplify/simplified.h"
#include "transform/simplify/call_view.h"

namespace tagflow::fuzz {
namespace {

std::string In(size_t run) { return "run " + std::to_string(run) + ": "; }

// Code and node: what is computed before a loop fails before it.
std::string WithoutTag(const std::string& error) { return error.substr(0, error.rfind('\'') + 1); }

// What the changed graph must give, where that can be said.
Problem Compare(const Forecast& wanted, const RunSeen& seen) {
  // What is computed before a loop is there, dead or not, where in the loop it never came.
  const bool both_end_so = IsOfEnd(seen.status) && IsOfEnd(wanted.first.status);
  if (both_end_so && wanted.errors.empty()) return std::nullopt;
  if (wanted.errors.empty()) {
    const std::string before = wanted.first.Result();
    return seen.Result() == before ? Problem() : seen.Result() + " instead of " + before;
  }
  const std::string error = seen.status.ok() ? "" : WithoutTag(ErrorText(seen.status));
  const bool may_be = std::ranges::any_of(
      wanted.errors, [&](const std::string& one) { return WithoutTag(one) == error; });
  if (may_be) return std::nullopt;
  return seen.Result() + " instead of an error as " + *wanted.errors.begin();
}

Problem CompareRuns(const std::vector<Forecast>& forecasts, const GraphSample& changed,
                    const ObserveOptions& options) {
  Observer after(changed);
  // What was moved needs a node on its way back into the loop.
  ObserveOptions more = options;
  more.max_firings *= 4;
  for (size_t run = 0; run < forecasts.size(); ++run) {
    const Forecast& forecast = forecasts[run];
    if (forecast.limited || !forecast.races.empty()) return std::nullopt;
    more.races = forecast.certain() && forecast.first.status.ok();
    const RunSeen seen = after.ObserveRun(run, more);
    if (Problem problem = Compare(forecast, seen)) return In(run) + *problem;
    if (!more.races) return std::nullopt;
    if (!seen.races.empty()) return In(run) + "what was ordered races: " + *seen.races.begin();
  }
  return std::nullopt;
}

// Constants in place of some of the placeholders, of what the first run feeds.
GraphSample WithConstants(const GraphSample& sample, Choices& choices) {
  GraphSample changed = sample.Clone();
  for (const auto& [name, value] : sample.runs[0]) {
    const NodeId id = changed.graph.Find(name);
    if (id == NodeId::kNone || !IsPlaceholderOp(changed.graph.node(id))) continue;
    if (choices.Chance(kSometimes)) continue;
    Node& node = changed.graph.mutable_node(id);
    node.inputs.clear();
    node.control_inputs.clear();
    node.attrs.clear();
    BecomeOp(changed.graph, id, "Const");
    changed.graph.SetAttr(id, "dtype", value.dtype());
    changed.graph.SetAttr(id, "value", value);
    for (NamedTensors& feeds : changed.runs) {
      std::erase_if(feeds, [&](const auto& feed) { return feed.first == name; });
    }
  }
  return changed;
}

Problem SameSimplified(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  ObserveOptions options;
  options.rules = &rules;
  options.trace = false;
  const Result<CallSpec> call = sample.Resolve();
  if (!call.ok() || !ValidateCall(sample.graph, *call).ok()) return std::nullopt;
  const std::vector<Forecast> forecasts = AllForecasts(sample, options);
  const std::string before = ToText(sample);
  for (const std::vector<Pass>& passes : PassOrders(choices)) {
    Result<Graph> graph = RunPasses(sample.graph, *call, passes, EvaluateByReference());
    if (!graph.ok()) return graph.status().message();
    GraphSample changed = sample.Clone();
    changed.graph = *std::move(graph);
    if (ToText(changed) == before) continue;
    if (Problem problem = CompareRuns(forecasts, changed, options)) {
      return NamesOf(passes) + ": " + *problem + "\n" + ToText(changed);
    }
  }
  return std::nullopt;
}

}  // namespace

Problem SurvivesSimplification(const GraphSample& sample, Choices& choices,
                               const reference::Rules& rules) {
  if (choices.Chance(kEvenly)) return SameSimplified(sample, choices, rules);
  const GraphSample constant = WithConstants(sample, choices);
  if (Problem problem = SameSimplified(constant, choices, rules)) {
    return "with constants for feeds: " + *problem + "\nof " + ToText(constant);
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
