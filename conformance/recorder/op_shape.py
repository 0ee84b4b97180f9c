"""Groups for the ops on shapes: what asks for them, and what only rearranges elements."""

import numpy as np
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_SHAPES = ((), (0,), (1,), (4,), (2, 3), (2, 0, 3), (1, 2, 1, 3), (1, 1, 2, 1, 2))
INDEXES = (tf.int32, tf.int64)


def groups():
  """All groups, in a fixed order."""
  for dtype in DTYPES:
    yield from _queries(dtype)
    yield from _reshape(dtype)
    yield from _expand_squeeze(dtype)
    yield from _copies(dtype)
  for dtype in dtypes_of("Pack"):
    yield from _pack(dtype)
  for dtype in dtypes_of("Unpack"):
    yield from _unpack(dtype)
    yield from _parallel_concat(dtype)
  for dtype in dtypes_of("ConcatV2"):
    yield from _concat(dtype)
  for dtype in dtypes_of("Transpose"):
    yield from _transpose(dtype)
  yield from _broadcast_gradient_args()


class Maker:
  """Makes the values and probes of one group name."""

  def __init__(self, name, dtype):
    self.dtype = dtype
    self._random = np.random.RandomState(seed_of(name))

  def values(self, shape):
    return op_values.plain(shape, self.dtype, self._random)

  def coin(self):
    return self._random.rand() < 0.5

  def index(self):
    return INDEXES[int(self.coin())]


def _integers(values, index):
  return np.array(values, index.as_numpy_dtype)


def _queries(dtype):
  name = f"ops/Shape/{dtype.name}"
  make = Maker(name, dtype)
  for index in INDEXES:
    yield Group(f"{name}/{index.name}", f"Shape and Size of {dtype.name} as {index.name}.", [
        Probe(op, [make.values(s)], {
            "T": dtype,
            "out_type": index
        }) for op in ("Shape", "Size") for s in _SHAPES
    ])
    yield Group(f"ops/ShapeN/{dtype.name}-{index.name}",
                f"ShapeN of {dtype.name} as {index.name}.", [
                    Probe("ShapeN", [make.values(s) for s in shapes], {
                        "T": dtype,
                        "N": len(shapes),
                        "out_type": index
                    },
                          outputs=len(shapes)) for shapes in (_SHAPES[:1], _SHAPES[2:5], _SHAPES)
                ])
  yield Group(f"ops/Rank/{dtype.name}", f"Rank of {dtype.name}.",
              [Probe("Rank", [make.values(s)], {"T": dtype}) for s in _SHAPES])


_RESHAPES = (((), []), ((), [1]), ((), [1, 1]), ((), [-1]), ((1,), []), ((6,), [2,
                                                                                3]), ((6,), [-1]),
             ((6,), [3, -1]), ((6,), [-1, 1,
                                      6]), ((2, 3), [3,
                                                     2]), ((2, 3), [-1]), ((0,), [0]), ((0,), [-1]),
             ((0,), [3, 0]), ((0, 2), [2, 0, 5]), ((2, 2, 3), [4, -1]), ((2, 1, 3), [1, 6, 1, 1]))
_WRONG_RESHAPES = (((6,), [4]), ((6,), [-1, -1]), ((6,), [-2]), ((6,), [4, -1]), ((0,), [-1, 0]),
                   ((6,), [[2, 3]]), ((), []), ((2,), [0]), ((0,), [1]), ((6,), [0, -1]))


def _reshape(dtype):
  name = f"ops/Reshape/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, target, index, fed=None):
    return Probe("Reshape", [make.values(shape), _integers(target, index)], {
        "T": dtype,
        "Tshape": index
    },
                 fed=fed)

  for index in INDEXES:
    yield Group(f"{name}/{index.name}", f"Reshape of {dtype.name}, with and without -1.",
                [probe(s, t, index) for s, t in _RESHAPES])
  yield Group(f"{name}/wrong", f"Reshape of {dtype.name} to shapes that do not fit.",
              [probe(s, t, make.index(), fed=True) for s, t in _WRONG_RESHAPES])
  yield Group(f"{name}/wrong-const", f"Reshape of {dtype.name} to shapes known not to fit.",
              [probe((6,), [4], tf.int32, fed=False),
               probe((6,), [-1, -1], tf.int64, fed=False)])


