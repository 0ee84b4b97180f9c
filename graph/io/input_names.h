#ifndef TAGFLOW_GRAPH_IO_INPUT_NAMES_H_
#define TAGFLOW_GRAPH_IO_INPUT_NAMES_H_

// From the names of a graph's inputs to its nodes, all at once: in a large graph every look-up
// misses the cache, and the misses of one input need not wait for those of another.

#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow {

// The inputs of all nodes, one after the other: node i has those before ends[i] and not before
// ends[i-1].
struct InputNames {
  std::vector<std::string_view> names;
  std::vector<size_t> ends;
};

// Fills inputs and control_inputs of the nodes 0 to ends.size()-1, which are the whole graph.
//   Errors (INVALID_ARGUMENT, naming node and input): a name that is none, or of no node; a data
//   input after a control input.
Status ConnectInputs(const InputNames& inputs, Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_INPUT_NAMES_H_
