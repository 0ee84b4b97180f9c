// That nodes give what their shape functions foresaw.
// Tested by properties_test.cc.

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/graphs/properties.h"
#include "graph/shape_inference.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

using Shapes = std::vector<std::vector<PartialShape>>;  // by node id and output

constexpr int64_t kMostFirings = 1000;

// What is fed in place of a computed tensor need not have its shape.
bool FeedsAreForeseen(const GraphSample& sample) {
  return std::ranges::all_of(sample.runs[0], [&](const auto& feed) {
    const NodeId id = sample.graph.Find(feed.first);
    return id != NodeId::kNone && sample.graph.node(id).op.starts_with("Placeholder");
  });
}

Problem Unforeseen(const reference::TraceEvent& event, const Shapes& shapes) {
  const std::vector<PartialShape>& claims = shapes[Index(event.node->id)];
  for (size_t i = 0; i < event.outputs.size() && i < claims.size(); ++i) {
    const Tensor& value = event.outputs[i].value;  // none: dead, or a reference
    if (!value.has_value() || claims[i].Accepts(value.dims())) continue;
    return "'" + event.node->name + ":" + std::to_string(i) + "' " + event.tag + " has shape " +
           DimsString(value.dims()) + ", and " + claims[i].ToString() + " was foreseen";
  }
  return std::nullopt;
}

// A node that was refused, and gives something.
Problem Refused(const reference::TraceEvent& event, const Status& refusal) {
  const bool is_live = std::ranges::any_of(
      event.outputs, [](const auto& output) { return output.value.has_value(); });
  if (!is_live || event.node->name != refusal.node()) return std::nullopt;
  return "'" + event.node->name + "' " + event.tag +
         " computes what was refused: " + refusal.ToString();
}

}  // namespace

Problem HasForeseenShapes(const GraphSample& sample, Choices&, const reference::Rules& rules) {
  const Result<Shapes> shapes = InferShapes(sample.graph);
  if (!FeedsAreForeseen(sample)) return std::nullopt;
  const auto session = reference::Session::Create(sample.graph.Clone());
  if (!session.ok()) return std::nullopt;
  Problem problem;
  reference::RunOptions options;
  options.max_firings = kMostFirings;
  options.trace = [&](const reference::TraceEvent& event) {
    if (problem) return;
    problem = shapes.ok() ? Unforeseen(event, *shapes) : Refused(event, shapes.status());
  };
  for (const NamedTensors& feeds : sample.runs) {
    (void)(*session)->RunUnder(rules, feeds, sample.fetches, sample.targets, options);
  }
  return problem;
}

}  // namespace tagflow::fuzz
