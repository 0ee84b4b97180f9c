"""Probes of what reads bytes: DecodeRaw, ParseExample and ParseExampleV2; and of names of files."""

import numpy as np
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("DecodeRaw", "out_type"):
    if dtype != tf.string:
      yield _raw(dtype)
  for op in ("ParseExample", "ParseExampleV2"):
    for dtype in (tf.float32, tf.int64, tf.string):
      yield _dense(op, dtype)
      yield _sparse(op, dtype)
    yield _odd(op)
    yield _both_kinds(op)
  yield _names()


def _texts(values):
  return np.array(values, object)


def _raw(dtype):
  size = dtype.size
  some = op_values.array([1, 0, 1], dtype).tobytes()
  texts = [_texts(some), _texts([some, some]), _texts([[some[:size]], [b"\0" * size]]), _texts([]), _texts(b""),
           _texts([some, some[:size]]), _texts(some + b"x")]
  probes = [Probe("DecodeRaw", [text], {"out_type": dtype, "little_endian": little})
            for text in texts for little in (True, False)]
  return Group(f"ops/DecodeRaw/{dtype.name}", f"Bytes as {dtype.name}.", probes)


def _feature(values, dtype):
  if dtype == tf.float32:
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))
  if dtype == tf.int64:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=map(int, values)))
  return tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"%d" % v for v in values]))


def _example(dtype, **features):
  made = tf.train.Features(feature={name: _feature(values, dtype) for name, values in features.items()})
  return tf.train.Example(features=made).SerializeToString()


def _probe(op, examples, dtype, sparse=(), dense=(), shape=(2,), default=None, outputs=None):
  """A call with one dtype for all keys; a default: values, [] for none."""
  keys = lambda names: _texts([name.encode() for name in names])
  default = op_values.array([] if default is None else default, dtype)
  if op == "ParseExample":
    inputs = [_texts(examples), _texts([])] + [_texts(key.encode()) for key in (*sparse, *dense)]
    attrs = {"Nsparse": len(sparse), "Ndense": len(dense)}
  else:
    inputs = [_texts(examples), _texts([]), keys(sparse), keys(dense), _texts([])]
    attrs = {"num_sparse": len(sparse), "ragged_value_types": [], "ragged_split_types": []}
  attrs.update(sparse_types=[dtype] * len(sparse), Tdense=[dtype] * len(dense),
               dense_shapes=[tf.TensorShape(shape)] * len(dense))
  return Probe(op, inputs + [default] * len(dense), attrs, outputs=3 * len(sparse) + len(dense), fed=True)


def _dense(op, dtype):
  ab, a = _example(dtype, a=[1, 2], b=[3]), _example(dtype, a=[4, 5])
  probes = [_probe(op, [ab, a], dtype, dense=["a"]), _probe(op, [ab], dtype, dense=["a", "b"], shape=(1,)),
            _probe(op, [ab, a], dtype, dense=["b"], shape=(1,), default=[7]),
            _probe(op, [ab, a], dtype, dense=["b"], shape=(1,)), _probe(op, [], dtype, dense=["a"]),
            _probe(op, [a], dtype, dense=["a"], shape=(2, 1)), _probe(op, [a], dtype, dense=["a"], shape=(3,)),
            _probe(op, [ab, a], dtype, dense=["a"], shape=(None,), default=[0])]
  return Group(f"ops/{op}/dense-{dtype.name}", f"{op}: features of a shape, {dtype.name}.", probes)


def _sparse(op, dtype):
  ab, none = _example(dtype, a=[1, 2], b=[3]), _example(dtype)
  probes = [_probe(op, examples, dtype, sparse=keys)
            for examples in ([ab], [ab, none, ab], [none], []) for keys in (["a"], ["a", "b"], ["z"])]
  return Group(f"ops/{op}/sparse-{dtype.name}", f"{op}: features of any number, {dtype.name}.", probes)


def _odd(op):
  """Bytes that are no Example, a feature of another kind."""
  good = _example(tf.float32, a=[1, 2])
  probes = [_probe(op, [b"no example"], tf.float32, dense=["a"]), _probe(op, [good[:-3]], tf.float32, dense=["a"]),
            _probe(op, [good], tf.int64, dense=["a"]), _probe(op, [good], tf.int64, sparse=["a"]),
            _probe(op, [b""], tf.float32, sparse=["a"])]
  return Group(f"ops/{op}/odd", f"{op}: what is refused.", probes)


def _both_kinds(op):
  good = _example(tf.float32, a=[1, 2])
  return Group(f"differs/{op}/both-kinds", f"{op}: a feature as it is and of a shape.",
               [_probe(op, [good], tf.float32, sparse=["a"], dense=["a"])])


def _names():
  probes = [Probe("ShardedFilename", [_texts(b"f"), np.int32(i), np.int32(n)], {})
            for i, n in ((0, 1), (3, 10), (99999, 100000), (123456, 1000000), (-1, 2), (2, 1))]
  probes += [Probe("ShardedFilespec", [_texts(b"a/f"), np.int32(n)], {}) for n in (1, 0, 100000, -1)]
  return Group("ops/ShardedFilename/names", "The names of a checkpoint's files.", probes)
