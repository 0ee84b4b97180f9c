#ifndef TAGFLOW_GRAPH_IO_PARSE_H_
#define TAGFLOW_GRAPH_IO_PARSE_H_

// Reading protocol buffer messages that may be binary or text, with errors that say where.

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow {

// Text without the mark of UTF-8 that some editors put in front of it.
std::string_view WithoutByteOrderMark(std::string_view bytes);

// Whether the bytes begin as a text message does: after blanks and comments nothing, or a field's
// name and one of ":", "{" and "<"; and no control characters there but blanks. A binary message of
// ours begins with a tag, a length and a name, and after a name comes the next tag, a control
// character.
bool LooksLikeText(std::string_view bytes);

// Reads a message, text or binary as its content says. `what` begins error messages: the file's
// name, for example.
//   Errors: INVALID_ARGUMENT for text, with line:column; DATA_LOSS for binary, with the byte and
//   the field; RESOURCE_EXHAUSTED for 2 GiB and more.
Status ParseMessage(std::string_view bytes, std::string_view what,
                    google::protobuf::Message& message);
Status ParseText(std::string_view text, std::string_view what, google::protobuf::Message& message);
Status ParseBinary(std::string_view bytes, std::string_view what,
                   google::protobuf::Message& message);

// The same bytes for the same message, whatever the order of its maps in memory.
std::string SerializeDeterministic(const google::protobuf::MessageLite& message);
// Text with every map in the order of its keys. Fields that the message type lacks have no text
// form and are left out.
std::string ToText(const google::protobuf::Message& message);

// The file's bytes. Errors: NOT_FOUND, INVALID_ARGUMENT (a folder), PERMISSION_DENIED; each names
// the file.
Result<std::string> ReadFile(const std::string& path);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_PARSE_H_
