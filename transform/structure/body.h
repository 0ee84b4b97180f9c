#ifndef TAGFLOW_TRANSFORM_STRUCTURE_BODY_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_BODY_H_

// A block of a tree on its way to a graph, or to a function: its nodes so far, and where it has
// values.
//
// Tested by recover_functions_test.cc.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/function.h"
#include "graph/graph.h"
#include "transform/structure/roles.h"
#include "transform/structure/tree.h"

namespace tagflow::recovery {

struct Body {
  explicit Body(const Graph& of) : original(of), graph(of.registry()) {
    graph.library = of.library;
    graph.versions = of.versions;
  }

  // A name that no node has, and none of the original graph.
  std::string FreshName(const std::string& prefix);
  NodeId Add(const std::string& name, std::string_view op, const std::string& device,
             std::vector<OutputRef> inputs);
  // A copy of a node of the original graph, without inputs.
  NodeId Copy(const Node& node, const std::string& name);
  // An Identity, or an IdentityN of several.
  NodeId AddIdentity(const std::string& name, const std::string& device,
                     std::vector<OutputRef> inputs, const std::vector<ArgType>& types);
  // A Placeholder that stands for the next argument.
  OutputRef AddArgument(DType dtype);
  // Lets `after` wait for `before`, unless it does so already.
  void AddControl(NodeId before, NodeId after);

  const Graph& original;
  Graph graph;
  std::map<Value, OutputRef> values;
  std::map<TreeItem, NodeId> made;  // the node that has run when the item has
  std::vector<NodeId> args;
  std::vector<OutputRef> returns;
  std::set<NodeId> spare;  // nodes that need not run for nobody
};

// The body as a function. What nobody in it takes runs all the same, as a control result.
//   is_stateful: whether a call has effects, or such control results
Function FunctionOf(const Body& body, const std::string& name, bool& is_stateful);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_BODY_H_