def _expand_squeeze(dtype):
  name = f"ops/ExpandDims/{dtype.name}"
  make = Maker(name, dtype)

  def expand(shape, axis, fed=None):
    index = make.index()
    return Probe("ExpandDims", [make.values(shape), _integers(axis, index)], {
        "T": dtype,
        "Tdim": index
    },
                 fed=fed)

  def squeeze(shape, axes, fed=None):
    return Probe("Squeeze", [make.values(shape)], {"T": dtype, "squeeze_dims": axes}, fed=fed)

  yield Group(
      name, f"ExpandDims of {dtype.name} at every axis.",
      [expand(s, a)
       for s in ((), (3,), (2, 0), (2, 1, 2))
       for a in range(-len(s) - 1,
                      len(s) + 1)] + [expand((3,), [1]), expand((2, 2), [-1])])
  yield Group(f"{name}/wrong", f"ExpandDims of {dtype.name} at axes that are not there.", [
      expand(s, a, fed=True)
      for s, a in (((), 1), ((), -2), ((3,), 2), ((3,), -3), ((3,), [0, 1]), ((3,), []))
  ])
  yield Group(f"ops/Squeeze/{dtype.name}", f"Squeeze of {dtype.name}.", [
      squeeze(s, a)
      for s, a in (((), []), ((1,), []), ((1,), [0]), ((1,), [-1]), ((3,), []), ((1, 3, 1), []),
                   ((1, 3, 1), [0]), ((1, 3, 1), [2]), ((1, 3, 1), [-1, 0]), ((0, 1), []),
                   ((1, 1, 1, 1), [1, 2]), ((2, 1, 0, 1, 1), [-2]), ((1, 3, 1), [0, 0]))
  ])
  yield Group(f"ops/Squeeze/{dtype.name}/wrong",
              f"Squeeze of {dtype.name} where the size is not 1.", [
                  squeeze(s, a, fed=True)
                  for s, a in (((3,), [0]), ((1, 3), [1]), ((1,), [1]), ((1,), [-2]), ((), [0]),
                               ((0, 1), [0]), ((1, 3, 1), [0, 1]))
              ])


def _copies(dtype):
  for op in ("Identity", "StopGradient", "Snapshot"):
    prefix = "extra" if op == "Snapshot" else "ops"
    make = Maker(f"ops/{op}/{dtype.name}", dtype)
    yield Group(f"{prefix}/{op}/{dtype.name}", f"{op} of {dtype.name}.",
                [Probe(op, [make.values(s)], {"T": dtype}) for s in _SHAPES] +
                [Probe(op, [op_values.special(dtype)], {"T": dtype})])
  make = Maker(f"ops/IdentityN/{dtype.name}", dtype)
  yield Group(f"ops/IdentityN/{dtype.name}", f"IdentityN with {dtype.name} among others.", [
      Probe("IdentityN", [make.values((2,))], {"T": [dtype]}),
      Probe("IdentityN", [make.values(
          ()), np.int32(3), make.values((0,))], {"T": [dtype, tf.int32, dtype]},
            outputs=3)
  ])


_PACKS = (((), 1, 0), ((), 3, 0), ((), 2, -1), ((2,), 3, 0), ((2,), 3, 1), ((2,), 1, -1),
          ((0,), 2, 0), ((0,), 2, 1), ((2, 3), 2, 1), ((2, 3), 2, -1), ((2, 3), 2, -3),
          ((1, 2, 2), 2, 2), ((1, 2, 1, 2), 3, -2))


def _pack(dtype):
  name = f"ops/Pack/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shapes, axis, fed=None):
    return Probe("Pack", [make.values(s) for s in shapes], {
        "T": dtype,
        "N": len(shapes),
        "axis": axis
    },
                 fed=fed)

  yield Group(name, f"Pack of {dtype.name} along every axis.",
              [probe([s] * n, a) for s, n, a in _PACKS])
  yield Group(f"{name}/wrong", f"Pack of {dtype.name} of unequal shapes, or along no axis.", [
      probe([(2,), (3,)], 0, fed=True),
      probe([(), (1,)], 0, fed=True),
      probe([(2,)] * 2, 2, fed=True),
      probe([(2,)] * 2, -3, fed=True)
  ])
  yield Group(f"{name}/wrong-const", f"Pack of {dtype.name} known not to fit.",
              [probe([(2,), (3,)], 0, fed=False),
               probe([(2,)] * 2, 2, fed=False)])


def _parallel_concat(dtype):
  """TensorFlow takes only inputs whose shapes are known when the graph is loaded.

  Left out: a shape of more rows than there are inputs, which TensorFlow leaves as its memory comes.
  """
  name = f"ops/ParallelConcat/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shapes, shape):
    return Probe("ParallelConcat", [make.values(s) for s in shapes],
                 {"T": dtype, "N": len(shapes), "shape": tf.TensorShape(shape)}, fed=False)

  yield Group(name, f"Rows of {dtype.name} joined.",
              [probe([(1,)], [1]), probe([(1, 2)] * 3, [3, 2]), probe([(1, 0)] * 2, [2, 0]),
               probe([(1, 2, 3)] * 2, [2, 2, 3])])
  yield Group(f"{name}/wrong", f"Rows of {dtype.name} that are none, or do not fit.",
              [probe([(2,)] * 2, [2, 2]), probe([(1, 2), (1, 3)], [2, 2]),
               probe([(1, 2)] * 2, [1, 2]), probe([()], [1])])


