#ifndef TAGFLOW_CLI_READ_GRAPH_H_
#define TAGFLOW_CLI_READ_GRAPH_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/op_def.h"
#include "graph/saved/saved_model.h"
#include "graph/status.h"

namespace tagflow::cli {

// What the path is: a graph, a MetaGraph, or the folder of a SavedModel; with a line of progress
// where it takes long. A graph by itself has no signatures.
//   tags: of a SavedModel, which of its graphs
Result<SavedModelGraph> ReadModel(const std::string& path, const OpRegistry* ops,
                                  const std::vector<std::string>& tags = {});
// The graph of it.
Result<Graph> ReadGraph(const std::string& path, const OpRegistry* ops);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_READ_GRAPH_H_
