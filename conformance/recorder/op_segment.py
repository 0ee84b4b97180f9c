"""Groups for the reductions of rows by segment.

Left out: gradients of no rows, which TensorFlow leaves as the memory comes, and indices into none,
which it does not look at; as many rows of one id as the dtype cannot count (TensorFlow divides by
zero), and ids so
large that TensorFlow takes all memory there is.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_SORTED = ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin")
_UNSORTED = ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax",
             "UnsortedSegmentMin")
_SPARSE = ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
_SPARSE_OF_NUMBER = tuple(op + "WithNumSegments" for op in _SPARSE)
_SPARSE_GRAD = tuple(op + version for version in ("Grad", "GradV2") for op in _SPARSE)


def groups():
  """All groups, in a fixed order."""
  for ops, make in ((_SORTED, _sorted), (_UNSORTED, _unsorted), (_SPARSE, _sparse),
                    (_SPARSE_OF_NUMBER, _sparse_of_number), (_SPARSE_GRAD, _sparse_grad)):
    for op in ops:
      for dtype in dtypes_of(op):
        yield from make(op, dtype)


def _tolerance(op, dtype, data):
  if op.endswith(("Max", "Min")):
    return op_tolerance.ANY_ZERO
  if op.endswith("Prod"):
    return op_tolerance.rounded(dtype, 16)
  magnitudes = np.abs(data.astype(np.complex128))
  return op_tolerance.summed(dtype, magnitudes[np.isfinite(magnitudes)].sum(), 8)


def _corners(op, dtype):
  """Rows of corner values, finite; of a mean none so large that their sum is not."""
  values = op_values.special(dtype) if dtype.is_complex else op_values.finite(dtype)
  if "Mean" in op and dtype.is_floating:
    values = values[np.abs(values) < 100]
  return np.stack([values, values[::-1], np.roll(values, 3)])


def _nan_groups(op, dtype, probe):
  """Which of a NaN and a number is the extreme depends in TensorFlow on the length of a row."""
  if not dtype.is_floating:
    return
  where = "platform" if op.endswith(("Max", "Min")) else "ops"
  rows = op_values.array([[1, np.nan, 2], [np.nan, 3, 1], [0, 1, 2]], dtype)
  ends = op_values.array([[np.inf, -np.inf, np.inf], [-np.inf, -np.inf, 1], [1, 2, 3]], dtype)
  yield Group(f"{where}/{op}/{dtype.name}/nan", f"{op} of {dtype.name} NaNs.", [probe(rows)])
  yield Group(f"ops/{op}/{dtype.name}/infinite", f"{op} of {dtype.name} infinities.",
              [probe(ends)])


def _sorted(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(data, ids, index=None, fed=None):
    index = index or make.index()
    return Probe(op, [data, np.array(ids, index.as_numpy_dtype)], {"T": dtype, "Tindices": index},
                 tolerance=_tolerance(op, dtype, data), fed=fed)

  good = (((4,), [0, 0, 1, 3]), ((4,), [2, 2, 2, 2]), ((1,), [0]), ((0,), []), ((0, 3), []),
          ((3, 0), [0, 1, 3]), ((3, 2), [0, 2, 2]), ((5, 1, 2, 1, 2), [0, 0, 0, 1, 1]),
          ((20, 3), sorted([i % 3 for i in range(20)])))
  yield Group(name, f"{op} of {dtype.name}.",
              [probe(make.values(s), ids, index) for index in (tf.int32, tf.int64)
               for s, ids in good])
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(_corners(op, dtype), ids) for ids in ([0, 0, 0], [0, 1, 2], [0, 2, 2])])
  wrong = (((3,), [0, 1]), ((2,), [1, 0]), ((2,), [-1, 0]), ((2,), [0, -1]), ((), 0), ((), [0]),
           ((1,), 0), ((1, 1), [[0]]))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} with ids that do not fit.",
              [probe(make.values(s), ids, fed=True) for s, ids in wrong])
  yield from _nan_groups(op, dtype, lambda data: probe(data, [0, 0, 2]))


def _unsorted(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(data, ids, count, index=None, fed=None):
    index, number = index or make.index(), make.index()
    return Probe(op, [data, np.array(ids, index.as_numpy_dtype),
                      np.array(count, number.as_numpy_dtype)],
                 {"T": dtype, "Tindices": index, "Tnumsegments": number},
                 tolerance=_tolerance(op, dtype, data), fed=fed)

  good = (((4,), [0, 3, 0, 1], 5), ((4,), [-1, 0, -7, 0], 1), ((), 1, 3), ((), -1, 2),
          ((2, 3), [1, 0], 2), ((2, 3), [[0, 1, 1], [3, 0, -1]], 4), ((2, 3), 1, 2), ((0,), [], 2),
          ((0,), [], 0), ((2, 0), [0, 1], 2), ((2, 1, 2, 1, 3), [[1], [1]], 2),
          ((20, 2), [i * 7 % 4 for i in range(20)], 4))
  yield Group(name, f"{op} of {dtype.name}.",
              [probe(make.values(s), ids, n, index) for index in (tf.int32, tf.int64)
               for s, ids, n in good])
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(_corners(op, dtype), ids, 3) for ids in ([0, 0, 0], [2, 0, 1], [2, 0, 2])])
  wrong = (((2,), [0, 2], 2), ((2,), [0, 1], -1), ((2,), [0, 1], [2]), ((2,), [0], 2),
           ((1,), [0], 0), ((2, 2), [[0], [1]], 2), ((2,), [[0, 1]], 2))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} with ids that do not fit.",
              [probe(make.values(s), ids, n, fed=True) for s, ids, n in wrong])
  yield from _nan_groups(op, dtype, lambda data: probe(data, [2, 2, 0], 3))


def _sparse(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(data, indices, ids, fed=None):
    index, segment = make.index(), make.index()
    return Probe(op, [data, np.array(indices, index.as_numpy_dtype),
                      np.array(ids, segment.as_numpy_dtype)],
                 {"T": dtype, "Tidx": index, "Tsegmentids": segment},
                 tolerance=_tolerance(op, dtype, np.repeat(data, 4)), fed=fed)

  good = (((4,), [0, 3, 1], [0, 0, 2]), ((4,), [2], [1]), ((4,), [], []), ((2, 3), [0, 1, 1, 1],
                                                                           [0, 0, 1, 1]),
          ((2, 0), [0, 1], [0, 1]), ((3, 1, 2, 1, 2), [2, 2, 0], [0, 0, 0]),
          ((7, 2), [i * 5 % 7 for i in range(20)], sorted([i % 3 for i in range(20)])))
  yield Group(name, f"{op} of {dtype.name}.", [probe(make.values(s), *p) for s, *p in good])
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(_corners(op, dtype), [2, 0, 1], ids) for ids in ([0, 0, 0], [0, 1, 2])])
  wrong = (((2,), [2], [0]), ((2,), [-1], [0]), ((2,), [0, 1], [1, 0]), ((2,), [0, 1], [-1, 0]),
           ((2,), [0, 1], [0, -1]), ((2,), [0, 1], [0]), ((2,), [[0, 1]], [0, 0]), ((), [0], [0]),
           ((2,), 0, 0), ((0, 2), [0], [0]), ((2,), [0, 1], [[0], [1]]))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} with indices or ids that do not fit.",
              [probe(make.values(s), *p, fed=True) for s, *p in wrong])
  yield from _nan_groups(op, dtype, lambda data: probe(data, [0, 1, 2], [0, 0, 2]))


def _sparse_of_number(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(data, indices, ids, count, fed=None):
    index, segment, number = make.index(), make.index(), make.index()
    return Probe(op, [data, np.array(indices, index.as_numpy_dtype),
                      np.array(ids, segment.as_numpy_dtype), np.array(count, number.as_numpy_dtype)],
                 {"T": dtype, "Tidx": index, "Tsegmentids": segment, "Tnumsegments": number},
                 tolerance=_tolerance(op, dtype, np.repeat(data, 4)), fed=fed)

  good = (((4,), [0, 3, 1], [0, 0, 2], 3), ((4,), [2], [1], 5), ((4,), [], [], 2),
          ((4,), [], [], 0), ((2, 3), [0, 1, 1, 1], [0, 0, 1, 1], 3), ((2, 0), [0, 1], [0, 1], 2),
          ((3, 1, 2), [2, 2, 0], [0, 0, 0], 1))
  yield Group(name, f"{op} of {dtype.name}.", [probe(make.values(s), *p) for s, *p in good])
  wrong = (((2,), [0], [1], 1), ((2,), [0], [0], -1), ((2,), [0], [0], [1]), ((2,), [2], [0], 1),
           ((2,), [0, 1], [1, 0], 2), ((2,), [0], [-1], 2), ((2,), [0, 1], [0], 2))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} with ids that do not fit.",
              [probe(make.values(s), *p, fed=True) for s, *p in wrong])


def _sparse_grad(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(grad, indices, ids, rows, fed=None):
    index, segment = make.index(), make.index()
    return Probe(op, [grad, np.array(indices, index.as_numpy_dtype),
                      np.array(ids, segment.as_numpy_dtype), np.array(rows, np.int32)],
                 {"T": dtype, "Tidx": index, "Tsegmentids": segment},
                 outputs=2 if op.endswith("V2") else 1,
                 tolerance=_tolerance(op, dtype, np.repeat(grad, 4)), fed=fed)

  good = (((3, 2), [0, 2, 2], [0, 0, 2], 4), ((3,), [3, 1, 3, 1], [0, 0, 1, 2], 4),
          ((2,), [0, 1], [1, 0], 3), ((2, 0), [0], [1], 2),
          ((2, 1, 2), [1, 0, 1], [0, 1, 1], 2))
  yield Group(name, f"{op} of {dtype.name}.", [probe(make.values(s), *p) for s, *p in good])
  wrong = (((3,), [4], [0], 4), ((3,), [-1], [0], 4), ((3,), [0], [3], 4), ((3,), [0], [-1], 4),
           ((3,), [0], [0], -4), ((3,), [0], [0], [4]), ((3,), [0, 1], [0], 4))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} with indices or ids that do not fit.",
              [probe(make.values(s), *p, fed=True) for s, *p in wrong])
