#ifndef TAGFLOW_TRANSFORM_GRADIENTS_ARRAY_FLOW_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_ARRAY_FLOW_H_

// The flow of a TensorArray is a float without meaning that stands for the array as it is after
// some accesses. Its gradient is a list: element i is the gradient of element i of the array in
// that state. So the gradients of arrays are values, and have gradients themselves.

#include <map>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "graph/graph.h"

namespace tagflow {

// Every tensor of the graph that is the flow of an array, with the dtype of the array's elements:
// what the ops of arrays give, those that are `known`, and what passes that on (Identity and the
// ops of control flow).
std::map<OutputRef, DType> FindArrayFlows(const Graph& graph,
                                          std::map<OutputRef, DType> known = {});

// The gradient of a flow that nothing depends on. A list may be shorter than its array: the
// elements that it lacks are zeros. So no handle is needed here, which may be out of reach.
Output ZeroFlow(const Scope& scope, DType dtype);
// The list with at least `size` (an int32 scalar) elements, those that it lacked without value.
Output GrownTo(const Scope& scope, const Output& list, const Output& size);
// How many elements such a list must have for these indices (an int32 vector).
Output SizeToHold(const Scope& scope, const Output& indices);
// The sum of such gradients. REQUIRES: at least one
Output AddFlows(const Scope& scope, const OutputList& lists);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_ARRAY_FLOW_H_
