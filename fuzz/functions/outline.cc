#include "fuzz/functions/outline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/control_ops.h"
#include "graph/function_body.h"
#include "transform/structure/body.h"

namespace tagflow::fuzz {
namespace {

constexpr SizeRange kCallsPerGraph = {0, 2};
constexpr int kMostNodesPerCall = 8;
constexpr size_t kMostFunctions = 40;
// Functions that are called twice; where each calls the one before, n of them make 2^n calls.
constexpr int kMostCalledTwice = 3;

AttrValue Types(const std::vector<DType>& dtypes) {
  AttrList list;
  for (const DType dtype : dtypes) list.types.push_back({dtype, false});
  return AttrValue(std::move(list));
}

std::string UnusedFunctionName(const Graph& graph) {
  for (int i = 0;; ++i) {
    std::string name = "outlined_" + std::to_string(i);
    if (graph.library.Find(name) == nullptr) return name;
  }
}

// The nodes and outputs of a graph, or of a function's body, that its user names.
struct Frozen {
  std::vector<NodeId> pinned;      // nodes that no function takes
  std::vector<OutputRef> returns;  // of a body: they name what gives the results, wherever that is
  std::vector<NodeId> targets;     // nodes that a step runs without the pinned ones
};

// Makes a function of some of a graph's nodes, and calls it in their place.
class Outliner {
 public:
  Outliner(Graph& graph, Frozen& frozen, int& called_twice, Choices& choices)
      : graph_(graph),
        called_twice_(called_twice),
        returns_(frozen.returns),
        choices_(choices),
        is_pinned_(graph.id_limit()),
        for_targets_(graph.id_limit()),
        for_others_(graph.id_limit()) {
    for (const NodeId id : frozen.pinned) is_pinned_[Index(id)] = true;
    Reach(frozen.targets, for_targets_);
    std::vector<NodeId> others;
    for (const NodeId id : frozen.pinned) {
      if (std::ranges::find(frozen.targets, id) == frozen.targets.end()) others.push_back(id);
    }
    Reach(std::move(others), for_others_);
  }

  void Run() {
    const std::vector<NodeId> order = Order();
    const std::vector<NodeId> nodes = Draw(order);
    if (nodes.empty()) return;
    part_of_.assign(graph_.id_limit(), false);
    for (const NodeId id : nodes) part_of_[Index(id)] = true;
    FindResults(nodes);
    bool is_stateful = false;
    const std::string name = AddFunction(nodes, is_stateful);
    std::vector<NodeId> calls = {AddCall(name, is_stateful)};
    if (!is_stateful && called_twice_ < kMostCalledTwice && choices_.Chance(kSometimes)) {
      ++called_twice_;
      calls.push_back(AddCall(name, false));
    }
    Rewire(calls);
    for (const NodeId id : nodes) graph_.mutable_node(id).inputs.clear();
    for (const NodeId id : nodes) graph_.mutable_node(id).control_inputs.clear();
    for (const NodeId id : nodes) graph_.RemoveNode(id);
  }

 private:
  // Marks the nodes in `open` and all that they need, directly or through others.
  void Reach(std::vector<NodeId> open, std::vector<bool>& reached) const {
    while (!open.empty()) {
      const Node& node = graph_.node(open.back());
      open.pop_back();
      if (reached[Index(node.id)]) continue;
      reached[Index(node.id)] = true;
      for (const OutputRef input : node.inputs) open.push_back(input.node);
      for (const NodeId input : node.control_inputs) open.push_back(input);
    }
  }

  // All nodes, each behind those that it waits for. Empty where a token of the graph may be dead,
  // or a node is in a loop.
  std::vector<NodeId> Order() {
    std::vector<size_t> waiting(graph_.id_limit());
    std::vector<std::vector<NodeId>> consumers(graph_.id_limit());
    std::vector<NodeId> ready;
    for (const NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      if (ControlOpOf(node.op) != ControlOp::kNone || node.op == "_SwitchN") return {};
      for (const OutputRef input : node.inputs) consumers[Index(input.node)].push_back(id);
      for (const NodeId input : node.control_inputs) consumers[Index(input)].push_back(id);
      waiting[Index(id)] = node.inputs.size() + node.control_inputs.size();
      if (waiting[Index(id)] == 0) ready.push_back(id);
    }
    std::vector<NodeId> order;
    while (!ready.empty()) {
      std::swap(ready[choices_.Below(ready.size())], ready.back());
      const NodeId id = ready.back();
      ready.pop_back();
      order.push_back(id);
      for (const NodeId consumer : consumers[Index(id)]) {
        if (--waiting[Index(consumer)] == 0) ready.push_back(consumer);
      }
    }
    return order;
  }

