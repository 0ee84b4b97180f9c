#ifndef TAGFLOW_TRANSFORM_PLACEMENT_COLOCATION_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_COLOCATION_H_

// Which nodes must be on one device.
//
// Spec: [partition.4]
//
// Whoever hands on a reference or a resource handle and whoever takes it; whoever takes or waits
// for an Enter or NextIteration of one, which are copied to where they are used ([partition.2]);
// those that name one variable; and those that ask to be with another node (attr _class,
// "loc:@NAME").
//
// Cost: linear in nodes and edges, nearly. Tested by placement_test.cc.

#include <vector>

#include "graph/graph.h"

namespace tagflow {

// Nodes in groups, each known by its least node.
class NodeGroups {
 public:
  explicit NodeGroups(size_t id_limit);

  void Join(NodeId one, NodeId other);
  NodeId LeastOf(NodeId id);
  // By node id: the least of its group.
  std::vector<NodeId> All();

 private:
  std::vector<size_t> least_;  // a tree of each group, with its least node at the root
};

NodeGroups ColocatedGroups(const Graph& graph);
// The same: of each node, by id, the least of its group.
std::vector<NodeId> Colocated(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_COLOCATION_H_
