#ifndef TAGFLOW_TRANSFORM_DEADNESS_DEPENDENCY_ORDER_H_
#define TAGFLOW_TRANSFORM_DEADNESS_DEPENDENCY_ORDER_H_

// The nodes of a call, each after what it waits for, but for the edges from NextIteration to a loop
// variable's Merge.

#include <vector>

#include "graph/call.h"
#include "graph/feed_set.h"
#include "graph/graph.h"

namespace tagflow {

// A Merge with one input from an Enter that is not constant and one from a NextIteration: the loop
// variable of the textbook. Anything else at a loop's head is unusual.
bool IsLoopVariable(const Graph& graph, const Node& merge, const FeedSet& fed);
bool IsConstantEnter(const Node& node);

// The needed nodes in such an order: that of their ids, where it is one, else depth first. Shorter
// than all of them when there is a cycle that goes through no loop variable.
std::vector<NodeId> DependencyOrder(const Graph& graph, const std::vector<bool>& needed,
                                    const FeedSet& fed);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_DEPENDENCY_ORDER_H_
