"""One GraphDef in one TensorFlow session, driven as a conformance engine drives it.

The graph goes in as it is: names kept, Grappler off, no constant folding or function inlining of
the optimizer (OptimizerOptions L0). A step goes through the C API, so that nothing of
tf.Session.run converts a dtype or rewrites an error on the way; what tf.Session.run checks and the
C API does not (the shape of a feed, a tensor both fed and fetched) is done here the same way.

Failures are raised as EngineFailure (an error of the graph or the step) or Unsupported (TensorFlow
lacks the op, dtype or device).
"""

import re

import quiet
import numpy as np
from google.protobuf import message as protobuf_message
from tensorflow.core.framework import graph_pb2
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.python.client import pywrap_tf_session as c_api

tf = quiet.tf

_CODE_NAMES = {
    1: "CANCELLED", 2: "UNKNOWN", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 5: "NOT_FOUND",
    6: "ALREADY_EXISTS", 7: "PERMISSION_DENIED", 8: "RESOURCE_EXHAUSTED",
    9: "FAILED_PRECONDITION", 10: "ABORTED", 11: "OUT_OF_RANGE", 12: "UNIMPLEMENTED",
    13: "INTERNAL", 14: "UNAVAILABLE", 15: "DATA_LOSS", 16: "UNAUTHENTICATED"}

_NOT_CARRIED = (tf.resource, tf.variant)


class EngineFailure(Exception):
  """An error of the graph or of a step. `code` is a canonical name (INVALID_ARGUMENT, ...)."""

  def __init__(self, code, message):
    super().__init__(f"{code}: {message}")
    self.code = code
    self.message = message


class Unsupported(Exception):
  """TensorFlow lacks this op, dtype or device."""


class GraphSession:
  """A loaded graph; its variables live as long as it does. Not for use by several threads."""

  def __init__(self, graph_def, devices=(), threads=0):
    """graph_def: serialized GraphDef. devices: logical CPU devices that must exist."""
    self._graph = tf.Graph()
    try:
      parsed = graph_pb2.GraphDef.FromString(graph_def)
    except protobuf_message.DecodeError as e:
      raise EngineFailure("INVALID_ARGUMENT", f"not a GraphDef: {e}") from e
    try:
      with self._graph.as_default():
        tf.import_graph_def(parsed, name="")
    except Exception as e:  # pylint: disable=broad-except
      raise _import_failure(e) from e
    self._session = tf.compat.v1.Session(graph=self._graph, config=_config(devices, threads))

  def close(self):
    self._session.close()

  def run(self, feeds, fetches, targets=(), deadline_s=0.0):
    """Runs one step.

    feeds: {tensor name: numpy array}; fetches: tensor names; targets: node names.
    Returns numpy arrays, one for each fetch.
    """
    try:
      return self._run(feeds, fetches, targets, deadline_s)
    except (EngineFailure, Unsupported):
      raise
    except Exception as e:  # pylint: disable=broad-except
      raise _run_failure(e) from e

  def _run(self, feeds, fetches, targets, deadline_s):
    feed_tensors = {}
    fed_values = {}
    for name, value in feeds.items():
      tensor = self._tensor(name)
      _check_feed(tensor, value)
      feed_tensors[tensor._as_tf_output()] = _for_c_api(value)
      fed_values[tensor.name] = value
    fetch_tensors = [self._tensor(name) for name in fetches]
    asked = [t for t in fetch_tensors if t.name not in fed_values]
    for tensor in asked:
      if tensor.dtype.base_dtype in _NOT_CARRIED:
        raise Unsupported(f"a fetch of dtype {tensor.dtype.name} ({tensor.name})")
    operations = [self._operation(name) for name in targets]
    got = iter(self._call(feed_tensors, asked, operations, deadline_s))
    return [fed_values[t.name] if t.name in fed_values else _typed(next(got), t)
            for t in fetch_tensors]

  def _call(self, feeds, fetches, operations, deadline_s):
    if not fetches and not operations:
      return []
    options = None
    if deadline_s > 0:
      milliseconds = max(1, round(deadline_s * 1000))
      run_options = config_pb2.RunOptions(timeout_in_ms=milliseconds)
      options = c_api.TF_NewBufferFromString(run_options.SerializeToString())
    try:
      self._session._extend_graph()
      return c_api.TF_SessionRun_wrapper(
          self._session._session, options, feeds, [t._as_tf_output() for t in fetches],
          [operation._c_op for operation in operations], None)
    finally:
      if options is not None:
        c_api.TF_DeleteBuffer(options)

  def _tensor(self, name):
    try:
      return self._graph.get_tensor_by_name(name if ":" in name else name + ":0")
    except (KeyError, ValueError) as e:
      raise EngineFailure("NOT_FOUND", str(e)) from e

  def _operation(self, name):
    try:
      return self._graph.get_operation_by_name(name)
    except (KeyError, ValueError) as e:
      raise EngineFailure("NOT_FOUND", str(e)) from e


