#ifndef TAGFLOW_GRAPH_SWITCH_PREDICATE_H_
#define TAGFLOW_GRAPH_SWITCH_PREDICATE_H_

// Which Switches (and _SwitchNs) send their values the same way: those that ask the same tensor,
// by way of an Identity or a LoopCond or not. A variable is the exception: an Assign may run
// between two Switches that ask it, or between two Identities that read it.
//
// Tested by switch_predicate_test.cc.

#include <cstdint>

#include "graph/feed_set.h"
#include "graph/graph.h"

namespace tagflow {

// What the chain of Identity and LoopCond that ends at `predicate` hands on: the tensor in front of
// the chain, or the output of the first Identity if what that one reads is a variable.
OutputRef AskedTensor(const Graph& graph, const FeedSet& fed, OutputRef predicate);

// Whether the tensor that AskedTensor gave is a variable, of which two that ask it may see
// different values under one tag.
bool MayChangeBetween(const Graph& graph, const FeedSet& fed, OutputRef asked);

// The number of outputs that a Switch or _SwitchN chooses from. 1 if num_outs is no number.
int32_t NumWays(const Node& chooser);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SWITCH_PREDICATE_H_
