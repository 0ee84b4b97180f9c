#ifndef TAGFLOW_GRAPH_BUILDER_EFFECTS_H_
#define TAGFLOW_GRAPH_BUILDER_EFFECTS_H_

#include "graph/graph.h"

namespace tagflow::internal {

// Whether a node does something besides making its outputs, so that it must run whenever the branch
// or body it is in does, even if nobody uses what it gives: Assert, assignments, queue ops.
// Not effects: sources (a handle, a variable), reads, and the ops of stacks and tensor arrays,
// which are ordered by the flow or value threaded through them.
bool IsEffect(const Node& node);

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_EFFECTS_H_
