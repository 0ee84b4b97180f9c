"""Groups for the ops that tell elements apart, rank them or count them.

Left out: TopK, which no graph of today may hold; and an infinite range of HistogramFixedWidth, with
which TensorFlow writes outside of its memory.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker

_COUNTED = (tf.int32, tf.int64, tf.float32, tf.float64)  # more have kernels, but the ops refuse them


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("Unique"):
    for op in ("Unique", "UniqueWithCounts"):
      yield from _unique(op, dtype)
    for op in ("UniqueV2", "UniqueWithCountsV2"):
      yield from _unique_slices(op, dtype)
  for dtype in dtypes_of("TopKV2"):
    yield from _top_k(dtype)
  for dtype in dtypes_of("NthElement"):
    yield from _nth(dtype)
  for index in INDEXES:
    yield from _in_top_k(index)
  for dtype in _COUNTED:
    yield from _bincount(dtype)
    yield from _dense_bincount(dtype)
    yield from _histogram(dtype)


def _feeding(dtype):
  """Errors that are found in loading a graph each need a case of their own: for one dtype."""
  return (True, False) if dtype == tf.float32 else (True,)


def _unique(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(x, index=None, fed=None):
    return Probe(op, [x], {"T": dtype, "out_idx": index or make.index()},
                 outputs=3 if "Counts" in op else 2, fed=fed)

  # A 16-bit -0 and 0 are two to TensorFlow, if they are elements, and one, if they are in slices.
  special = op_values.special(dtype)
  if dtype in (tf.half, tf.bfloat16):
    special = special[1:]
    yield Group(f"differs/{op}/{dtype.name}", f"{op} of {dtype.name} zeros of both signs.",
                [probe(op_values.array([0.0, -0.0, 0.0], dtype))])
  yield Group(name, f"{op} of {dtype.name}.",
              [probe(make.values((n,)), index) for index in INDEXES for n in (0, 1, 2, 7, 40)] +
              [probe(np.concatenate([special, special[::-1]]))])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} tensors that are no vectors.",
              [probe(make.values(s), fed=True) for s in ((), (1, 2), (0, 0))])


def _unique_slices(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(x, axis, fed=None):
    axis_type = make.index()
    return Probe(op, [x, np.array(axis, axis_type.as_numpy_dtype)],
                 {"T": dtype, "Taxis": axis_type, "out_idx": make.index()},
                 outputs=3 if "Counts" in op else 2, fed=fed)

  few = make.values((3, 2)) if dtype != tf.string else op_values.array([["a", "b"]] * 3, dtype)
  yield Group(name, f"{op} of {dtype.name} slices.", [
      probe(make.values(s), axis)
      for s, axis in (((9,), []), ((9,), [0]), ((0,), []), ((1,), [-1]), ((2, 0), [0]),
                      ((2, 0), [1]), ((0, 3), [1]), ((2, 3, 2), [1]))
  ] + [probe(few[[0, 1, 0, 2, 1]], [axis]) for axis in (0, 1, -1, -2)] +
              [probe(np.stack([few, few[::-1], few], axis=axis), [axis]) for axis in (0, 1, 2)])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} along axes that are none.", [
      probe(make.values(s), axis, fed=True)
      for s, axis in (((2, 2), []), ((2, 2), [2]), ((2, 2), [-3]), ((3,), [0, 0]), ((3,), 0),
                      ((), []), ((), [0]), ((3,), [[0]]))
  ])


def _top_k(dtype):
  name = f"ops/TopKV2/{dtype.name}"
  make = Maker(name, dtype)

  def probe(x, k, sort=True, number=tf.int32, index=tf.int32, fed=None):
    return Probe("TopKV2", [x, np.array(k, number.as_numpy_dtype)],
                 {"T": dtype, "Tk": number, "index_type": index, "sorted": sort},
                 outputs=2, fed=fed)

  types = (tf.int16, tf.int32, tf.int64)
  yield Group(name, f"TopKV2 of {dtype.name}, with equal elements.",
              [probe(make.values((9,)), k, number=n, index=i)
               for k, n, i in zip((0, 1, 2, 5, 8, 9), types * 2, types + types[::-1])] +
              [probe(make.values(s), k) for s, k in (((0,), 0), ((0, 3), 2), ((3, 0), 0),
                                                     ((2, 3), 2), ((2, 1, 2, 1, 4), 3),
                                                     ((1, 50), 20))] +
              [probe(make.values((2, 6)), k, sort=False) for k in (0, 1, 2, 3, 5, 6)] +
              [probe(make.values((1, 50)), k, sort=False) for k in (7, 31)])
  values = op_values.special(dtype)
  numbers = values[~np.isnan(values.astype(np.float64))]
  yield Group(f"{name}/special", f"TopKV2 of corner values of {dtype.name}.",
              [probe(np.stack([numbers, numbers[::-1]]), k) for k in (1, 4, len(numbers))])
  if dtype.is_floating:
    yield Group(f"platform/TopKV2/{dtype.name}/nan",
                f"TopKV2 of {dtype.name} NaNs, which no order knows.",
                [probe(op_values.array([1, np.nan, 2, np.inf], dtype), k) for k in (1, 2, 4)])
  yield Group(f"{name}/wrong", f"TopKV2 of {dtype.name} with a k that does not fit.", [
      probe(make.values(s), k, fed=fed)
      for fed in _feeding(dtype)
      for s, k in (((2,), 3), ((2,), -1), ((), 0), ((), 1), ((2,), [1]), ((2,), [0, 1]), ((0,), 1))
  ])


def _nth(dtype):
  name = f"ops/NthElement/{dtype.name}"
  make = Maker(name, dtype)

  def probe(x, n, reverse=False, fed=None):
    return Probe("NthElement", [x, np.array(n, np.int32)], {"T": dtype, "reverse": reverse},
                 fed=fed)

  yield Group(name, f"NthElement of {dtype.name}, with equal elements.",
              [probe(make.values(s), n, reverse) for reverse in (False, True)
               for s, n in (((9,), 0), ((9,), 4), ((9,), 8), ((1,), 0), ((0, 2), 1), ((2, 3), 1),
                            ((2, 1, 2, 4), 2), ((1, 50), 20))])
  yield Group(f"{name}/wrong", f"NthElement of {dtype.name} with an n that does not fit.",
              [probe(make.values(s), n, fed=fed) for fed in _feeding(dtype)
               for s, n in (((2,), 2), ((2,), -1), ((), 0), ((2,), [1]), ((2, 0), 0))])


def _in_top_k(index):
  inf, nan = np.inf, np.nan
  good = (([[1, 2, 3], [3, 2, 1]], [1, 1], 2), ([[1, 2, 3]], [0], 2), ([[1, 1, 1]], [2], 1),
          ([[nan, 1, 1]], [1], 1), ([[1, 1, inf]], [1], 2), ([[1, 1, inf]], [2], 2),
          ([[1, nan, 2]], [2], 2), ([[1, -inf]], [0], 1), ([[1, 2]], [2], 1), ([[1, 2]], [-1], 1),
          ([[1, 2]], [1], 0), ([[1, 2]], [1], -1), ([[1, 2]], [1], 5), (np.zeros((0, 2)), [], 1),
          (np.zeros((1, 0)), [0], 1), ([[0.0, -0.0]], [1], 1))
  wrong = (([1, 2], [1], 1), ([[1, 2]], 1, 1), ([[1, 2]], [1, 0], 1), ([[[1, 2]]], [1], 1))

  def old(predictions, targets, k, fed=None):
    return Probe("InTopK", [np.array(predictions, np.float32),
                            np.array(targets, index.as_numpy_dtype)], {"T": index, "k": k}, fed=fed)

  def new(predictions, targets, k, fed=None):
    return Probe("InTopKV2", [np.array(predictions, np.float32)] +
                 [np.array(v, index.as_numpy_dtype) for v in (targets, k)], {"T": index}, fed=fed)

  for op, probe in (("InTopK", old), ("InTopKV2", new)):
    yield Group(f"ops/{op}/{index.name}", f"{op} with {index.name} targets.",
                [probe(*p) for p in good])
    yield Group(f"ops/{op}/{index.name}/wrong", f"{op} of shapes that do not fit.",
                [probe(*p, fed=fed) for p in wrong for fed in (True, False)])
  yield Group(f"ops/InTopKV2/{index.name}/vector", "InTopKV2 with many k.",
              [new([[1, 2]], [1], [1], fed=True)])


def _bincount(dtype):
  name = f"ops/Bincount/{dtype.name}"
  make = Maker(name, dtype)

  def probe(arr, size, weights=(0,), fed=None):
    weights = make.values(weights)
    return Probe("Bincount", [np.array(arr, np.int32), np.array(size, np.int32), weights],
                 {"T": dtype}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(weights).sum()))

  yield Group(name, f"Bincount into {dtype.name}.", [
      probe(*p) for p in (([0, 1, 1, 3], 5), ([0, 1, 1, 7], 3), ([[0, 1], [1, 1]], 3), ([], 3),
                          (1, 3), ([0], 0), ([0, 1, 1], 3, (3,)), ([[0, 1], [1, 9]], 3, (2, 2)),
                          ([[0, 1], [1, 1]], 3, (4,)), (1, 3, ()))
  ])
  yield Group(f"{name}/wrong", f"Bincount into {dtype.name} of what cannot be counted.", [
      probe(*p, fed=fed) for fed in _feeding(dtype)
      for p in (([0, -1], 3), ([0, -1], 3, (2,)), ([0, 1], 3, (1,)), ([0, 1], -1), ([0, 1], [3]))
  ])


def _dense_bincount(dtype):
  name = f"ops/DenseBincount/{dtype.name}"
  make = Maker(name, dtype)

  def probe(values, size, weights=(0,), binary=False, index=tf.int32, fed=None):
    weights = make.values(weights)
    return Probe("DenseBincount", [np.array(values, index.as_numpy_dtype),
                                   np.array(size, index.as_numpy_dtype), weights],
                 {"T": dtype, "Tidx": index, "binary_output": binary}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(weights).sum()))

  good = (([0, 1, 1, 3], 5), ([0, 9], 3), ([[0, 1], [1, 1]], 3), ([[0, 1], [1, 1]], 3, (2, 2)),
          ([0, 1, 1], 3, (3,)), ([], 3), (1, 3), (np.zeros((0, 2)), 3), (np.zeros((2, 0)), 3),
          ([0, 1], 0))
  yield Group(name, f"DenseBincount into {dtype.name}.",
              [probe(*p, binary=b, index=i) for i in INDEXES for b in (False, True)
               for p in ((v[0], v[1], *v[2:]) for v in good)])
  yield Group(f"{name}/wrong", f"DenseBincount into {dtype.name} of what cannot be counted.", [
      probe(*p, index=index, fed=fed) for fed in _feeding(dtype) for index in INDEXES
      for p in (([0, -1], 3), ([[0, -1]], 3), ([[[0]]], 3), ([0], [3]), ([0], -3), ([0], 3, (2,)),
                ([[0, 1]], 3, (2,)), ([0, 1], 3, ()))
  ])


def _histogram(dtype):
  name = f"ops/HistogramFixedWidth/{dtype.name}"

  def probe(values, ends, bins, out=tf.int32, fed=None):
    return Probe("HistogramFixedWidth", [op_values.array(values, dtype),
                                         op_values.array(ends, dtype), np.array(bins, np.int32)],
                 {"T": dtype, "dtype": out}, fed=fed)

  good = [([-1, 0, 2, 5, 15], [0, 5], 5), ([[1, 2], [3, 4]], [0, 5], 5), ([], [0, 5], 3),
          ([1, 2, 3], [-4, 4], 1), (list(range(20)), [3, 17], 7)]
  if dtype.is_floating:
    good += [([-0.5, 1.5, 0.1, 0.2, 0.3, 0.7], [0, 1], 10), ([np.inf, -np.inf], [0, 5], 5)]
  yield Group(name, f"HistogramFixedWidth of {dtype.name}.",
              [probe(*p, out=out) for out in INDEXES for p in good])
  wrong = [([1], [0, 0], 5), ([1], [5, 0], 5), ([1], [0, 5], 0), ([1], [0, 5], -1),
           ([1], [0, 5, 6], 5), ([1], [0], 5), ([1], [0, 5], [5]), ([1], [[0, 5]], 5)]
  if dtype.is_floating:
    wrong += [([np.nan], [0, 5], 5), ([1], [np.nan, 5], 5)]
  yield Group(f"{name}/wrong", f"HistogramFixedWidth of {dtype.name} that makes no sense.",
              [probe(*p, fed=True) for p in wrong])
