#include "fuzz/placement/question.h"

#include <set>
#include <string>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow::fuzz {
namespace {

using Amounts = std::vector<double>;

DeviceCatalog DrawCatalog(const Graph& graph, Choices& choices) {
  DeviceCatalog catalog;
  const uint32_t devices = static_cast<uint32_t>(choices.Between(kTwoToFour));
  catalog.AddDevice({"/device:CPU:0", "CPU"});
  for (uint32_t i = 1; i < devices; ++i) {
    const std::string kind = choices.Chance(kEvenly) ? "SIM" : "CPU";
    DeviceInfo device{"/device:" + kind + ":" + std::to_string(i), kind};
    if (choices.Chance(kSometimes))
      device.memory_bytes = choices.Of(std::vector<int64_t>{100, 1000, 10});
    catalog.AddDevice(std::move(device));
  }
  std::set<std::string> ops;
  for (const NodeId id : graph.NodeIds()) ops.insert(graph.node(id).op);
  const Odds lacking = choices.Of(std::vector{kNever, kSeldom, kEvenly});
  for (const std::string& op : ops) {
    if (ControlOpOf(op) != ControlOp::kNone) continue;
    catalog.AddKernel(op, "CPU", DType::kInvalid);
    if (!choices.Chance(lacking)) catalog.AddKernel(op, "SIM", DType::kInvalid);
  }
  return catalog;
}

CostOptions DrawCosts(const Graph& graph, const DeviceCatalog& catalog, Choices& choices) {
  CostOptions costs;
  costs.unknown_trips = choices.Of(Amounts{100, 3, 1});
  // Tensors of random programs are small: on slow devices they are worth a message.
  const double slow = choices.Of(Amounts{1, 10, 1000});
  for (const DeviceInfo& device : catalog.devices()) {
    costs.devices[device.name] = {choices.Of(Amounts{100, 10, 1000}),
                                  choices.Of(Amounts{4, 1, 16}) / slow,
                                  choices.Of(Amounts{10, 2, 50}) / slow};
    for (const DeviceInfo& to : catalog.devices()) {
      costs.links[{device.name, to.name}] = {choices.Of(Amounts{1000, 100, 10000}),
                                             choices.Of(Amounts{10, 1})};
    }
  }
  if (!choices.Chance(kSometimes)) return costs;
  for (const NodeId id : graph.NodeIds()) {
    if (!choices.Chance(kSometimes)) continue;
    costs.measured[graph.node(id).name] = {choices.Of(Amounts{100, 1e4, 0}),
                                           choices.Of(Amounts{1, 7, 50, 0})};
  }
  return costs;
}

void DrawRequests(Graph& graph, const DeviceCatalog& catalog, Choices& choices) {
  const Odds odds = choices.Of(std::vector{kNever, kRarely, kSometimes});
  const std::vector<NodeId> ids = graph.NodeIds();
  for (const NodeId id : ids) {
    graph.mutable_node(id).device.clear();
    if (!choices.Chance(odds)) continue;
    const std::string& there = choices.Of(catalog.devices()).name;
    const std::vector<std::string> asked = {there, "/job:localhost" + there, "/device:SIM:*",
                                            "/device:CPU:*", "/device:GPU:0"};
    graph.mutable_node(id).device = choices.Of(asked);
    if (!choices.Chance(kSometimes)) continue;
    AttrList together;
    together.strings = {"loc:@" + graph.node(choices.Of(ids)).name};
    graph.SetAttr(id, "_class", AttrValue(std::move(together)));
  }
}

}  // namespace

PlacementQuestion DrawQuestion(const Graph& graph, std::vector<CallSpec> calls, Choices& choices) {
  PlacementQuestion question{graph.Clone(), std::move(calls), {}, {}};
  question.catalog = DrawCatalog(graph, choices);
  DrawRequests(question.graph, question.catalog, choices);
  question.options.soft = choices.Chance(kMostly);
  question.options.costs = DrawCosts(graph, question.catalog, choices);
  return question;
}

std::vector<CallSpec> CallsOf(const Lowered& lowered) {
  std::vector<CallSpec> calls;
  if (!lowered.init.empty()) calls.push_back(*ResolveCall(lowered.graph, {}, {}, lowered.init));
  calls.push_back(*ResolveCall(lowered.graph, lowered.feeds, lowered.fetches, {}));
  return calls;
}

Result<PlacementReport> PlaceSoftly(const Lowered& lowered, Choices& choices) {
  PlacementQuestion question = DrawQuestion(lowered.graph, CallsOf(lowered), choices);
  question.options.soft = true;
  return Place(question.graph, question.catalog, question.options);
}

}  // namespace tagflow::fuzz
