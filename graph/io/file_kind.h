#ifndef TAGFLOW_GRAPH_IO_FILE_KIND_H_
#define TAGFLOW_GRAPH_IO_FILE_KIND_H_

// What a file is that was given as a graph and is none, told by its bytes, never by its name.

#include <optional>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow {

struct FileKind {
  std::string name;    // "a MetaGraphDef, as TensorFlow's savers write it (.meta)"
  std::string advice;  // how a graph is got from it; empty where nothing is known
  bool is_meta_graph = false;
};

// Nothing for what may be a GraphDef, whole or damaged, and for bytes that tell nothing. Looks at
// the first fields of a message and the first bytes of all else, so costs the same for any size.
std::optional<FileKind> OtherKindOf(std::string_view bytes);

// Of a folder with a saved_model.pb in it.
FileKind SavedModelFolder();

// INVALID_ARGUMENT: "it is a MetaGraphDef, …, and not a GraphDef: its graph is …".
Status NotAGraph(const FileKind& kind);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_FILE_KIND_H_
