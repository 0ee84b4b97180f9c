#ifndef TAGFLOW_GRAPH_FUNCTION_BODY_H_
#define TAGFLOW_GRAPH_FUNCTION_BODY_H_

// A function's body as a graph, for the attrs of one call.
//
// Tested by function_body_test.cc.

#include <string>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

struct FunctionBody {
  Graph graph;
  std::vector<NodeId> args;        // a Placeholder for each input of the call, in order
  std::vector<OutputRef> returns;  // by output of the call
  // What a call runs whether or not its results need it: control returns, and nodes with state.
  std::vector<NodeId> effects;
};

// How many calls may be within each other; more is taken for an endless recursion.
inline constexpr int kMostNestedCalls = 100;

// An attr of a functional node that an engine runs as it is: how many calls the node is in. None on
// a node of the graph itself.
inline constexpr const char* kCallDepthAttr = "_call_depth";

// The body of a function of the caller's library, whose nodes are named "prefix/node"; that may
// call further functions.
//   Errors: NOT_FOUND for a function that the library has not; INVALID_ARGUMENT, naming function
//   and node, for a body that is no graph: an input or result of no node, an attr that the call
//   does not bind
Result<FunctionBody> InstantiateFunction(const Graph& caller, const NameAttrList& call,
                                         const std::string& prefix);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_FUNCTION_BODY_H_
