"""Groups for totals: scans along an axis, norms, losses, products of vectors, sums of many."""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_EXACT = op_tolerance.record.EXACT
_SCANS = ("Cumsum", "Cumprod", "CumulativeLogsumexp")
_AXES = (((5,), 0), ((5,), -1), ((2, 3), 0), ((2, 3), 1), ((2, 3), -2), ((2, 3, 2), 1),
         ((2, 1, 3, 2), 2), ((2, 1, 2, 1, 3), -1), ((0,), 0), ((2, 0, 3), 0), ((2, 0, 3), 1),
         ((33,), 0), ((1,), 0))
_MODES = tuple((e, r) for e in (False, True) for r in (False, True))


def groups():
  """All groups, in a fixed order."""
  for op in _SCANS:
    for dtype in dtypes_of(op):
      yield from _scan(op, dtype)
  for dtype in dtypes_of("L2Loss"):
    yield from _l2_loss(dtype)
  for dtype in dtypes_of("Cross"):
    yield from _cross(dtype)
  for dtype in dtypes_of("AddN"):
    if dtype != tf.variant:
      yield from _accumulate(dtype)


def _scan(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values, axis, mode, index=tf.int32, fed=None):
    attrs = {"T": dtype, "Tidx": index, "exclusive": mode[0], "reverse": mode[1]}
    return Probe(op, [values, np.array(axis, index.as_numpy_dtype)],
                 attrs,
                 tolerance=_scan_tolerance(op, dtype, values),
                 fed=fed)

  def small(shape):
    values = op_values.plain(shape, dtype, random)
    # Products of 33 elements stay in range.
    return values if op != "Cumprod" else np.where(np.abs(values) > 2, np.ones_like(values), values)

  for mode in _MODES:
    kind = f"{'exclusive' if mode[0] else 'inclusive'}{'-reverse' if mode[1] else ''}"
    yield Group(f"{name}/{kind}", f"{op} of {dtype.name} along axes of every form.", [
        probe(small(shape), axis, mode, tf.int64 if i % 3 == 0 else tf.int32)
        for i, (shape, axis) in enumerate(_AXES)
    ])
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(values, 0, mode) for values in _scan_corners(op, dtype) for mode in _MODES])
  if op == "CumulativeLogsumexp":
    yield Group(f"differs/{op}/{dtype.name}/nan", "TensorFlow leaves NaN out of the total.",
                [probe(op_values.array([2, np.nan, 1], dtype), 0, (False, False))])
  wrong = (((), 0), ((5,), 1), ((5,), -2), ((2, 3), 2), ((2, 3), [0, 1]), ((2, 3), [0]))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} along axes that are not there.", [
      probe(small(shape), axis, (False, False), fed=True) for shape, axis in wrong
  ])
  yield Group(f"{name}/wrong-const", f"{op} along an axis known not to be there.",
              [probe(small((2, 3)), axis, (False, False), fed=False) for axis in (2, [0, 1])])


def _scan_corners(op, dtype):
  if dtype.is_integer:
    yield op_values.special(dtype)
  elif dtype.is_floating:
    yield op_values.array([1.5, np.inf, -2, 0.25], dtype)
    yield op_values.array([1.5, -np.inf, 2, np.inf, 1], dtype)
    # TensorFlow's CumulativeLogsumexp takes NaN for what it was before.
    bad = np.inf if op == "CumulativeLogsumexp" else np.nan
    yield op_values.array([-np.inf, -np.inf, 2, bad, 1], dtype)
  else:
    yield op_values.special(dtype)[1:5]


def _scan_tolerance(op, dtype, values):
  if not op_tolerance.epsilon(dtype):
    return _EXACT
  if op == "Cumprod":
    return op_tolerance.rounded(dtype, 2 * max(8, values.size))
  if op == "CumulativeLogsumexp":
    return op_tolerance.rounded(dtype, max(8, values.size))
  magnitudes = np.abs(values.astype(np.complex128))
  return op_tolerance.summed(dtype, magnitudes[np.isfinite(magnitudes)].sum(), values.size + 1)


def _l2_loss(dtype):
  name = f"ops/L2Loss/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values):
    with np.errstate(all="ignore"):
      total = (np.abs(values.astype(np.float64))**2).sum()
    return Probe("L2Loss", [values], {"T": dtype},
                 tolerance=op_tolerance.summed(dtype, total, max(8, values.size / 4)))

  shapes = ((), (1,), (0,), (5,), (2, 3), (2, 0), (2, 1, 3), (2, 1, 2, 1, 2), (65,))
  yield Group(f"{name}/shapes", f"L2Loss of {dtype.name} in all shapes.",
              [probe(op_values.plain(shape, dtype, random)) for shape in shapes])
  yield Group(f"{name}/special", f"L2Loss of corner values of {dtype.name}.",
              [probe(op_values.array(v, dtype)) for v in ([np.inf, 1], [-np.inf], [np.nan, np.inf])])


def _cross(dtype):
  name = f"ops/Cross/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(a_shape, b_shape=None, make=op_values.plain, fed=None):
    arrays = [make(shape, dtype, random) for shape in (a_shape, b_shape or a_shape)]
    tolerance = op_tolerance.rounded(dtype, 64) if op_tolerance.epsilon(dtype) else _EXACT
    return Probe("Cross", arrays, {"T": dtype}, tolerance=tolerance, fed=fed)

  shapes = ((3,), (2, 3), (0, 3), (2, 1, 3), (2, 1, 2, 1, 3))
  yield Group(f"{name}/shapes", f"Cross products of {dtype.name} vectors.",
              [probe(shape) for shape in shapes] + [probe((7, 3), make=op_values.wide)]
              if dtype.is_integer else [probe(shape) for shape in shapes])
  # Fed: of constants TensorFlow knows the shapes when it loads the graph, and gives another code.
  yield Group(f"{name}/wrong", f"Cross of {dtype.name} that do not fit.", [
      probe(a, b, fed=True)
      for a, b in (((2,), (2,)), ((4,), (4,)), ((2, 3), (3,)), ((2, 3), (3, 3)), ((3, 2), (3, 2)))
  ])


def _accumulate(dtype):
  name = f"ops/AccumulateNV2/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(shapes, attr=None, fed=True):
    values = [op_values.plain(shape, dtype, random) for shape in shapes]
    total = sum(np.abs(v.astype(np.complex128)).max() if v.size else 0 for v in values)
    attrs = {"T": dtype, "N": len(values), "shape": tf.TensorShape(attr or shapes[0])}
    return Probe("AccumulateNV2", values, attrs, fed=fed,
                 tolerance=op_tolerance.summed(dtype, total))

  yield Group(f"{name}/counts", f"AccumulateNV2 of {dtype.name} tensors.",
              [probe([(2, 3)] * n) for n in (1, 2, 3, 9)] +
              [probe([s] * 3) for s in ((), (0,), (2, 0), (2, 1, 2, 1, 2))])
