#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_REWIRING_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_REWIRING_H_

// Edges that are to lead somewhere else, collected while a pass looks at the graph and moved in one
// sweep, so that no pass keeps lists of consumers.
//
// Invariant: what is replaced may be replaced by something that is itself replaced, in no cycle.
// Cost: a sweep is linear in the edges; finding the end of a chain shortens it.
// Tested by simplify_test.cc.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/hash.h"

namespace tagflow {

class Rewiring {
 public:
  // Whoever takes `from` is to take `to`.
  void Replace(OutputRef from, OutputRef to) { outputs_[{from.node, from.index}] = to; }
  // Whoever waits for `from` is to wait for `to`.
  void ReplaceControl(NodeId from, NodeId to) { controls_[from] = to; }
  // Whoever takes output i of `from`, or waits for it, is to do so of `to`.
  void ReplaceNode(NodeId from, NodeId to) { nodes_[from] = to; }
  bool empty() const { return outputs_.empty() && controls_.empty() && nodes_.empty(); }

  OutputRef Find(OutputRef output);
  NodeId FindControl(NodeId node);

  // Moves the edges into these nodes. Returns how many were moved.
  int64_t Apply(Graph& graph, const std::vector<NodeId>& nodes);

 private:
  std::unordered_map<std::pair<NodeId, int32_t>, OutputRef, TupleHash> outputs_;
  std::unordered_map<NodeId, NodeId> controls_;
  std::unordered_map<NodeId, NodeId> nodes_;
};

// Leaves the first of each.
void RemoveRepeated(std::vector<NodeId>& nodes);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_REWIRING_H_
