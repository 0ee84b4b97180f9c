#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_PRUNE_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_PRUNE_H_

// The part of a graph that a call needs, as a graph of its own.                     Spec: [feed.4]
//
// Cost: linear in what is needed. Tested by simplify_test.cc.

#include <vector>

#include "graph/call.h"
#include "graph/graph.h"

namespace tagflow {

struct CallGraph {
  Graph graph;
  CallSpec call;  // in this graph
};

// The needed nodes, in their order and by their names; and those beside them that are fed or that
// stand at the cut end of an edge, without their inputs.
CallGraph Prune(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_PRUNE_H_
