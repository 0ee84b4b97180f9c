"""Groups for the ops on lists of indices, sizes and values, and for what makes or reads tensors."""

import numpy as np
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker

_SAMPLES = (tf.float32, tf.int32)


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("ListDiff"):
    yield from _list_diff(dtype)
  for dtype in dtypes_of("LowerBound"):
    yield from _bounds(dtype)
  for index in INDEXES:
    yield from _unravel_index(index)
    yield from _broadcast_args(index)
    yield from _invert_permutation(index)
  for dtype in dtypes_of("LinSpace"):
    yield from _lin_space(dtype)
  for dtype in dtypes_of("Empty", "dtype"):
    yield from _empty(dtype)
  for source in dtypes_of("Where"):
    if source != tf.bool:
      yield _bitcast(source)
  yield _bitcast_shapes()
  for dtype in dtypes_of("Where"):
    yield from _where(dtype)
  for dtype in DTYPES:
    yield from _ensure_shape(dtype)


def _integers(values, index):
  return np.array(values, index.as_numpy_dtype)


def _list_diff(dtype):
  name = f"ops/ListDiff/{dtype.name}"
  make = Maker(name, dtype)

  def probe(x, y, fed=None):
    return Probe("ListDiff", [x, y], {"T": dtype, "out_idx": make.index()}, outputs=2, fed=fed)

  special = op_values.special(dtype)
  sizes = ((6, 3), (0, 3), (3, 0), (0, 0), (1, 1), (12, 2))
  yield Group(name, f"ListDiff of {dtype.name}.",
              [probe(make.values((n,)), make.values((m,))) for n, m in sizes] +
              [probe(special, special[:2]), probe(special, special)])
  place = "differs" if dtype in (tf.half, tf.bfloat16) else "ops"
  yield Group(f"{place}/ListDiff/{dtype.name}/zeros",
              "0 and -0 are equal; TensorFlow tells those of 16 bits apart.",
              [probe(special[:4], special[1:])])
  if dtype in _SAMPLES:
    yield Group(f"{name}/wrong", f"ListDiff of {dtype.name} that are no lists.", [
        probe(make.values(a), make.values(b), fed=True)
        for a, b in (((), (2,)), ((2,), ()), ((2, 1), (2,)), ((2,), (1, 2)))
    ])


def _bounds(dtype):
  for op in ("LowerBound", "UpperBound"):
    name = f"ops/{op}/{dtype.name}"
    make = Maker(name, dtype)

    def probe(rows, values, fed=None, op=op, make=make):
      return Probe(op, [np.sort(make.values(rows), axis=-1) if rows else make.values(rows),
                        make.values(values)], {
                            "T": dtype,
                            "out_type": make.index()
                        },
                   fed=fed)

    sizes = (((1, 4), (1, 3)), ((2, 5), (2, 4)), ((3, 1), (3, 2)), ((1, 0), (1, 3)), ((2, 3), (2, 0)),
             ((0, 3), (0, 2)), ((1, 40), (1, 40)))
    special = op_values.finite(dtype)
    yield Group(name, f"{op} of {dtype.name}.", [probe(*s) for s in sizes] + [
        Probe(op, [np.sort(special)[None], special[None]], {"T": dtype, "out_type": tf.int32})
    ])
    if dtype in _SAMPLES:
      wrong = (((4,), (3,)), ((1, 4), (3,)), ((4,), (1, 3)), ((2, 4), (1, 3)), ((1, 2, 2), (1, 2, 2)),
               ((), ()))
      yield Group(f"{name}/wrong", f"{op} of {dtype.name} that are no rows.",
                  [probe(*s, fed=True) for s in wrong])


