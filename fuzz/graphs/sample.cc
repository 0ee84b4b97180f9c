#include "fuzz/graphs/sample.h"

#include "graph/attr_value.h"

namespace tagflow::fuzz {
namespace {

std::string LineOf(const Graph& graph, const Node& node) {
  std::string line = node.name + " = " + node.op + "(";
  std::string separator;
  for (const OutputRef& input : node.inputs) {
    line += separator + OutputName(graph, input);
    separator = ", ";
  }
  for (const NodeId control : node.control_inputs) {
    line += separator + "^" + graph.node(control).name;
    separator = ", ";
  }
  line += ")";
  for (const auto& [name, value] : node.attrs) line += " " + name + "=" + value.ToString();
  if (!node.device.empty()) line += " device=" + node.device;
  return line;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

GraphSample GraphSample::Clone() const {
  return GraphSample{graph.Clone(), runs, fetches, targets, devices, error, in_order, deadline_s};
}

std::vector<GraphCall> GraphSample::Calls(size_t count) const {
  std::vector<GraphCall> calls;
  for (size_t run = 0; run < count; ++run) calls.push_back(CallOf(run));
  return calls;
}

Result<CallSpec> GraphSample::Resolve() const {
  std::vector<std::string> feeds;
  for (const auto& [name, value] : runs[0]) feeds.push_back(name);
  return ResolveCall(graph, feeds, fetches, targets);
}

GraphSample GraphSample::With(const GraphCall& call) const {
  GraphSample sample = Clone();
  sample.runs = {call.feeds};
  sample.fetches = call.fetches;
  sample.targets = call.targets;
  return sample;
}

std::string ToText(const GraphSample& sample) {
  std::string text;
  for (const NodeId id : sample.graph.NodeIds()) {
    text += LineOf(sample.graph, sample.graph.node(id)) + "\n";
  }
  for (const NamedTensors& feeds : sample.runs) {
    text += "run";
    for (const auto& [name, value] : feeds) text += " " + name + "=" + value.DebugString();
    text += "\n";
  }
  text += "fetches " + Joined(sample.fetches) + "; targets " + Joined(sample.targets) + "\n";
  if (!sample.devices.empty()) text += "devices " + Joined(sample.devices) + "\n";
  if (sample.error) {
    text += "must fail: " + sample.error->violation + ": " +
            std::string(CodeName(sample.error->code)) + " [" + sample.error->rule + "] at '" +
            sample.error->node + "'\n";
  }
  return text;
}

}  // namespace tagflow::fuzz
