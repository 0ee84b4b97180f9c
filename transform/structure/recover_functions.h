#ifndef TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_FUNCTIONS_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_FUNCTIONS_H_

// From primitives to functions: the inverse of transform/lower. The loops and conds of a call's
// graph become While, If and Case, whose bodies are functions of the graph's library
// ([functional.*]); what may not, stays as primitives, in bodies too.
//
//   names     what is outside of loops and conds keeps its name, Merges and Exits too: they are
//             Identities of what a functional node gives, or the functional node itself. What is
//             inside is not to be had from outside
//   state     a variable in a body has its node's old name as its shared_name
//   devices   are kept; so is colocation with nodes in the same function, and the device of others
//   frames    parallel_iterations is that of the loop
//   effects   keep their order: control edges stay, and across a border lead from or to the
//             functional node. What nobody takes is a control result
//
// The graph has what the call needs, and no more.
//
// Cost: that of RecoverTree.
// Tested by recover_functions_test.cc.

#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow {

struct RecoveredGraph {
  Graph graph;
  CallSpec call;  // the same: a target that is inside now is the functional node around it
  int64_t num_loops = 0;
  int64_t num_choices = 0;            // Ifs and Cases
  std::vector<std::string> declined;  // why something stays as primitives, a sentence each
};

//   Errors: as ValidateCall
Result<RecoveredGraph> RecoverFunctions(const Graph& graph, const CallSpec& call);

// Of everything: what nobody takes is run.
Result<RecoveredGraph> RecoverFunctions(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_RECOVER_FUNCTIONS_H_
