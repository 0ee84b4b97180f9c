"""Groups for Gather, GatherNd, Split, SplitV, Concat, ConcatOffset and OneHot."""

import numpy as np
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker

_SAMPLES = (tf.float32, tf.int8)


def groups():
  """All groups, in a fixed order."""
  for op, attr, maker in (("Gather", "Tparams", _gather), ("GatherNd", "Tparams", _gather_nd),
                          ("Split", "T", _split), ("SplitV", "T", _split_v),
                          ("Concat", "T", _concat), ("OneHot", "T", _one_hot)):
    for dtype in dtypes_of(op, attr):
      good, _ = maker(Maker(f"ops/{op}/{dtype.name}", dtype))
      yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.", good)
    for dtype in _SAMPLES:
      _, wrong = maker(Maker(f"ops/{op}/{dtype.name}/wrong", dtype))
      yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of {dtype.name} that makes no sense.",
                  wrong)
  for index in (tf.uint8, tf.int8, tf.int32, tf.int64):
    yield _one_hot_indices(index)
  for index in INDEXES:
    yield from _concat_offset(index)


def _integers(values, index):
  return np.array(values, index.as_numpy_dtype)


def _gather(make):

  def probe(shape, indices, fed=None):
    index = make.index()
    return Probe("Gather", [make.values(shape), _integers(indices, index)], {
        "Tparams": make.dtype,
        "Tindices": index
    },
                 fed=fed)

  good = (((4,), 2), ((4,), [3, 0, 0]), ((4,), []), ((4,), [[1, 2], [3, 0]]), ((0,), []), ((2, 3), 1),
          ((2, 3), [1, 0, 1]), ((3, 0), [2, 0]), ((2, 2, 3), [1]), ((2, 1, 2, 1, 2), [[1, 0]]))
  wrong = (((4,), [4]), ((4,), [-1]), ((0,), [0]), ((), 0), ((2, 3), [2]), ((4,), -2**31), ((0, 0), [3]),
           ((3, 0), [7]))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _gather_nd(make):

  def probe(shape, indices, policy="", fed=None, index=None):
    index = index or (tf.int16, *INDEXES)[make.coin() + make.coin()]
    return Probe("GatherNd", [make.values(shape), _integers(indices, index)], {
        "Tparams": make.dtype,
        "Tindices": index,
        "bad_indices_policy": policy
    },
                 fed=fed)

  none = np.zeros((2, 0))
  good = (((4,), [2]), ((4,), [[3], [0], [0]]), ((4,), np.zeros((0, 1))), ((2, 3), [1]), ((2, 3), [1, 2]),
          ((2, 3), [[0, 1], [1, 2]]), ((2, 3), [[[0], [1]]]), ((2, 3), none), ((), none), ((2, 0), [[1]]),
          ((2, 1, 3), [[1, 0, 2]]), ((2, 1, 2, 1, 2), [[1, 0, 1], [0, 0, 0]]), ((0, 2), np.zeros((0, 1))))
  wrong = (((4,), [[4]]), ((4,), [[-1]]), ((2, 3), [[1, 3]]), ((2, 3), [[2, 0]]), ((4,), [[0, 0]]),
           ((4,), 1), ((), [[0]]), ((0,), [[0]]), ((0, 2), [[0]]))
  policies = [
      probe((4,), [[1], [9], [-1]], policy, True)
      for policy in ("", "DEFAULT", "ERROR", "IGNORE")
  ]
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong] + policies


def _split(make):

  def probe(shape, axis, parts, fed=None):
    return Probe("Split", [_integers(axis, tf.int32), make.values(shape)], {
        "T": make.dtype,
        "num_split": parts
    },
                 outputs=parts,
                 fed=fed)

  good = (((4,), 0, 2), ((4,), 0, 1), ((4,), -1, 4), ((0,), 0, 3), ((2, 6), 1, 3), ((2, 6), 0, 2),
          ((2, 6), -2, 1), ((2, 0), 0, 2), ((1, 4, 2), 1, 2), ((2, 1, 4, 1), 2, 4), ((1, 2, 1, 2, 3), 3, 2))
  wrong = (((4,), 0, 3), ((4,), 1, 2), ((4,), -2, 2), ((), 0, 1), ((4,), [0], 2), ((4,), [0, 0], 2),
           ((2, 3), 1, 2))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _split_v(make):
  """All fed: TensorFlow's process dies of a Const of int8 sizes, and it takes an axis that it does
  not know yet for the last."""

  def probe(shape, sizes, axis, parts=None):
    index = (tf.int8, *INDEXES)[make.coin() + make.coin()]
    parts = parts or len(sizes)
    return Probe("SplitV", [make.values(shape), _integers(sizes, index), _integers(axis, tf.int32)], {
        "T": make.dtype,
        "Tlen": index,
        "num_split": parts
    },
                 outputs=parts,
                 fed=True)

  good = (((4,), [1, 3], 0), ((4,), [4], 0), ((4,), [1, -1, 0], 0), ((4,), [0, 4], -1),
          ((0,), [0, 0], 0), ((2, 5), [2, 3], 1), ((2, 5), [-1, 1], -2), ((2, 0), [1, 1], 0),
          ((1, 4, 2), [1, 1, 2], 1), ((2, 1, 4, 1), [3, -1], 2), ((1, 2, 1, 2, 3), [1, 0, 2], 4))
  wrong = (((4,), [-1], 0), ((4,), [3], 0), ((4,), [1, 2], 0), ((4,), [3, 3], 0), ((4,), [-1, -1], 0), ((4,), [-2, 6], 0), ((4,), [5, -1], 0),
           ((4,), [1, 3], 1), ((4,), [1, 3], -2), ((), [1], 0), ((4,), [1, 1, 2], 0, 2), ((4,), [4], 0, 2),
           ((4,), [[1, 3]], 0, 2), ((4,), [1, 3], [0]), ((4,), [1, 3], [0, 0]), ((4,), 4, 0, 1))
  return [probe(*p) for p in good], [probe(*p) for p in wrong]


