#include "cli/read_graph.h"

#include <utility>

#include "cli/progress_line.h"
#include "graph/io/import.h"

namespace tagflow::cli {

Result<SavedModelGraph> ReadModel(const std::string& path, const OpRegistry* ops,
                                  const std::vector<std::string>& tags) {
  const ProgressLine line("reading " + path);
  if (IsSavedModel(path)) return LoadSavedModel(path, {.tags = tags, .registry = ops});
  Result<Graph> graph = ReadGraphFile(path, {.registry = ops});
  if (!graph.ok() && IsMetaGraph(path)) {
    return ReadMetaGraph(path, {.tags = {}, .registry = ops});
  }
  SavedModelGraph model;
  TAGFLOW_ASSIGN_OR_RETURN(model.graph, std::move(graph));
  return model;
}

Result<Graph> ReadGraph(const std::string& path, const OpRegistry* ops) {
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph model, ReadModel(path, ops));
  return std::move(model.graph);
}

}  // namespace tagflow::cli
