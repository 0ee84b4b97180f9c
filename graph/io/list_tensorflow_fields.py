"""Prints every field and enum value of the messages a GraphDef is made of, as an installed
TensorFlow has them, one per line. tensorflow_fields.txt holds its output; wire_compatibility_test
compares it with our own messages.

    $TAGFLOW_PEERS/bin/python graph/io/list_tensorflow_fields.py > graph/io/tensorflow_fields.txt
"""

from google.protobuf import descriptor_pb2
from tensorflow.core.framework import graph_pb2

_PACKAGE = "tensorflow."


def field_type(field):
  if field.type_name:
    return field.type_name.removeprefix("." + _PACKAGE)
  return descriptor_pb2.FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()


def message_lines(scope, message):
  name = scope + message.name
  for field in message.field:
    repeated = field.label == descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
    words = ["repeated"] if repeated else []
    words += [field_type(field), f"{name}.{field.name}", str(field.number)]
    yield " ".join(words)
  for nested in message.nested_type:
    yield from message_lines(name + ".", nested)


def file_lines(file, seen):
  if file.name in seen:
    return
  seen.add(file.name)
  for dependency in file.dependencies:
    yield from file_lines(dependency, seen)
  proto = descriptor_pb2.FileDescriptorProto()
  file.CopyToProto(proto)
  for message in proto.message_type:
    yield from message_lines("", message)
  for enum in proto.enum_type:
    for value in enum.value:
      yield f"value {enum.name}.{value.name} {value.number}"


if __name__ == "__main__":
  print("\n".join(sorted(file_lines(graph_pb2.DESCRIPTOR, set()))))
