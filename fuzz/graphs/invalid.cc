// Tested by invalid_test.cc.

#include "fuzz/graphs/invalid.h"

#include "fuzz/graphs/observe.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/unstructured.h"
#include "fuzz/graphs/violation.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

const std::vector<Violation>& AllViolations() {
  static const auto& all = *new std::vector<Violation>([] {
    std::vector<Violation> violations;
    for (const auto* some :
         {&FrameViolations(), &StepViolations(), &NodeViolations(), &StateViolations()}) {
      violations.insert(violations.end(), some->begin(), some->end());
    }
    return violations;
  }());
  return all;
}

Problem CompareError(const GraphSample& sample, const Status& status) {
  const ExpectedError& wanted = *sample.error;
  const bool right = status.code() == wanted.code &&
                     (wanted.rule.empty() || status.rule() == wanted.rule) &&
                     (wanted.node.empty() || status.node() == wanted.node);
  if (!right) {
    return wanted.violation + " must give " + std::string(CodeName(wanted.code)) + " [" +
           wanted.rule + "] at '" + wanted.node + "', and gives " + status.ToString();
  }
  if (status.message().empty()) return wanted.violation + ": the error says nothing";
  return std::nullopt;
}

}  // namespace

std::vector<std::string> Violations() {
  std::vector<std::string> names;
  for (const Violation& violation : AllViolations()) names.push_back(violation.about);
  return names;
}

GraphSample MakeInvalid(Choices& choices) {
  const Violation& violation = choices.Of(AllViolations());
  UnstructuredOptions options;
  options.most_actions = 6;
  GraphSample sample = MakeUnstructured(choices, options);
  ExpectedError error = violation.commit(sample, choices);
  error.violation = violation.about;
  sample.error = std::move(error);
  return sample;
}

Problem IsRefused(const GraphSample& sample, Choices& choices, const reference::Rules& rules) {
  if (!sample.error) return std::nullopt;
  ObserveOptions options;
  options.rules = &rules;
  options.trace = false;
  Observer observer(sample);
  for (const ReadyOrder& order : OrdersOf(1 + choices.Seed())) {
    options.order = order;
    const std::vector<RunSeen> runs = observer.Observe(options);
    if (Problem problem = CompareError(sample, runs.back().status)) return problem;
  }
  // Whatever is wrong, the whole graph can be looked at, written, and read or refused.
  (void)ValidateGraph(sample.graph);
  (void)GraphNotes(sample.graph);
  const Result<std::string> bytes = ExportGraphToBytes(sample.graph);
  if (!bytes.ok()) return "cannot be written: " + bytes.status().ToString();
  Result<Graph> graph = ImportGraphFromBytes(*bytes);
  if (!graph.ok()) return "cannot be read: " + graph.status().ToString();
  GraphSample read = sample.Clone();
  read.graph = *std::move(graph);
  return CompareError(read, Observer(read).Observe(options).back().status);
}

}  // namespace tagflow::fuzz
