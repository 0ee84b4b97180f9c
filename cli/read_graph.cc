#include "cli/read_graph.h"

#include "cli/progress_line.h"
#include "graph/io/import.h"

namespace tagflow::cli {

Result<Graph> ReadGraph(const std::string& path, const OpRegistry* ops) {
  const ProgressLine line("reading " + path);
  return ReadGraphFile(path, {.registry = ops});
}

}  // namespace tagflow::cli
