"""Groups for the ops that write sparse tensors into strings or variants, and read them.

Left out: what makes TensorFlow die: sizes below zero or beyond what an int64 counts, of several
tensors at once; and a shape that is not int64.
"""

import numpy as np
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import tf
from op_sets import sparse
from op_shape import Maker

GOOD = (([[0, 1], [1, 0], [1, 2]], [2, 3]), ([[0, 1, 0]], [1, 2, 1]), ([], [2, 3]), ([], [0, 4]))
UNFIT = (([0, 1], [2, 3]), ([[0, 1]], 2))


def groups():
  """All groups, in a fixed order."""
  for dtype in DTYPES:
    yield from _write("SerializeSparse", dtype, (([[1, 5], [0, 0]], [2, -3]), ([[0]], [2, 3])), ())
    yield from _write("SerializeManySparse", dtype, (),
                      (([[1, 0], [0, 0]], [2, 3]), ([[1, 0], [1, 0]], [2, 3]), ([[2, 0]], [2, 3]),
                       ([[0, -1]], [2, 3]), ([[0]], [2]), ([[0, 0]], [-2, 3]),
                       ([[0, 0]], [2**40, 2**40]), ([[0]], [2, 3])))
    yield from _read("DeserializeSparse", dtype)
    yield from _read("DeserializeManySparse", dtype)


def _write(op, dtype, odd, wrong):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, fed=None):
    return Probe(op, sparse(make, *pair), {"T": dtype, "out_type": tf.string}, fed=fed)

  yield Group(name, f"Sparse {dtype.name} tensors as texts.", [probe(p) for p in GOOD + odd])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that are not written.",
              [probe(p, fed=True) for p in UNFIT + wrong])


def _texts(places, values, dims):
  """The three parts of a sparse tensor, as TensorFlow writes them."""
  with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    texts = tf.raw_ops.SerializeSparse(sparse_indices=places, sparse_values=values,
                                       sparse_shape=dims)
    return list(session.run(texts))


def _read(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(texts, fed=None):
    attrs = {"dtype": dtype}
    if op == "DeserializeSparse":
      attrs["Tserialized"] = tf.string
    return Probe(op, [np.array(texts, object)], attrs, outputs=3, fed=fed)

  matrix = _texts(*sparse(make, [[0, 1], [1, 0]], [2, 3]))
  wide = _texts(*sparse(make, [[0, 4]], [1, 5]))
  empty = _texts(*sparse(make, [], [1, 1]))
  outside = _texts(*sparse(make, [[2, -1]], [1, 1]))
  vector = _texts(*sparse(make, [[2]], [4]))
  other = tf.int32 if dtype != tf.int32 else tf.float32
  foreign = _texts(*sparse(Maker(name, other), [[0, 1]], [2, 3]))
  good = [[matrix], [matrix, wide, empty], [wide, outside]]
  if op == "DeserializeSparse":
    good += [matrix, outside, [[matrix, wide], [empty, wide]]]
  yield Group(name, f"Texts as sparse {dtype.name} tensors.", [probe(texts) for texts in good])
  cut = [matrix[0][:-1], matrix[1], matrix[2]]
  wrong = [[matrix, vector], [foreign], matrix[:2], [[b"x", b"y", b"z"]], [[b"", b"", b""]], [cut],
           [[matrix[1], matrix[1], matrix[2]]], [[matrix[0], matrix[0], matrix[2]]],
           [[matrix[0], wide[1], matrix[2]]], [[matrix[0], matrix[1], vector[2]]], b"x"]
  yield Group(f"{name}/wrong", f"Texts that are no sparse {dtype.name} tensors.",
              [probe(texts, fed=True) for texts in wrong])
