#ifndef TAGFLOW_TRANSFORM_GRADIENTS_VARIABLE_HANDLES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_VARIABLE_HANDLES_H_

// The handles of resource variables, as gradients see them: a handle stands for the variable's
// value, whose dtype and shape its gradient has. A handle goes as it is through the primitives and
// Identity; who reads it (ReadVariableOp, ResourceGather) gives the value.

#include <map>
#include <vector>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"

namespace tagflow {

// What a variable's handle says of its value.
struct VariableType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

using VariableHandles = std::map<OutputRef, VariableType>;

// The tensors that are handles of variables, each the output of a VarHandleOp or handed on from
// one. Of handles that meet in a Merge: what is true of each. Cost: n log n in the graph.
VariableHandles FindVariableHandles(const Graph& graph);
// Those that are handed on from the given ones, and these.
VariableHandles HandlesFrom(const Graph& graph, VariableHandles given);

// For each output of a VarHandleOp of which the graph has more than one for its variable (container
// and name are equal): all of them.
std::map<OutputRef, std::vector<OutputRef>> HandlesOfOneVariable(const Graph& graph);

// A node that changes a variable in a step while the variable's reads are neither all before it nor
// all after it: what they read may differ. In a loop a node that comes round again is both.
struct ChangedBetweenReads {
  NodeId change = NodeId::kNone;  // kNone: there is none
  NodeId read = NodeId::kNone;    // one that may come after it
};
//   order: the nodes that run; handles: every tensor that is a handle of the variable
//   counts: whether the derivative by what a node reads is asked for, by node id
//   Cost: linear in the graph for each node that changes the variable.
ChangedBetweenReads FindChangeBetweenReads(const Graph& graph, const std::vector<NodeId>& order,
                                           const VariableHandles& handles,
                                           const std::vector<bool>& counts);
// Whether any node of these changes any variable that these are handles of.
bool ChangeAny(const Graph& graph, const std::vector<NodeId>& order,
               const VariableHandles& handles);

// Zeros of the shape of a variable.
Output ZerosOfVariable(const Scope& scope, const Output& handle, const VariableType& type);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_VARIABLE_HANDLES_H_
