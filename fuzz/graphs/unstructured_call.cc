// Tested by unstructured_test.cc.

#include "fuzz/graphs/unstructured_call.h"

#include <algorithm>

#include "fuzz/graphs/naive.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kFirings = 2000;

Tensor AnyValue(Choices& choices, DType type) {
  if (type == DType::kBool) return Tensor::Scalar<bool>(choices.Chance(kEvenly));
  return Tensor::Scalar<int32_t>(choices.Between(kUpToFour));
}

// Nodes whose tokens nobody takes.
std::vector<NodeId> Sinks(const Graph& graph) {
  std::vector<bool> consumed(graph.id_limit());
  for (const NodeId id : graph.NodeIds()) {
    for (const OutputRef& input : graph.node(id).inputs) consumed[Index(input.node)] = true;
    for (const NodeId control : graph.node(id).control_inputs) consumed[Index(control)] = true;
  }
  std::vector<NodeId> sinks;
  for (const NodeId id : graph.NodeIds()) {
    if (!consumed[Index(id)] && graph.node(id).op != "Placeholder") sinks.push_back(id);
  }
  return sinks;
}

bool CanBeFetched(const Value& value) {
  return value.type == DType::kInt32 || value.type == DType::kBool;
}
bool CanBeFed(const Value& value) { return CanBeFetched(value) && !value.is_ref; }

// Those of the candidates that are live in every run, as far as runs end well.
std::vector<std::string> LiveOnes(const GraphSample& sample,
                                  const std::vector<std::string>& candidates) {
  GraphSample all = sample.Clone();
  all.fetches.clear();
  const Naive naive(all);
  if (!naive.Supported().ok()) return {};
  NaiveVariables variables;
  std::vector<int> live(candidates.size());
  for (size_t run = 0; run < all.runs.size(); ++run) {
    const NaiveOutcome outcome = naive.Run(
        run, variables, [](size_t) { return size_t{0}; }, kFirings);
    for (const NaiveEvent& event : outcome.events) {
      for (size_t port = 0; port < event.outputs.size(); ++port) {
        const std::string name = OutputName(all.graph, {event.node->id, static_cast<int>(port)});
        const auto at = std::find(candidates.begin(), candidates.end(), name);
        const bool is_live = !event.dead && !event.outputs[port].dead;
        if (at != candidates.end() && is_live) ++live[static_cast<size_t>(at - candidates.begin())];
      }
    }
  }
  std::vector<std::string> found;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (live[i] >= static_cast<int>(all.runs.size())) found.push_back(candidates[i]);
  }
  return found;
}

void ChooseFeeds(Choices& choices, GraphSample& sample, const std::vector<Value>& feeds,
                 const std::vector<Value>& root) {
  std::vector<Value> fed = feeds;
  // Now and then a tensor from the middle of the root frame is fed, too.
  if (choices.Chance(kSeldom)) {
    const Value& inner = choices.Of(root);
    const bool fed_already = std::any_of(
        fed.begin(), fed.end(), [&](const Value& feed) { return feed.output == inner.output; });
    if (CanBeFed(inner) && !fed_already) {
      fed.push_back(inner);
    }
  }
  const int runs = choices.Between(kFew);
  for (int run = 0; run < runs; ++run) {
    NamedTensors& values = sample.runs.emplace_back();
    for (const Value& feed : fed) {
      values.emplace_back(OutputName(sample.graph, feed.output), AnyValue(choices, feed.type));
    }
  }
}

// Asks for devices, in names that leave out this and that ([graph.4]).
void ChooseDevices(Choices& choices, GraphSample& sample) {
  static const std::vector<std::string> names = {"/device:CPU:0", "/cpu:0", "/job:localhost",
                                                 "/job:localhost/replica:0/task:0",
                                                 "/job:localhost/replica:0/task:0/device:CPU:0"};
  if (choices.Chance(kEvenly)) sample.devices = {names.back()};
  for (const NodeId id : sample.graph.NodeIds()) {
    if (choices.Chance(kSometimes)) sample.graph.mutable_node(id).device = choices.Of(names);
  }
}

// A node that is wrong, and that nothing needs ([graph.1], [feed.4]).
void AddUnneeded(Choices& choices, GraphSample& sample, const Value& value) {
  static const std::vector<std::string> ops = {"NobodyDefinedThis", "Exit", "NextIteration"};
  const std::string& op = choices.Of(ops);
  const Result<NodeId> node = sample.graph.AddNode(sample.graph.UniqueName("unneeded"), op);
  TAGFLOW_CHECK(node.ok());
  if (op == "NobodyDefinedThis") return;
  sample.graph.mutable_node(*node).inputs = {value.output};
  sample.graph.SetAttr(*node, "T", value.type);
}

}  // namespace

GraphSample FinishSample(Choices& choices, GraphMaker maker, const std::vector<Value>& feeds) {
  GraphSample sample;
  const std::vector<Value> root = std::move(maker.frame(GraphMaker::kRoot).values);
  sample.graph = std::move(maker.graph);
  ChooseFeeds(choices, sample, feeds, root);
  if (choices.Chance(kSeldom)) ChooseDevices(choices, sample);
  std::vector<std::string> candidates;
  for (const NodeId sink : Sinks(sample.graph)) {
    if (choices.Chance(kNearlyAlways)) sample.targets.push_back(sample.graph.node(sink).name);
  }
  for (const Value& value : root) {
    if (!CanBeFetched(value)) continue;
    candidates.push_back(OutputName(sample.graph, value.output));
  }
  std::reverse(candidates.begin(), candidates.end());
  std::vector<std::string> live;
  if (!choices.Chance(kSeldom)) live = LiveOnes(sample, candidates);
  const std::vector<std::string>& pool = live.empty() ? candidates : live;
  // What a variable holds as its reference arrives, though it is written to later.
  for (const Value& value : root) {
    const std::string name = OutputName(sample.graph, value.output);
    const bool is_live = std::find(live.begin(), live.end(), name) != live.end();
    if (value.is_ref && is_live && choices.Chance(kSometimes)) {
      sample.fetches.push_back(name);
      break;
    }
  }
  // A feed itself ([fetch.3]).
  if (choices.Chance(kSeldom)) {
    sample.fetches.push_back(OutputName(sample.graph, choices.Of(feeds).output));
  }
  const int fetches = live.empty() ? 1 : choices.Between(kFew);
  for (int i = 0; i < fetches; ++i) {
    const std::string& name = choices.Of(pool);
    const bool known =
        std::find(sample.fetches.begin(), sample.fetches.end(), name) != sample.fetches.end();
    if (!known) sample.fetches.push_back(name);
  }
  if (choices.Chance(kSeldom)) AddUnneeded(choices, sample, choices.Of(root));
  return sample;
}

}  // namespace tagflow::fuzz
