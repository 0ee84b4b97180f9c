#ifndef TAGFLOW_CLI_DESCRIBE_H_
#define TAGFLOW_CLI_DESCRIBE_H_

#include <string>
#include <vector>

#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::cli {

// The frames of the whole graph. Where they cannot be found everything is in the root, and
// `problem` says why.
FrameTree FramesOrRoot(const Graph& graph, std::string& problem);

// What may be fed, a line each: "x: float[2,?]", "n: int32 of any shape (has a default)".
std::vector<std::string> PlaceholderLines(const Graph& graph);

// What `tagflow show` prints: inputs, frames, loops, branches, devices, functions.
std::string DescribeGraph(const Graph& graph, const FrameTree& frames);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DESCRIBE_H_
