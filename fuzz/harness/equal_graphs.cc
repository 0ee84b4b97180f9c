#include "fuzz/harness/equal_graphs.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample_case.h"
#include "fuzz/graphs/scout.h"
#include "fuzz/harness/equal.h"

namespace tagflow::fuzz {
namespace {

// What a graph is drawn for, and how often of twenty.
struct Turn {
  const char* property;
  int weight;
};
constexpr std::array kTurns = {Turn{"small-steps", 6}, Turn{"orders", 3}, Turn{"refusal", 5},
                               Turn{"run-ahead", 4},   Turn{"stops", 1},  Turn{"exported", 1}};

const GraphProperty& DrawProperty(Choices& choices) {
  std::array<int, kTurns.size()> weights;
  for (size_t i = 0; i < kTurns.size(); ++i) weights[i] = kTurns[i].weight;
  return *FindGraphProperty(kTurns[choices.Weighted(weights)].property);
}

Finding CompareRun(const RunSeen& wanted, const Result<std::vector<Tensor>>& actual) {
  if (!actual.ok()) {
    const Finding finding = FindingOf(actual.status());
    const bool failed = finding.kind == Finding::Kind::kFails;
    return failed && !wanted.status.ok() ? Finding::Holds() : finding;
  }
  if (!wanted.status.ok()) {
    return Finding::Fails("values where there must be an error: " + wanted.status.ToString());
  }
  for (size_t i = 0; i < wanted.values.size(); ++i) {
    if (BitwiseEqual(wanted.values[i], (*actual)[i])) continue;
    return Finding::Fails("fetch " + std::to_string(i) + " is " + (*actual)[i].DebugString() +
                          ", and on the reference " + wanted.values[i].DebugString());
  }
  return Finding::Holds();
}

Finding CheckOnEngine(const GraphSample& sample, Setting& setting) {
  std::vector<RunSeen> wanted;
  if (sample.error.has_value()) {
    wanted.emplace_back().status = Status(sample.error->code, sample.error->breach);
  } else {
    for (Forecast& forecast : CertainRuns(sample)) wanted.push_back(std::move(forecast.first));
  }
  const std::vector<Result<std::vector<Tensor>>> actual =
      setting.subject->RunGraph(sample, wanted.size());
  for (size_t run = 0; run < wanted.size() && run < actual.size(); ++run) {
    Finding finding = CompareRun(wanted[run], actual[run]);
    finding.why = (finding.why.empty() ? "" : "run " + std::to_string(run) + ": ") + finding.why;
    if (finding.kind != Finding::Kind::kHolds) return finding;
  }
  return Finding::Holds();
}

Finding CheckGraph(Choices& choices, Setting& setting) {
  const GraphProperty& property = DrawProperty(choices);
  const GraphSample sample = property.generate(choices);
  const Result<ReferenceName> reference = ParseReferenceName(setting.engine_name);
  if (!reference.ok() || !reference->is_reference) return CheckOnEngine(sample, setting);
  const Problem problem = property.check(sample, choices, *setting.rules);
  if (problem.has_value()) return Finding::Fails(property.name + ": " + *problem);
  // What a mutant does wrong besides its rules, its sessions alone show.
  const bool is_mutant = setting.rules != &reference::StandardRules();
  return is_mutant ? CheckOnEngine(sample, setting) : Finding::Holds();
}

}  // namespace

void AddGraphs(Property& equal) {
  equal.check_choices = CheckGraph;
  equal.to_case = [](Choices& choices) {
    const GraphProperty& property = DrawProperty(choices);
    return ToCase(property.generate(choices), property.name, property.about);
  };
}

}  // namespace tagflow::fuzz