def _concat(make):

  def probe(shapes, axis, fed=None):
    return Probe("Concat", [_integers(axis, tf.int32)] + [make.values(s) for s in shapes], {
        "T": make.dtype,
        "N": len(shapes)
    },
                 fed=fed)

  good = (([(2,), (3,)], 0), ([(2,), (0,)], -1), ([(0,), (0,)], 0), ([(2, 3), (1, 3)], 0),
          ([(2, 3), (2, 1)], 1), ([(2, 3), (2, 0), (2, 2)], -1), ([(1, 2, 2), (1, 1, 2)], 1),
          ([(1, 2, 1, 2)] * 3, 2), ([(2, 0), (3, 0)], 0), ([(1, 2, 1, 1, 2)] * 2, 4))
  wrong = (([(2,), (2, 2)], 0), ([(2, 3), (2, 2)], 0), ([(2,), (3,)], 1), ([(2,), (3,)], -2),
           ([(), ()], 0), ([(2,), (3,)], [[0]]), ([(2,), (3,)], [0]), ([(2,), (3,)], [0, 0]))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _one_hot_probe(make, indices, depth, axis=-1, index=tf.int64, on=(), off=(), fed=None):
  return Probe("OneHot", [
      _integers(indices, index),
      _integers(depth, tf.int32),
      make.values(on),
      make.values(off)
  ], {
      "T": make.dtype,
      "TI": index,
      "axis": axis
  },
               fed=fed)


def _one_hot(make):
  good = ((1, 3), ([0, 2, 1], 3), ([0, 2, 1], 3, 0), ([5, -1, 2], 3), ([], 3), ([], 3, 0), ([0, 1], 0),
          ([[0, 1, 2], [2, 0, 1]], 3, 1), ([[0, 1], [1, 0]], 2, 0), ([[[1]], [[0]]], 4, 2), ([0], 1))
  wrong = (([0], -1), ([0], 3, 2), (0, 3, 1), ([0], [3]), ([0], [3, 3]))
  return ([_one_hot_probe(make, *p) for p in good], [
      _one_hot_probe(make, *p, fed=True) for p in wrong
  ] + [
      _one_hot_probe(make, [0], 3, on=on, off=off, fed=True)
      for on, off in (((1,), ()), ((), (1,)), ((2,), (2,)))
  ])


def _one_hot_indices(index):
  name = f"ops/OneHot/indices-{index.name}"
  make = Maker(name, tf.float32)
  values = (op_values.special(index), 2, [[0, 1], [2, 3]])
  return Group(name, f"OneHot of {index.name} indices.",
               [_one_hot_probe(make, v, d, -1, index) for v in values for d in (1, 3)])


def _concat_offset(index):

  def probe(axis, shapes, fed=None):
    return Probe("ConcatOffset",
                 [_integers(axis, tf.int32)] + [_integers(s, index) for s in shapes], {
                     "N": len(shapes),
                     "shape_type": index
                 },
                 outputs=len(shapes),
                 fed=fed)

  good = ((0, [[2], [3]]), (-1, [[2], [3], [0]]), (1, [[2, 3], [2, 1]]), (0, [[2, 3], [4, 3], [1, 3]]),
          (-2, [[2, 3], [4, 3]]), (2, [[1, 2, 3, 4], [1, 2, 0, 4]]))
  wrong = ((1, [[2], [3]]), (-2, [[2], [3]]), (0, [[2, 3], [2, 4]]), (0, [[2], [2, 3]]), ([0], [[2], [3]]),
           (0, [2, 3]), (0, [[], []]), (0, [[[2]], [[3]]]), ([0, 0], [[2], [3]]))
  name = f"ops/ConcatOffset/{index.name}"
  yield Group(name, "Where the parts of a concatenation begin.", [probe(*p) for p in good])
  yield Group(f"{name}/wrong", "Shapes that are not joined.", [probe(*p, fed=True) for p in wrong])
