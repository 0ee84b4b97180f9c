#ifndef TAGFLOW_GRAPH_IO_EXPORT_H_
#define TAGFLOW_GRAPH_IO_EXPORT_H_

// From a Graph to a GraphDef, as message, bytes or text. The same graph gives the same bytes: nodes
// in the order of their ids, attrs in the order of their names.

#include <string>

#include "graph/graph.h"
#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"

namespace tagflow {

// Errors: those of TensorToProto for an attr, naming node and attr; DATA_LOSS for bytes (of a
// function, an opaque attr, unknown fields) that are not what they say.
Result<GraphDef> ExportGraph(const Graph& graph, TensorForm form = TensorForm::kCompact);
Result<std::string> ExportGraphToBytes(const Graph& graph);
// Text, with tensors that a person can read. Fields unknown to us have no text form and are left
// out.
Result<std::string> ExportGraphToText(const Graph& graph);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_EXPORT_H_
