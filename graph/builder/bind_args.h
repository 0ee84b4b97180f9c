#ifndef TAGFLOW_GRAPH_BUILDER_BIND_ARGS_H_
#define TAGFLOW_GRAPH_BUILDER_BIND_ARGS_H_

// From what a caller gives an op (inputs, some attrs) to what a node needs: one input per slot,
// every attr.

#include <string>
#include <vector>

#include "graph/builder/input.h"
#include "graph/graph.h"

namespace tagflow::internal {

// One slot of a node: a tensor of the graph, or a constant to be made.
struct BoundInput {
  std::string arg;  // the declared argument it belongs to
  Output output;    // valid, or else:
  Tensor constant;
};

struct BoundCall {
  std::vector<BoundInput> inputs;
  AttrMap attrs;  // sorted by name
};

// Gives each declared argument of `def` its inputs, infers type, number and type list attrs from
// them, and literals their types from the attrs. `node` is the node's name, for messages.
//   Errors: INVALID_ARGUMENT.
Result<BoundCall> BindArgs(const OpDef& def, const std::string& node, std::vector<Input> inputs,
                           AttrMap attrs);

}  // namespace tagflow::internal

#endif  // TAGFLOW_GRAPH_BUILDER_BIND_ARGS_H_