def _unpack(dtype):
  name = f"ops/Unpack/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, axis, num=None, fed=None):
    num = shape[axis] if num is None else num
    return Probe("Unpack", [make.values(shape)], {
        "T": dtype,
        "num": num,
        "axis": axis
    },
                 outputs=num,
                 fed=fed)

  yield Group(name, f"Unpack of {dtype.name} along every axis.", [
      probe(s, a)
      for s, a in (((1,), 0), ((3,), 0), ((3,), -1), ((2, 3), 0), ((2, 3), 1), ((2, 3), -2),
                   ((2, 0), 0), ((2, 1, 3), 1), ((2, 1, 3), -1), ((1, 2, 2, 1), 2))
  ])
  yield Group(f"{name}/wrong", f"Unpack of {dtype.name} with the wrong count or axis.", [
      probe((3,), 0, 2, fed=True),
      probe((3,), 0, 4, fed=True),
      probe((), 0, 1, fed=True),
      probe((3,), 1, 3, fed=True),
      probe((3,), -2, 3, fed=True)
  ])


_CONCATS = (([(2,), (3,)], 0), ([(2,), (3,)], -1), ([(2,), (0,)], 0), ([(0,), (0,)], 0), ([
    (2, 3), (1, 3)
], 0), ([(2, 3), (2, 1)], 1), ([(2, 3), (2, 0), (2, 2)], -1), ([(1, 2, 2), (1, 1, 2)], 1),
            ([(2, 1), (2, 1)], -2), ([(1, 2, 1, 2)] * 3, 2), ([(2, 0), (3, 0)], 0), ([(1,)] * 7, 0))


def _concat(dtype):
  name = f"ops/ConcatV2/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shapes, axis, index, fed=None):
    return Probe("ConcatV2", [make.values(s) for s in shapes] + [_integers(axis, index)], {
        "T": dtype,
        "N": len(shapes),
        "Tidx": index
    },
                 fed=fed)

  for index in INDEXES:
    yield Group(f"{name}/{index.name}", f"ConcatV2 of {dtype.name} along every axis.",
                [probe(s, a, index) for s, a in _CONCATS])
  wrong = (([(2,), (2, 2)], 0), ([(2, 3), (2, 2)], 0), ([(2,), (3,)], 1), ([(2,), (3,)], -2),
           ([(), ()], 0), ([(2,), (3,)], [[0]]))
  yield Group(f"{name}/wrong", f"ConcatV2 of {dtype.name} shapes that do not fit.",
              [probe(s, a, make.index(), fed=True) for s, a in wrong])
  yield Group(f"{name}/wrong-const", f"ConcatV2 of {dtype.name} shapes known not to fit.",
              [probe(s, a, tf.int32, fed=False) for s, a in wrong[:3]])
  yield Group(f"{name}/one", f"ConcatV2 of one {dtype.name} tensor.",
              [probe([(2,)], 0, tf.int32, fed=True)])


def _transpose(dtype):
  name = f"ops/Transpose/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, order, index, fed=None):
    return Probe("Transpose", [make.values(shape), _integers(order, index)], {
        "T": dtype,
        "Tperm": index
    },
                 fed=fed)

  orders = (((), []), ((4,), [0]), ((2, 3), [0, 1]), ((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]),
            ((2, 3, 4), [0, 2, 1]), ((2, 3, 4), [2, 1, 0]), ((2, 0, 3), [1, 2, 0]),
            ((1, 2, 3, 2), [0, 3, 1, 2]), ((1, 2, 3, 2), [3, 2, 1, 0]), ((2, 1, 1, 3), [1, 0, 3,
                                                                                        2]),
            ((1, 2, 1, 3, 2), [4, 0, 2, 1,
                               3]), ((2, 1, 2, 1, 2, 3), [5, 0, 4, 1, 3,
                                                          2]), ((2, 3), [-1, -2]), ((2, 3), [-2,
                                                                                             1]))
  yield Group(name, f"Transpose of {dtype.name} in every order.",
              [probe(s, o, make.index()) for s, o in orders])
  wrong = (((2, 3), [0]), ((2, 3), [0, 0]), ((2, 3), [0, 2]), ((2, 3), [0, 1, 2]),
           ((2, 3), [-3, 0]), ((), [0]), ((2, 3), [[0, 1]]))
  yield Group(f"{name}/wrong", f"Transpose of {dtype.name} in no order.",
              [probe(s, o, make.index(), fed=True) for s, o in wrong])


def _broadcast_gradient_args():
  for index in INDEXES:
    name = f"ops/BroadcastGradientArgs/{index.name}"
    pairs = (([], []), ([], [2]), ([3], []), ([1], [1]), ([2, 3], [3]), ([2, 3], [1, 3]),
             ([2, 1], [1, 3]), ([2, 3], [2, 3]), ([1, 1], [2]), ([0], [1]), ([1], [0]),
             ([2, 1, 4], [3, 1]), ([1, 2, 1, 2], [2, 1, 1]), ([0, 1], [0, 5]), ([5, 1], [5, 1]))
    wrong = (([2], [3]), ([2, 3], [2]), ([[2]], [2]), ([0], [2]))
    yield Group(name, "The axes over which each operand's gradient is summed.", [
        Probe("BroadcastGradientArgs",
              [_integers(x, index), _integers(y, index)], {"T": index},
              outputs=2) for x, y in pairs
    ])
    yield Group(f"{name}/wrong", "Shapes that do not broadcast.", [
        Probe("BroadcastGradientArgs",
              [_integers(x, index), _integers(y, index)], {"T": index},
              outputs=2,
              fed=True) for x, y in wrong
    ])
