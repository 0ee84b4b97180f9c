#ifndef TAGFLOW_GRAPH_IO_FIELD_LINES_H_
#define TAGFLOW_GRAPH_IO_FIELD_LINES_H_

// Fields of messages as text, a line each, for tests that compare ours with TensorFlow's
// (list_tensorflow_fields.py prints theirs): "repeated string MetaGraphDef.MetaInfoDef.tags 4".

#include <google/protobuf/descriptor.h>

#include <set>
#include <string>

namespace tagflow {

// Gives the lines of a file's messages and enums, by the names that TensorFlow has for them.
//   with_imports: and the lines of the files that it imports
std::set<std::string> FieldLines(const google::protobuf::FileDescriptor* file, bool with_imports);
// The lines of a file as the script wrote it; none where the file cannot be read.
std::set<std::string> ReadFieldLines(const std::string& path);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_FIELD_LINES_H_
