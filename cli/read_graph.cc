#include "cli/read_graph.h"

#include <utility>

#include "cli/progress_line.h"

namespace tagflow::cli {

Result<SavedModelGraph> ReadModel(const std::string& path, const OpRegistry* ops,
                                  const std::vector<std::string>& tags) {
  const ProgressLine line("reading " + path);
  return tagflow::ReadModel(path, {.tags = tags, .registry = ops});
}

Result<Graph> ReadGraph(const std::string& path, const OpRegistry* ops) {
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph model, ReadModel(path, ops));
  return std::move(model.graph);
}

}  // namespace tagflow::cli
