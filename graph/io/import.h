#ifndef TAGFLOW_GRAPH_IO_IMPORT_H_
#define TAGFLOW_GRAPH_IO_IMPORT_H_

// From a GraphDef to a Graph. The nodes may come in any order. What the format leaves open to later
// versions is kept: unknown ops (Node::def is null), unknown attrs, unknown fields of graph and
// nodes, and the function library as bytes; ExportGraph gives them back. The one thing that
// changes: a Placeholder of shape [] in a graph that names a producer up to 21 gets the unknown
// shape it means.
//
// Cost: //bench:import_bench (parsing and import of a binary graph of 100,000 small nodes).

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "graph/io/graph.pb.h"
#include "graph/status.h"

namespace tagflow {

// The version of the format that Tagflow implements, in TensorFlow's count. A graph whose
// min_consumer is larger, or whose bad_consumers hold it, is refused.
inline constexpr int kGraphDefVersion = 2474;

struct ImportOptions {
  const OpRegistry* registry = nullptr;  // null: OpRegistry::Standard()
  // How many bytes the tensors in attrs may take in all (a small message can stand for a large
  // tensor). 0: half of the machine's memory.
  int64_t tensor_bytes_max = 0;
};

// Errors (each names the node, and the input or attr):
//   INVALID_ARGUMENT: two nodes of one name, a name that is none, an input that names no node, a
//   data input after a control input, a tensor or shape that contradicts itself, versions;
//   RESOURCE_EXHAUSTED: tensors larger than the options allow.
Result<Graph> ImportGraph(const GraphDef& def, const ImportOptions& options = {});

// From a binary or text GraphDef, told apart by content. `what` begins the errors of parsing; those
// are INVALID_ARGUMENT with line:column (text), or naming what the bytes are that are no GraphDef
// (file_kind.h), and DATA_LOSS with byte and field (binary).
Result<Graph> ImportGraphFromBytes(std::string_view bytes, const ImportOptions& options = {},
                                   std::string_view what = "the graph");

// From a file, which may be compressed by gzip; errors name it. RESOURCE_EXHAUSTED for one that
// unpacks to more than kMostUnpackedBytes.
Result<Graph> ReadGraphFile(const std::string& path, const ImportOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_IMPORT_H_