def _unravel_index(index):

  def probe(indices, dims, fed=None):
    return Probe("UnravelIndex", [_integers(indices, index), _integers(dims, index)],
                 {"Tidx": index},
                 fed=fed)

  good = ((5, [2, 3]), ([5], [2, 3]), ([0, 3, 4], [2, 3]), ([0, 7], [8]), (0, []), ([0], []),
          ([23, 12], [2, 3, 4]), ([1], [1, 2, 1]), ([2**31 - 2], [2**31 - 1]))
  wrong = ([6], [2, 3]), (6, [2, 3]), ([0], [2, 0]), ([0], [2, -3]), ([0], [-2, -3]), ([], [2, 3]), \
      ([[0]], [2, 3]), ([0], 3), ([0], [[2, 3]]), ([1], []), ([0], [2**16, 2**16, 2**16, 2**16])
  name = f"UnravelIndex/{index.name}"
  yield Group(f"ops/{name}", f"UnravelIndex in {index.name}.", [probe(*p) for p in good])
  yield Group(f"ops/{name}/wrong", "Indices that are not in the tensor.",
              [probe(*p, fed=True) for p in wrong])
  yield Group(f"differs/{name}", "TensorFlow makes negative coordinates of a negative index.",
              [probe(*p, fed=True) for p in (([-1], [2, 3]), (-4, [2, 3]))])


def _broadcast_args(index):

  def probe(a, b, fed=None):
    return Probe("BroadcastArgs", [_integers(a, index), _integers(b, index)], {"T": index}, fed=fed)

  good = (([], []), ([], [2]), ([3], []), ([1], [1]), ([2, 3], [3]), ([2, 3], [1, 3]), ([2, 1], [1, 3]),
          ([1, 1], [2]), ([0], [1]), ([1], [0]), ([2, 1, 4], [3, 1]), ([0, 1], [0, 5]), ([1, 1], [1]),
          ([2, -1], [2, 1]), ([-1], [-1]), ([2**31 - 1, 1], [2**31 - 1]))
  wrong = (([2], [3]), ([2, 3], [2]), ([0], [2]), ([[2]], [2]), ([2], 2), (2, 2), ([-1], [3]))
  name = f"ops/BroadcastArgs/{index.name}"
  yield Group(name, "The shape that two shapes broadcast to.", [probe(*p) for p in good])
  yield Group(f"{name}/wrong", "Shapes that do not broadcast.",
              [probe(*p, fed=True) for p in wrong])


def _invert_permutation(index):

  def probe(values, fed=None):
    return Probe("InvertPermutation", [_integers(values, index)], {"T": index}, fed=fed)

  name = f"ops/InvertPermutation/{index.name}"
  yield Group(name, "Permutations turned around.",
              [probe(p) for p in ([], [0], [1, 0], [2, 0, 1], [0, 1, 2, 3], [3, 1, 0, 2])])
  yield Group(f"{name}/wrong", "What is no permutation.", [
      probe(p, True)
      for p in ([1], [0, 0], [-1, 0], [0, 2], [[0, 1]], 0, [2**31 - 1, 0], [-2**31, 0])
  ])


def _lin_space(dtype):
  name = f"ops/LinSpace/{dtype.name}"

  def probe(start, stop, num, index, fed=None):
    return Probe("LinSpace", [op_values.array(start, dtype), op_values.array(stop, dtype),
                              _integers(num, index)], {
                                  "T": dtype,
                                  "Tidx": index
                              },
                 fed=fed)

  good = ((0, 1, 1), (0, 1, 2), (0, 1, 5), (0.1, 0.7, 7), (5, -5, 11), (3, 3, 4), (1, 2, 1000),
          (-1e30, 1e30, 9), (0, np.inf, 3), (np.nan, 1, 3), (1, np.nan, 3), (1e-3, 1e3, 33))
  yield Group(name, f"LinSpace of {dtype.name}.",
              [probe(*p, INDEXES[i % 2]) for i, p in enumerate(good)])
  wrong = ((0, 1, 0), (0, 1, -3), ([0], 1, 3), (0, [1], 3), (0, 1, [3]), (0, 1, [3, 4]))
  yield Group(f"{name}/wrong", f"LinSpace of {dtype.name} of no length.",
              [probe(*p, INDEXES[i % 2], fed=True) for i, p in enumerate(wrong)])


