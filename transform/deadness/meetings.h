#ifndef TAGFLOW_TRANSFORM_DEADNESS_MEETINGS_H_
#define TAGFLOW_TRANSFORM_DEADNESS_MEETINGS_H_

// At which Merges two live tokens may meet, of any graph: also of one whose structure is irregular
// (structure.h).
//
// How it is found: for every node the literals that hold wherever it is live in an iteration of its
// frame, and perhaps more has to hold. A node needs what its inputs and control inputs need; the
// output of a Switch needs its value of the predicate too; a Merge needs what all of its inputs
// need; what comes from another iteration or frame needs nothing that is known here. Two inputs of
// which one needs what the other excludes do not meet.
//
// Cost: linear in nodes and edges where few literals are needed; more than kMostConditions are
// forgotten. Tested by meetings_test.cc.                                         Spec: [merge.3]

#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"

namespace tagflow {

// By node id: whether the node is a needed Merge of which it is not known that at most one data
// input is live under any tag.
std::vector<bool> MergesWhereTwoMayMeet(const Graph& graph, const CallSpec& call,
                                        const ValidatedCall& valid);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_DEADNESS_MEETINGS_H_