  // Draws neighbours in `order`: so no path leaves them and comes back. All are needed by the same
  // steps, since a step that needs the call needs all that the call takes.
  std::vector<NodeId> Draw(const std::vector<NodeId>& order) {
    std::vector<NodeId> nodes;
    if (order.empty()) return nodes;
    const size_t first = choices_.Below(order.size());
    const auto most = static_cast<size_t>(choices_.Between(1, kMostNodesPerCall));
    for (size_t i = first; i < order.size() && nodes.size() < most; ++i) {
      const bool is_like_first =
          for_targets_[Index(order[i])] == for_targets_[Index(order[first])] &&
          for_others_[Index(order[i])] == for_others_[Index(order[first])];
      if (!MayMove(order[i]) || !is_like_first) break;
      nodes.push_back(order[i]);
    }
    return nodes;
  }
  bool MayMove(NodeId id) const {
    const Node& node = graph_.node(id);
    const Result<Signature> signature = ResolveSignature(node);
    if (is_pinned_[Index(id)] || IsPlaceholderOp(node) || !signature.ok()) return false;
    const auto is_ref = [](const ArgType& type) { return type.is_ref; };
    return std::ranges::none_of(signature->inputs, is_ref) &&
           std::ranges::none_of(signature->outputs, is_ref);
  }

  bool IsPart(NodeId id) const { return Index(id) < part_of_.size() && part_of_[Index(id)]; }

  // Finds the outputs of `nodes` that other nodes take, and whether one waits for `nodes` by a
  // control edge.
  void FindResults(const std::vector<NodeId>& nodes) {
    const auto take = [&](OutputRef output) {
      if (!IsPart(output.node)) return;
      if (results_.try_emplace(output, results_.size()).second) {
        const auto index = static_cast<size_t>(output.index);
        result_dtypes_.push_back(ResolveSignature(graph_.node(output.node))->outputs[index].dtype);
      }
    };
    for (const NodeId id : graph_.NodeIds()) {
      if (IsPart(id)) continue;
      for (const OutputRef input : graph_.node(id).inputs) take(input);
    }
    for (const OutputRef output : returns_) take(output);
    for (const NodeId id : nodes) {
      for (const NodeId input : graph_.node(id).control_inputs) {
        if (!IsPart(input) && std::ranges::find(waits_, input) == waits_.end()) {
          waits_.push_back(input);
        }
      }
    }
  }

  std::string AddFunction(const std::vector<NodeId>& nodes, bool& is_stateful) {
    recovery::Body body(graph_);
    std::map<OutputRef, OutputRef> inside;
    const auto find = [&](OutputRef output, DType dtype) {
      const auto [at, is_new] = inside.try_emplace(output);
      if (is_new) {
        at->second = body.AddArgument(dtype);
        args_.push_back(output);
        arg_dtypes_.push_back(dtype);
      }
      return at->second;
    };
    std::map<NodeId, NodeId> copies;
    for (const NodeId id : nodes) {
      const Node& node = graph_.node(id);
      const Result<Signature> signature = ResolveSignature(node);
      const NodeId copy = copies[id] = body.Copy(node, node.name);
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const OutputRef input = find(node.inputs[i], signature->inputs[i].dtype);
        body.graph.mutable_node(copy).inputs.push_back(input);
      }
      for (const NodeId input : node.control_inputs) {
        if (IsPart(input)) body.AddControl(copies.at(input), copy);
      }
      for (size_t i = 0; i < signature->outputs.size(); ++i) {
        const auto index = static_cast<int32_t>(i);
        inside[{id, index}] = {copy, index};
      }
    }
    body.returns.resize(results_.size());
    for (const auto& [output, index] : results_) body.returns[index] = inside.at(output);
    const std::string name = UnusedFunctionName(graph_);
    auto function = std::make_shared<const Function>(FunctionOf(body, name, is_stateful));
    graph_.library.Add({name, "", std::move(function)});
    return name;
  }

