#ifndef TAGFLOW_CLI_DESCRIBE_H_
#define TAGFLOW_CLI_DESCRIBE_H_

#include <string>

#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::cli {

// What `tagflow show` prints: inputs, frames, loops, branches, devices, functions.
std::string DescribeGraph(const Graph& graph, const FrameTree& frames);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DESCRIBE_H_
