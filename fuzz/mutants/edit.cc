#include "fuzz/mutants/edit.h"

#include <algorithm>

#include "graph/call.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

constexpr int kMostMended = 64;

Result<CallSpec> Resolve(const Graph& graph, const Call& call) {
  std::vector<std::string> feeds;
  for (const auto& [name, value] : call.feeds) feeds.push_back(name);
  return ResolveCall(graph, feeds, call.fetches, call.targets);
}

}  // namespace

bool IsOp(const Node& node, std::string_view op) {
  return node.op == op || (node.op.starts_with("Ref") && node.op.substr(3) == op);
}

bool IsConstantEnter(const Node& node) {
  if (!IsOp(node, "Enter")) return false;
  const Result<bool> constant = BoolAttr(node, "is_constant");
  return constant.ok() && *constant;
}

bool IsFed(const Call& call, const std::string& output) {
  return std::any_of(call.feeds.begin(), call.feeds.end(), [&](const auto& feed) {
    return feed.first == output || feed.first == output + ":0";
  });
}

void ForEachNode(Graph& graph, const std::function<void(Node&)>& change) {
  for (NodeId id : graph.NodeIds()) change(graph.mutable_node(id));
}

void ForEachEdge(Graph& graph, const std::function<void(Node&, OutputRef& from)>& change) {
  for (NodeId id : graph.NodeIds()) {
    // An edge's change may add nodes, and a node may move then.
    for (size_t slot = 0; slot < graph.node(id).inputs.size(); ++slot) {
      OutputRef from = graph.node(id).inputs[slot];
      change(graph.mutable_node(id), from);
      graph.mutable_node(id).inputs[slot] = from;
    }
  }
}

void DropControl(Graph& graph, const std::function<bool(const Node& from, const Node& to)>& drop) {
  ForEachNode(graph, [&](Node& to) {
    std::erase_if(to.control_inputs, [&](NodeId from) { return drop(graph.node(from), to); });
  });
}

NodeId CopyNode(Graph& graph, const Node& of, const std::string& name) {
  const Node original = of;  // adding a node may move it
  const Result<NodeId> id = graph.AddNode(graph.UniqueName(name), original.op);
  if (!id.ok()) return NodeId::kNone;
  Node& copy = graph.mutable_node(*id);
  copy.device = original.device;
  copy.inputs = original.inputs;
  copy.control_inputs = original.control_inputs;
  copy.attrs = original.attrs;
  return *id;
}

Result<FrameTree> FramesOf(const Graph& graph, const Call& call) {
  TAGFLOW_ASSIGN_OR_RETURN(const CallSpec spec, Resolve(graph, call));
  return AssignFrames(graph, NeededNodes(graph, spec), spec);
}

void Mend(Graph& graph, const Call& call, std::string_view rule,
          const std::function<void(Graph&, Node&)>& mend) {
  for (int i = 0; i < kMostMended; ++i) {
    const Result<CallSpec> spec = Resolve(graph, call);
    if (!spec.ok()) return;
    const Status status = ValidateCall(graph, *spec).status();
    const NodeId wrong = graph.Find(status.node());
    if (status.rule() != rule || wrong == NodeId::kNone) return;
    mend(graph, graph.mutable_node(wrong));
  }
}

void MakeIdentity(Node& node, const Graph& graph) {
  std::erase_if(node.attrs, [](const auto& attr) { return attr.first != "T"; });
  if (node.op == "LoopCond") node.attrs.emplace_back("T", DType::kBool);
  node.op = "Identity";
  node.def = graph.registry().Find("Identity");
}

}  // namespace tagflow::fuzz
