#ifndef TAGFLOW_GRAPH_BUILDER_WHILE_CONTEXT_H_
#define TAGFLOW_GRAPH_BUILDER_WHILE_CONTEXT_H_

// What the builder remembers of a loop it made, for those who rewrite or differentiate it later.

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

// Per loop variable, in order (with maximum_iterations the builder's own counter comes first):
//   enters[i] -> merges[i] -> switches[i] -> exits[i] (port 0), body_inputs[i] (port 1);
//   body_outputs[i] -> next_iterations[i] -> merges[i].
struct WhileContext {
  std::string name;
  std::string frame_name;
  int parent = -1;  // index of the loop this one is in; -1: none
  int64_t parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool has_iteration_limit = false;
  bool listed = true;  // false: made with create_while_context off; only here to be a parent
  std::vector<NodeId> enters;
  std::vector<NodeId> merges;
  std::vector<NodeId> switches;
  std::vector<NodeId> next_iterations;
  std::vector<NodeId> exits;
  std::vector<OutputRef> body_inputs;
  std::vector<OutputRef> body_outputs;
  std::vector<std::pair<OutputRef, NodeId>> captures;  // tensor outside, its constant Enter
  OutputRef cond_output;                               // what LoopCond is given
  NodeId loop_cond = NodeId::kNone;
  NodeId pivot = NodeId::kNone;  // of the body
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_WHILE_CONTEXT_H_
