#ifndef TAGFLOW_CLI_BRANCHES_H_
#define TAGFLOW_CLI_BRANCHES_H_

// The conds of a graph, found from the primitives: the Switches on one predicate (LoopCond aside)
// and the Merges that join what they part. A forward walk gives each node the set of (predicate,
// side) it is under; a Merge under both sides of a predicate joins that cond.

#include <vector>

#include "graph/graph.h"

namespace tagflow::cli {

struct Branch {
  OutputRef predicate;
  std::vector<NodeId> switches;  // on this predicate
  std::vector<NodeId> merges;    // that join its two sides
};

// In the order of the first Switch of each. Linear in the graph, for conds nested up to 32 deep;
// Merges deeper inside are not attributed.
std::vector<Branch> FindBranches(const Graph& graph);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_BRANCHES_H_
