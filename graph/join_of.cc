#include "graph/join_of.h"

#include <deque>
#include <vector>

#include "graph/call.h"
#include "graph/control_ops.h"
#include "graph/frames.h"

namespace tagflow {
namespace {

class Search {
 public:
  Search(const Graph& graph) : graph_(graph), consumers_(graph.id_limit()) {
    for (const NodeId id : graph.NodeIds()) {
      for (const OutputRef& input : graph.node(id).inputs) {
        if (IsInGraph(input.node)) consumers_[Index(input.node)].push_back({id, input.index});
      }
      for (const NodeId control : graph.node(id).control_inputs) {
        if (IsInGraph(control)) consumers_[Index(control)].push_back({id, kControl});
      }
    }
  }

  NodeId JoinOf(OutputRef dead, OutputRef taken) const {
    // A Merge in a loop cannot be fetched.
    const Result<FrameTree> frames = AssignFrames(graph_, AllNodes(graph_), CallSpec());
    if (!frames.ok()) return NodeId::kNone;
    const std::vector<bool> is_live = ReachedFrom(taken);
    std::vector<bool> seen(graph_.id_limit());
    std::deque<NodeId> queue;
    const auto go_on = [&](NodeId from, int32_t output) {
      for (const Edge& edge : consumers_[Index(from)]) {
        if (edge.output == kControl || (output >= 0 && edge.output != output)) continue;
        if (!seen[Index(edge.to)]) queue.push_back(edge.to);
        seen[Index(edge.to)] = true;
      }
    };
    for (go_on(dead.node, dead.index); !queue.empty(); queue.pop_front()) {
      const NodeId id = queue.front();
      const bool is_in_root = frames->frame_of[Index(id)] == FrameTree::kRoot;
      if (IsMerge(graph_.node(id)) && is_live[Index(id)] && is_in_root) return id;
      go_on(id, kAnyOutput);
    }
    return NodeId::kNone;
  }

 private:
  static constexpr int32_t kControl = -1;
  static constexpr int32_t kAnyOutput = -1;
  struct Edge {
    NodeId to;
    int32_t output;
  };

  bool IsInGraph(NodeId id) const { return Index(id) < consumers_.size(); }

  // Which nodes the ways that were taken lead to, by data or control.
  std::vector<bool> ReachedFrom(OutputRef taken) const {
    std::vector<bool> reached(graph_.id_limit());
    std::deque<NodeId> queue;
    const auto reach = [&](NodeId id) {
      if (!reached[Index(id)]) queue.push_back(id);
      reached[Index(id)] = true;
    };
    for (const NodeId id : SwitchesLike(graph_.node(taken.node))) {
      for (const Edge& edge : consumers_[Index(id)]) {
        if (edge.output == taken.index) reach(edge.to);
      }
    }
    for (; !queue.empty(); queue.pop_front()) {
      for (const Edge& edge : consumers_[Index(queue.front())]) reach(edge.to);
    }
    return reached;
  }

  std::vector<NodeId> SwitchesLike(const Node& asked) const {
    std::vector<NodeId> switches;
    for (const Edge& edge : consumers_[Index(asked.inputs[1].node)]) {
      const Node& node = graph_.node(edge.to);
      const bool asks_it = node.op == asked.op && node.inputs[1] == asked.inputs[1];
      if (edge.output != kControl && asks_it) switches.push_back(node.id);
    }
    return switches;
  }

  const Graph& graph_;
  std::vector<std::vector<Edge>> consumers_;  // by node id
};

}  // namespace

NodeId FindJoinOf(const Graph& graph, OutputRef dead, OutputRef taken) {
  return Search(graph).JoinOf(dead, taken);
}

}  // namespace tagflow
