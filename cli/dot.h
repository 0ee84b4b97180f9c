#ifndef TAGFLOW_CLI_DOT_H_
#define TAGFLOW_CLI_DOT_H_

#include <string>

#include "graph/frames.h"
#include "graph/graph.h"

namespace tagflow::cli {

// The graph in Graphviz's language: frames as nested boxes, one shape per primitive, control edges
// dashed, back edges coloured and out of the layout's way, Switch's outputs labelled F and T.
std::string DrawDot(const Graph& graph, const FrameTree& frames);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DOT_H_
