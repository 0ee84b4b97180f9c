#ifndef TAGFLOW_GRAPH_JOIN_OF_H_
#define TAGFLOW_GRAPH_JOIN_OF_H_

// For messages: which Merge has a value whichever way a Switch sends its own.

#include "graph/graph.h"

namespace tagflow {

// The Merge nearest to `dead`, a tensor on the way that a Switch did not take, that can be reached
// from it and from `taken`, the output of that Switch that has a value; other Switches on the same
// predicate count as that one. In the root frame, so that it can be fetched. kNone when there is
// none.
NodeId FindJoinOf(const Graph& graph, OutputRef dead, OutputRef taken);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_JOIN_OF_H_
