#ifndef TAGFLOW_GRAPH_EXIT_OF_H_
#define TAGFLOW_GRAPH_EXIT_OF_H_

// For messages: where a value that lives in a loop comes out of it.

#include "graph/graph.h"

namespace tagflow {

// The Exit that brings the loop variable which `node` belongs to out of `depth` nested frames:
// found by following its value through Identity, Switch, Merge, NextIteration and Exit; failing
// that, through any op. kNone when no way leads out.
NodeId FindExitOf(const Graph& graph, NodeId node, int depth);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_EXIT_OF_H_
