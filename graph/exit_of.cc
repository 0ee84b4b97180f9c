#include "graph/exit_of.h"

#include <deque>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

bool PassesValueOn(const Node& node) {
  const ControlOp op = ControlOpOf(node.op);
  if (op == ControlOp::kNone) return node.op == "Identity" || node.op == "RefIdentity";
  return op != ControlOp::kEnter && op != ControlOp::kLoopCond;
}

std::vector<std::vector<NodeId>> Consumers(const Graph& graph) {
  std::vector<std::vector<NodeId>> consumers(graph.id_limit());
  for (NodeId id : graph.NodeIds()) {
    for (const OutputRef& input : graph.node(id).inputs) {
      if (Index(input.node) < consumers.size()) consumers[Index(input.node)].push_back(id);
    }
  }
  return consumers;
}

NodeId Follow(const Graph& graph, const std::vector<std::vector<NodeId>>& consumers, NodeId start,
              int depth, bool any_op) {
  std::vector<bool> seen(graph.id_limit());
  std::deque<std::pair<NodeId, int>> queue = {{start, depth}};
  seen[Index(start)] = true;
  while (!queue.empty()) {
    const auto [from, depth_here] = queue.front();
    queue.pop_front();
    for (NodeId id : consumers[Index(from)]) {
      const Node& node = graph.node(id);
      if (seen[Index(id)] || IsEnter(node) || !(any_op || PassesValueOn(node))) continue;
      seen[Index(id)] = true;
      const int depth_after = depth_here - (IsExit(node) ? 1 : 0);
      if (depth_after == 0) return id;
      queue.emplace_back(id, depth_after);
    }
  }
  return NodeId::kNone;
}

}  // namespace

NodeId FindExitOf(const Graph& graph, NodeId node, int depth) {
  const auto consumers = Consumers(graph);
  const NodeId exit = Follow(graph, consumers, node, depth, /*any_op=*/false);
  return exit != NodeId::kNone ? exit : Follow(graph, consumers, node, depth, /*any_op=*/true);
}

}  // namespace tagflow
