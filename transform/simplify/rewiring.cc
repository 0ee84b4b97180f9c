#include "transform/simplify/rewiring.h"

#include <unordered_set>

namespace tagflow {
namespace {

// The end of a chain of replacements; each of the chain is then replaced by it.
template <typename Map, typename Key>
Key EndOf(Map& replaced, Key key) {
  Key end = key;
  for (auto found = replaced.find(end); found != replaced.end(); found = replaced.find(end)) {
    end = found->second;
  }
  for (auto found = replaced.find(key); found != replaced.end(); found = replaced.find(key)) {
    key = std::exchange(found->second, end);
    if (key == end) break;
  }
  return end;
}

}  // namespace

OutputRef Rewiring::Find(OutputRef output) {
  for (;;) {
    const OutputRef before = output;
    output.node = EndOf(nodes_, output.node);
    const auto found = outputs_.find({output.node, output.index});
    if (found != outputs_.end()) output = found->second;
    if (output == before) return output;
  }
}

NodeId Rewiring::FindControl(NodeId node) {
  for (;;) {
    const NodeId before = node;
    node = EndOf(controls_, EndOf(nodes_, node));
    if (node == before) return node;
  }
}

int64_t Rewiring::Apply(Graph& graph, const std::vector<NodeId>& nodes) {
  if (empty()) return 0;
  int64_t moved = 0;
  for (const NodeId id : nodes) {
    Node& node = graph.mutable_node(id);
    for (OutputRef& input : node.inputs) {
      const OutputRef to = Find(input);
      moved += to != input;
      input = to;
    }
    int64_t moved_controls = 0;
    for (NodeId& control : node.control_inputs) {
      const NodeId to = FindControl(control);
      moved_controls += to != control;
      control = to;
    }
    if (moved_controls > 0) RemoveRepeated(node.control_inputs);
    moved += moved_controls;
  }
  return moved;
}

void RemoveRepeated(std::vector<NodeId>& nodes) {
  std::unordered_set<NodeId> seen;
  std::erase_if(nodes, [&](NodeId node) { return !seen.insert(node).second; });
}

}  // namespace tagflow
