#ifndef TAGFLOW_GRAPH_IO_UNKNOWN_FIELDS_H_
#define TAGFLOW_GRAPH_IO_UNKNOWN_FIELDS_H_

// Fields that a message came with and its type lacks (from a later version of the format).

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

namespace tagflow {

// Of the message itself, not of those inside it.
inline const google::protobuf::UnknownFieldSet& UnknownFields(
    const google::protobuf::Message& message) {
  return message.GetReflection()->GetUnknownFields(message);
}

inline void AddUnknownFields(const google::protobuf::UnknownFieldSet& fields,
                             google::protobuf::Message& to) {
  to.GetReflection()->MutableUnknownFields(&to)->MergeFrom(fields);
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_UNKNOWN_FIELDS_H_
