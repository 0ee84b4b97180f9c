#ifndef TAGFLOW_FUZZ_MUTANTS_EDIT_H_
#define TAGFLOW_FUZZ_MUTANTS_EDIT_H_

// What rewriting mutants do to graphs. The edits keep whatever the graph had wrong.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/mutants/mutant.h"
#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::fuzz {

bool IsOp(const Node& node, std::string_view op);  // that op or its Ref form
bool IsConstantEnter(const Node& node);
bool IsFed(const Call& call, const std::string& output);  // by its name, "n" or "n:0"

// Calls `change` for every node; it may add nodes, which are not visited.
void ForEachNode(Graph& graph, const std::function<void(Node&)>& change);
// Calls `change` for every data edge, with the node it leads to and where it comes from.
void ForEachEdge(Graph& graph, const std::function<void(Node&, OutputRef& from)>& change);
// Removes the control inputs for which `drop` says so.
void DropControl(Graph& graph, const std::function<bool(const Node& from, const Node& to)>& drop);

// A new node with the op, attrs, device and inputs of `of`.
NodeId CopyNode(Graph& graph, const Node& of, const std::string& name);

// The frames of all nodes under the call's feeds; nothing when the graph is not valid.
Result<FrameTree> FramesOf(const Graph& graph, const Call& call);

// As long as the call is refused with an error of `rule` that names a node, mends that node.
void Mend(Graph& graph, const Call& call, std::string_view rule,
          const std::function<void(Graph&, Node&)>& mend);

// Makes an Identity of a node of one input.
void MakeIdentity(Node& node, const Graph& graph);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_MUTANTS_EDIT_H_
