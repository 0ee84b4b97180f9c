#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_MERGE_EQUAL_NODES_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_MERGE_EQUAL_NODES_H_

// Common subexpressions: of nodes that compute the same from the same, one is left to serve all.
//
// Two nodes are equal when op, attrs, device, data inputs and control inputs are. Then they are in
// one frame, fire under the same tags, and are live and dead together, because all of that follows
// from the inputs ([fire.1], [fire.2], [frame.2]): what is merged never differs in deadness, and no
// analysis of it is asked. Two equal constants in the two branches of a cond wait for different
// pivots, and so are not equal.
//
// What is never merged: nodes with state, references or resources, random ops, placeholders; nodes
// of which an output is fed; control primitives but Switch and constant Enter, on whose identity
// the ends of loops and frames hang.
//
// Inputs are taken as what they were merged to, producers first, so that one pass finds equal trees
// of any depth. Equal loop variables are not found: that would be an induction.
//
// Cost: linear. Two that differ and have the same hash of 64 bits are left as they are.
// Tested by merge_equal_nodes_test.cc.

#include <cstdint>

#include "graph/call.h"
#include "graph/graph.h"
#include "transform/simplify/call_view.h"

namespace tagflow {

// Returns how many edges were moved to an equal node.
int64_t MergeEqualNodes(Graph& graph, const CallSpec& call);

// Whether the node may be one of several that are merged.
bool IsMergeable(const CallView& view, NodeId id);
// The same for equal nodes.
uint64_t HashOfNode(const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_MERGE_EQUAL_NODES_H_
