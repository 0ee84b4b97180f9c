"""Tensors as people read them: values in the typed fields instead of packed bytes."""

import adapter  # isort: skip
import quiet
from tensorflow.core.framework import tensor_pb2

tf = quiet.tf

# dtype -> the field of TensorProto that holds its values.
_FIELDS = {
    tf.bool: "bool_val", tf.int8: "int_val", tf.int16: "int_val", tf.int32: "int_val",
    tf.uint8: "int_val", tf.uint16: "int_val", tf.int64: "int64_val", tf.uint32: "uint32_val",
    tf.uint64: "uint64_val", tf.half: "half_val", tf.bfloat16: "half_val",
    tf.float32: "float_val", tf.float64: "double_val", tf.complex64: "scomplex_val",
    tf.complex128: "dcomplex_val", tf.string: "string_val"}


def case(original):
  """A copy of a conformance.Case with every tensor readable."""
  copy = type(original).FromString(original.SerializeToString())
  _each_tensor(copy, _make_readable)
  return copy


def _each_tensor(message, visit):
  if message.DESCRIPTOR.full_name == "tagflow.TensorProto":
    visit(message)
    return
  for field, value in message.ListFields():
    if field.type != field.TYPE_MESSAGE:
      continue
    if field.message_type.GetOptions().map_entry:
      if field.message_type.fields_by_name["value"].message_type:
        for key in value:
          _each_tensor(value[key], visit)
    elif field.is_repeated:
      for item in value:
        _each_tensor(item, visit)
    else:
      _each_tensor(value, visit)


def _make_readable(tensor):
  dtype = tf.dtypes.as_dtype(tensor.dtype) if tensor.dtype else None
  if not tensor.tensor_content or dtype not in _FIELDS:
    return
  array = tf.make_ndarray(tensor_pb2.TensorProto.FromString(tensor.SerializeToString()))
  tensor.ClearField("tensor_content")
  getattr(tensor, _FIELDS[dtype]).extend(_flat_values(array, dtype))


def _flat_values(array, dtype):
  flat = array.reshape(-1)
  if dtype in (tf.half, tf.bfloat16):
    return flat.view("uint16").tolist()
  if dtype.is_complex:
    return flat.view(flat.real.dtype).tolist()
  return flat.tolist()


def main(path):
  """Prints a case, text or binary, as readable text."""
  import record  # pylint: disable=import-outside-toplevel
  print(case(record.read(path)), end="")


if __name__ == "__main__":
  import sys
  if len(sys.argv) != 2:
    sys.exit(f"usage: {sys.argv[0]} CASE")
  main(sys.argv[1])
