#ifndef TAGFLOW_GRAPH_IO_WIRE_SCAN_H_
#define TAGFLOW_GRAPH_IO_WIRE_SCAN_H_

// Finds where bytes stop being a message. The protobuf library says only that they are not one; a
// person with a truncated file wants to know the byte and the field.

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

namespace tagflow {

// The first place where `bytes` cannot be a message of this type, as "byte 812, in node[3].attr:
// the field says that it has 90 bytes, and 12 are left". Empty when no such place is found.
std::string DescribeBadWire(std::string_view bytes, const google::protobuf::Descriptor* type);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_WIRE_SCAN_H_