  NodeId AddCall(const std::string& function, bool is_stateful) {
    const bool by_name = !is_stateful && choices_.Chance(kSometimes);
    const std::string op = by_name       ? function
                           : is_stateful ? "StatefulPartitionedCall"
                                         : "PartitionedCall";
    const NodeId id = *graph_.AddNode(graph_.UniqueName("call"), op);
    graph_.mutable_node(id).inputs = args_;
    graph_.mutable_node(id).control_inputs = waits_;
    if (by_name) return id;
    graph_.SetAttr(id, "Tin", Types(arg_dtypes_));
    graph_.SetAttr(id, "Tout", Types(result_dtypes_));
    graph_.SetAttr(id, "f", AttrValue(NameAttrList{function, {}}));
    return id;
  }

  void Rewire(const std::vector<NodeId>& calls) {
    const auto replace = [&](OutputRef& output) {
      const auto found = results_.find(output);
      if (found != results_.end()) {
        output = {choices_.Of(calls), static_cast<int32_t>(found->second)};
      }
    };
    for (const NodeId id : graph_.NodeIds()) {
      if (IsPart(id)) continue;
      Node& node = graph_.mutable_node(id);
      for (OutputRef& input : node.inputs) replace(input);
      const size_t waits =
          std::erase_if(node.control_inputs, [&](NodeId at) { return IsPart(at); });
      if (waits > 0) node.control_inputs.push_back(calls[0]);
    }
    for (OutputRef& output : returns_) replace(output);
  }

  Graph& graph_;
  int& called_twice_;
  std::vector<OutputRef>& returns_;
  Choices& choices_;
  std::vector<bool> is_pinned_;
  std::vector<bool> for_targets_;
  std::vector<bool> for_others_;
  std::vector<bool> part_of_;
  std::map<OutputRef, size_t> results_;
  std::vector<DType> result_dtypes_;
  std::vector<OutputRef> args_;
  std::vector<DType> arg_dtypes_;
  std::vector<NodeId> waits_;
};

void Outline(Graph& graph, Frozen& frozen, int& called_twice, Choices& choices) {
  for (int left = choices.Between(kCallsPerGraph); left > 0; --left) {
    Outliner(graph, frozen, called_twice, choices).Run();
  }
}

// Replaces a function; the library's copies keep the old one.
void Replace(FunctionLibrary& library, const std::string& name, Function function) {
  FunctionLibrary changed;
  for (const FunctionDef& def : library.all()) {
    if (def.name != name) changed.Add(def);
  }
  changed.Add({name, "", std::make_shared<const Function>(std::move(function))});
  library = std::move(changed);
}

std::vector<NodeId> PinnedBy(const CallSpec& call) {
  std::vector<NodeId> pinned = call.targets;
  for (const OutputRef output : call.feeds) pinned.push_back(output.node);
  for (const OutputRef output : call.fetches) pinned.push_back(output.node);
  return pinned;
}

}  // namespace

Status OutlineCalls(Graph& graph, const CallSpec& call, Choices& choices) {
  Frozen root = {PinnedBy(call), {}, call.targets};
  int called_twice = 0;
  Outline(graph, root, called_twice, choices);
  // Those that are made on the way have their turn, too.
  std::vector<std::string> names;
  for (const FunctionDef& def : graph.library.all()) names.push_back(def.name);
  for (size_t i = 0; i < names.size() && names.size() < kMostFunctions; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(FunctionBody body, InstantiateFunction(graph, {names[i], {}}, "in"));
    Frozen frozen = {body.args, body.returns, {}};
    Outline(body.graph, frozen, called_twice, choices);
    recovery::Body changed(graph);
    changed.graph = std::move(body.graph);
    changed.args = std::move(body.args);
    changed.returns = std::move(frozen.returns);
    for (const FunctionDef& def : changed.graph.library.all()) {
      if (graph.library.Find(def.name) != nullptr) continue;
      graph.library.Add(def);
      names.push_back(def.name);
    }
    bool is_stateful = false;
    Replace(graph.library, names[i], FunctionOf(changed, names[i], is_stateful));
  }
  // Definitions of calls by name went with the functions that were replaced.
  for (const NodeId id : graph.NodeIds()) {
    Node& node = graph.mutable_node(id);
    if (graph.registry().Find(node.op) == nullptr) node.def = graph.library.FindOp(node.op);
  }
  return Status();
}

}  // namespace tagflow::fuzz
