#ifndef TAGFLOW_CLI_READ_GRAPH_H_
#define TAGFLOW_CLI_READ_GRAPH_H_

#include <string>

#include "graph/graph.h"
#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow::cli {

// ReadGraphFile, with a line of progress where it takes long.
Result<Graph> ReadGraph(const std::string& path, const OpRegistry* ops);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_READ_GRAPH_H_
