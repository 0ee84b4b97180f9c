#ifndef TAGFLOW_GRAPH_EVALUATE_H_
#define TAGFLOW_GRAPH_EVALUATE_H_

// How a pass that needs values (constant folding) is handed an engine to compute them with, without
// knowing any.

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace tagflow {

// The outputs of one stateless node on these live inputs, on the host, by output index.
//   Errors: the kernel's own; UNIMPLEMENTED where the engine has no kernel for the node.
using Evaluate =
    std::function<Result<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)>;

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_EVALUATE_H_