def array_of(proto_bytes):
  """The numpy array in a serialized TensorProto."""
  try:
    proto = tensor_pb2.TensorProto.FromString(proto_bytes)
    dtype = tf.dtypes.as_dtype(proto.dtype)
  except (protobuf_message.DecodeError, TypeError) as e:
    raise EngineFailure("INVALID_ARGUMENT", f"not a tensor: {e}") from e
  if dtype.base_dtype in _NOT_CARRIED:
    raise Unsupported(f"a feed of dtype {dtype.name}")
  try:
    return tf.make_ndarray(proto)
  except (TypeError, ValueError) as e:
    raise EngineFailure("INVALID_ARGUMENT", f"not a tensor: {e}") from e


def proto_of(array):
  """The serialized TensorProto of a numpy array."""
  return tf.make_tensor_proto(array, dtype=_dtype_of(array), shape=array.shape).SerializeToString()


def _dtype_of(array):
  return tf.string if array.dtype.kind in "OSU" else tf.dtypes.as_dtype(array.dtype)


def _check_feed(tensor, value):
  wanted = tensor.dtype.base_dtype
  if wanted in _NOT_CARRIED:
    raise Unsupported(f"a feed of dtype {wanted.name} ({tensor.name})")
  if _dtype_of(value) != wanted:
    raise EngineFailure("INVALID_ARGUMENT",
                        f"feed of {tensor.name} is {_dtype_of(value).name}, not {wanted.name}")
  if not tensor.shape.is_compatible_with(value.shape):
    raise EngineFailure(
        "INVALID_ARGUMENT",
        f"feed of {tensor.name} has shape {value.shape}, not {tensor.shape}")


def _for_c_api(value):
  return value.astype(object) if value.dtype.kind in "SU" else value


def _typed(value, tensor):
  """A fetched value as an array; the C API gives scalars of strings as bytes."""
  if tensor.dtype.base_dtype == tf.string:
    array = np.empty(np.shape(value), dtype=object)
    array[...] = value
    return array
  return np.asarray(value)


def _config(devices, threads):
  config = config_pb2.ConfigProto()
  config.device_count["CPU"] = 1 + max((_cpu_index(d) for d in devices), default=0)
  config.intra_op_parallelism_threads = threads
  if threads:
    config.inter_op_parallelism_threads = threads
    config.use_per_session_threads = True
  config.graph_options.optimizer_options.opt_level = config_pb2.OptimizerOptions.L0
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  # These run even where the meta optimizer is off.
  config.graph_options.rewrite_options.pin_to_host_optimization = (
      rewriter_config_pb2.RewriterConfig.OFF)
  return config


def _cpu_index(device):
  match = re.search(r"(?:^|/)(?:device:)?cpu:(\d+|\*)$", device, re.IGNORECASE)
  if not match:
    if re.search(r"(?:^|/)(?:device:)?cpu$", device, re.IGNORECASE):
      return 0
    raise Unsupported(f"device {device}")
  return 0 if match.group(1) == "*" else int(match.group(1))


def _import_failure(error):
  text = str(error)
  if "Op type not registered" in text or "is not defined" in text and "Op" in text:
    return Unsupported(_first_line(text))
  code = getattr(error, "error_code", None)
  if code is None:  # import_graph_def turns INVALID_ARGUMENT into ValueError
    return EngineFailure("INVALID_ARGUMENT", text)
  return EngineFailure(_CODE_NAMES.get(code, "UNKNOWN"), text)


def _run_failure(error):
  text = str(error)
  if "No OpKernel was registered to support Op" in text:
    return Unsupported(_first_line(text))
  code = getattr(error, "error_code", None)
  if code is None:
    # Raised by the conversion of a value between numpy and TensorFlow.
    return EngineFailure("INVALID_ARGUMENT", f"{type(error).__name__}: {text}")
  return EngineFailure(_CODE_NAMES.get(code, "UNKNOWN"), text)


def _first_line(text):
  return text.split("\n", 1)[0]
