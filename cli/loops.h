#ifndef TAGFLOW_CLI_LOOPS_H_
#define TAGFLOW_CLI_LOOPS_H_

// The loops of a graph as a person thinks of them, found from the primitives' usual pattern: what
// does not follow it is left out of the description, and is no error.

#include <string>
#include <vector>

#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::cli {

// Enter -> Merge -> Switch -> … -> NextIteration -> Merge, Switch:0 -> Exit.
struct LoopVariable {
  NodeId merge = NodeId::kNone;
  NodeId enter = NodeId::kNone;
  NodeId switch_node = NodeId::kNone;  // kNone: a variable that nothing switches
  NodeId next_iteration = NodeId::kNone;
  NodeId exit = NodeId::kNone;  // kNone: its last value is not used
};

struct Loop {
  int frame = FrameTree::kRoot;
  std::vector<NodeId> conditions;  // its LoopConds: one, but where two loops share a frame
  std::vector<LoopVariable> variables;
  std::vector<NodeId> invariants;  // constant Enters
  std::vector<std::string>
      bounds;  // "i < 10": comparisons with a constant that the condition needs
};

// One per frame but the root's, in the order of the frames.
std::vector<Loop> FindLoops(const Graph& graph, const FrameTree& frames);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_LOOPS_H_
