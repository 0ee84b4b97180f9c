#ifndef TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_

// A device for each node, from what the nodes ask for.                             Spec: [graph.4],
// [partition.4]
//
// Nodes that must be together are one group: whoever hands on a reference or a resource handle with
// whoever takes it, those that name one variable, and those that ask to be with another node (attr
// _class, "loc:@NAME"). A group is on the first device that has everything its nodes ask for. A
// group that asks for nothing and is one control-flow node (a Switch, Merge, Exit or LoopCond) is
// where its first input is; any other on the first device. Enters and NextIterations go with their
// consumers, whatever is said here ([partition.2]).
//
// Cost: linear in nodes and edges, times devices. Thread safety: none needed.
// Tested by placement_test.cc.

#include <string>
#include <vector>

#include "graph/graph.h"
#include "transform/partition/partition.h"

namespace tagflow {

// Which nodes must be together: of each node, by id, the least of its group.
std::vector<NodeId> Colocated(const Graph& graph);

// devices: there are these, at least one, all different.
//   Errors: INVALID_ARGUMENT naming a node whose device is not there or cannot be read, or two of a
//   group that ask for different ones.
Result<Placement> PlaceAsAsked(const Graph& graph, const std::vector<std::string>& devices);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_PLACEMENT_H_
