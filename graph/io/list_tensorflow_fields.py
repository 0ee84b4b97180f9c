"""Prints every field and enum value of messages, as an installed TensorFlow has them, one per line: of
those a GraphDef is made of, or of those of SavedModels and checkpoints. Both tensorflow_fields.txt hold
its output, with which tests compare our own messages.

    P=$TAGFLOW_PEERS/bin/python
    $P graph/io/list_tensorflow_fields.py graph > graph/io/tensorflow_fields.txt
    $P graph/io/list_tensorflow_fields.py saved > graph/saved/tensorflow_fields.txt
"""

import sys

from google.protobuf import descriptor_pb2
from tensorflow.core.framework import graph_pb2
from tensorflow.core.framework import tensor_slice_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.core.protobuf import saver_pb2
from tensorflow.core.protobuf import tensor_bundle_pb2
from tensorflow.core.util import saved_tensor_slice_pb2

_SAVED = (tensor_slice_pb2, meta_graph_pb2, saved_model_pb2, saver_pb2, tensor_bundle_pb2,
          saved_tensor_slice_pb2)
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


def lines_with_imports(file, seen):
  if file.name in seen:
    return
  seen.add(file.name)
  for dependency in file.dependencies:
    yield from lines_with_imports(dependency, seen)
  yield from file_lines(file)


def file_lines(file):
  proto = descriptor_pb2.FileDescriptorProto()
  file.CopyToProto(proto)
  for message in proto.message_type:
    yield from message_lines("", message)
  for enum in proto.enum_type:
    for value in enum.value:
      yield f"value {enum.name}.{value.name} {value.number}"


def main():
  if sys.argv[1:] == ["graph"]:
    lines = lines_with_imports(graph_pb2.DESCRIPTOR, set())
  elif sys.argv[1:] == ["saved"]:
    lines = (line for module in _SAVED for line in file_lines(module.DESCRIPTOR))
  else:
    sys.exit(__doc__)
  print("\n".join(sorted(lines)))


if __name__ == "__main__":
  main()
