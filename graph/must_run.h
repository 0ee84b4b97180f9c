#ifndef TAGFLOW_GRAPH_MUST_RUN_H_
#define TAGFLOW_GRAPH_MUST_RUN_H_

// Which nodes of a call no Switch can kill: those that are live in every step that gets to its end,
// if only in iteration 0 of the loops around them.
//
// How it is found: for every node the literals "predicate p has value v" under which it is live in
// iteration 0. A node is live where its inputs are; an output of a Switch where the Switch is and
// its predicate has that value; a Merge where one of its inputs is, if they are all the ways that a
// predicate can go; an Exit where the Switch that ends its loop is. Where that says nothing, a node
// may be dead.
//
// Cost: linear in nodes and edges, times kMostConditions at most. Tested by must_run_test.cc.

#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"

namespace tagflow {

// By node id.
std::vector<bool> NodesThatMustRun(const Graph& graph, const CallSpec& call,
                                   const ValidatedCall& valid);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_MUST_RUN_H_
