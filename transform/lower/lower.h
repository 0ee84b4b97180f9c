#ifndef TAGFLOW_TRANSFORM_LOWER_LOWER_H_
#define TAGFLOW_TRANSFORM_LOWER_LOWER_H_

// Functional graphs become graphs of primitives: If, Case and While become Switch, Merge and the
// ops of loops, and the body of a function takes the place of its call ([functional.*]). The node
// itself stays, under its name, as an IdentityN of its results, which waits for its effects; so
// feeds, fetches, targets and edges keep their names.
//
//   names    the nodes of a call's body are "call/node"; of the others "if/then/node",
//            "if/else/node", "case/branch2/node", "while/cond/node", "while/body/node"
//   frames   that of a While is named as the node
//   devices  a node of a body that names none is on the device of its call
//
// Cost: linear in the nodes that come of it.
// Tested by lower_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

// Which functional nodes stay as they are, for an engine that runs bodies as steps. They are known
// by the attr kCallDepthAttr. SymbolicGradient never stays.
enum class KeptCalls : uint8_t {
  kNone,
  kRecursive,  // those that call a function which they are in
  kAll,
};

struct LoweringOptions {
  KeptCalls kept = KeptCalls::kNone;
  std::vector<std::string> within = {};  // functions that the graph is the body of, outermost first
  int depth = 0;                         // calls that the graph is in, besides those of `within`
};

// Whether it is a functional op or a call of a function.
bool IsFunctional(const Graph& graph, const Node& node);

// Lowers all functional nodes but those that are kept, those in bodies too. One that cannot be
// lowered stays as it is, with a note (graph/unknown_ops.h) that says why: it harms only where it
// is live.
//   NOT_FOUND, INVALID_ARGUMENT: as InstantiateFunction; for a function that does not fit the node
//   RESOURCE_EXHAUSTED: too many calls in each other
void LowerFunctions(Graph& graph, const LoweringOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_LOWER_LOWER_H_
