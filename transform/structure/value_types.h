#ifndef TAGFLOW_TRANSFORM_STRUCTURE_VALUE_TYPES_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_VALUE_TYPES_H_

// Types of tensors that go into functions and come out of them.
//
// Tested by recover_functions_test.cc.

#include <optional>
#include <string>

#include "graph/graph.h"

namespace tagflow::recovery {

// Nothing for an output of an op that nobody defined.
std::optional<ArgType> TypeOf(const Graph& graph, OutputRef output);

// Whether there is some value of that type that a branch can give for one that is not read.
bool HasStandIn(const Graph& graph, DType dtype);
// A node that gives it.                                         REQUIRES: HasStandIn
NodeId AddStandIn(Graph& graph, DType dtype);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_VALUE_TYPES_H_