def _empty(dtype):
  """With init, and where there is nothing to be seen without."""

  def probe(dims, init=True, fed=None):
    return Probe("Empty", [_integers(dims, tf.int32)], {"dtype": dtype, "init": init}, fed=fed)

  name = f"ops/Empty/{dtype.name}"
  yield Group(name, f"Empty of {dtype.name}.", [
      probe(d) for d in ([], [0], [3], [2, 3], [2, 0, 3], [1, 2, 1, 1, 2])
  ] + [probe(d, False) for d in ([0], [2, 0, 3])])
  if dtype in _SAMPLES:
    yield Group(f"{name}/wrong", f"Empty of {dtype.name} of no shape.",
                [probe(d, fed=True) for d in ([-1], [2, -3], 2, [[2]], [2**20] * 4)])


def _bitcast(source):
  """To every dtype whose elements are of another size, or of the same."""
  name = f"ops/Bitcast/{source.name}"
  make = Maker(name, source)
  values = np.resize(op_values.special(source), (32,))
  probes = []
  for target in dtypes_of("Where"):
    if target == tf.bool:
      continue
    ratio = max(1, target.size // source.size)
    last = (ratio,) if ratio > 1 else ()
    shapes = (last, (2,) + last, (0,) + last)
    probes += [
        Probe("Bitcast", [values[:int(np.prod(s))].reshape(s)], {"T": source, "type": target})
        for s in shapes
    ]
    if ratio > 1:
      probes += [
          Probe("Bitcast", [make.values(s)], {
              "T": source,
              "type": target
          }, fed=True) for s in ((), (ratio + 1,), (ratio, 1))
      ]
  return Group(name, f"The bytes of {source.name} as other dtypes.", probes)


def _bitcast_shapes():
  return Group("ops/Bitcast/shapes", "Bitcasts of several dimensions.", [
      Probe("Bitcast", [np.arange(np.prod(s), dtype=np.int16).reshape(s)], {
          "T": tf.int16,
          "type": t
      }) for s, t in (((2, 3), tf.uint8), ((2, 3, 2), tf.int32), ((0, 2), tf.int32), ((2, 0), tf.uint8),
                      ((1, 2, 1, 4), tf.float64), ((2, 2), tf.bfloat16))
  ])


def _where(dtype):
  name = f"ops/Where/{dtype.name}"
  make = Maker(name, dtype)

  def probe(values, fed=None):
    return Probe("Where", [values], {"T": dtype}, fed=fed)

  shapes = ((0,), (1,), (7,), (2, 3), (2, 0), (2, 2, 3), (1, 3, 1, 2), (2, 1, 2, 1, 3))
  yield Group(name, f"Where of {dtype.name}.",
              [probe(make.values(s)) for s in shapes] + [probe(op_values.special(dtype))])
  if dtype in _SAMPLES:
    yield Group(f"{name}/wrong", f"Where of {dtype.name} of no dimension, or too many.",
                [probe(make.values(s), fed=True) for s in ((), (1,) * 9)])


def _ensure_shape(dtype):
  name = f"ops/EnsureShape/{dtype.name}"
  make = Maker(name, dtype)
  pairs = (((), None), ((), []), ((3,), None), ((3,), [None]), ((3,), [3]), ((2, 3), [None, 3]),
           ((2, 0), [2, 0]), ((1, 2, 1, 2, 3), [1, None, 1, None, 3]))
  wrong = (((), [None]), ((3,), [2]), ((3,), []), ((2, 3), [3, None]), ((2, 3), [2]))

  def probe(shape, wanted, fed=None):
    fed = True if wanted is None else fed  # TensorFlow loads no unknown shape of a known input
    return Probe("EnsureShape", [make.values(shape)], {
        "T": dtype,
        "shape": tf.TensorShape(wanted)
    },
                 fed=fed)

  yield Group(name, f"EnsureShape of {dtype.name}, which fits.", [probe(*p) for p in pairs])
  if dtype in _SAMPLES:
    yield Group(f"{name}/wrong", f"EnsureShape of {dtype.name}, which does not.",
                [probe(*p, fed=True) for p in wrong])
