#ifndef TAGFLOW_GRAPH_CYCLES_H_
#define TAGFLOW_GRAPH_CYCLES_H_

// Cycles of a dataflow graph. A cycle through a NextIteration is a loop; any other waits for itself
// for ever.

#include <vector>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

// Some cycle of the included nodes without a NextIteration, in the order of its edges from the
// least id, each node once; empty when there is none. Data edges that a feed replaces do not count.
// Linear in nodes and edges, no recursion.
std::vector<NodeId> FindIllegalCycle(const Graph& graph, const std::vector<bool>& included,
                                     const CallSpec& call);
// The error for such a cycle, which prints it.
Status IllegalCycle(const Graph& graph, const std::vector<NodeId>& cycle);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_CYCLES_H_
