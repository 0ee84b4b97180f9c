"""Groups for parts and limits: parts of complex numbers, clipping, buckets, checks, copies."""

import numpy as np
import op_tolerance
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_EXACT = op_tolerance.record.EXACT
_SHAPES = ((), (1,), (0,), (2, 3), (3, 0, 2), (2, 1, 3), (2, 1, 2, 1, 2))
_PARTS = {tf.complex64: tf.float32, tf.complex128: tf.float64}


def groups():
  """All groups, in a fixed order."""
  for op in ("Real", "Imag", "Angle"):
    for dtype, part in _PARTS.items():
      yield from _part(op, dtype, part)
  for dtype, part in _PARTS.items():
    yield from _complex(dtype, part)
  for dtype in dtypes_of("ClipByValue"):
    if not dtype.is_complex:
      yield from _clip(dtype)
  for dtype in dtypes_of("Bucketize"):
    yield from _bucketize(dtype)
  for op in ("CheckNumerics", "CheckNumericsV2"):
    for dtype in dtypes_of(op):
      yield from _check(op, dtype)
  for op in ("DeepCopy", "GuaranteeConst"):
    yield from _copy(op)


def _part(op, dtype, part):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  # Subnormal angles are flushed.
  tolerance = op_tolerance.record.Tolerance(
      ulps=4, absolute=2.0**(-126 if part == tf.float32 else -1022)) if op == "Angle" else _EXACT

  def probe(values, tout=part, fed=None):
    return Probe(op, [values], {"T": dtype, "Tout": tout}, tolerance=tolerance, fed=fed)

  # From bytes: a product with 1j makes NaN of infinities.
  corners = op_values.special(part)
  pairs = np.stack([a.reshape(-1) for a in np.meshgrid(corners, corners)], -1)
  yield Group(f"{name}/special", f"{op} of pairs of corner values of {dtype.name}.",
              [probe(np.ascontiguousarray(pairs).view(dtype.as_numpy_dtype).reshape(-1))])
  yield Group(f"{name}/shapes", f"{op} keeps the shape.",
              [probe(op_values.plain(shape, dtype, random)) for shape in _SHAPES])
  yield Group(f"{name}/wrong", f"{op} of another dtype.", [
      probe(op_values.plain((2,), tf.float32, random), fed=fed) for fed in (True, False)
  ])


def _complex(dtype, part):
  name = f"ops/Complex/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(x, y, fed=None):
    return Probe("Complex", [x, y], {"T": part, "Tout": dtype}, fed=fed)

  corners = op_values.special(part)
  pairs = ((), ()), ((), (4,)), ((2, 1), (1, 3)), ((0,), (1,)), ((2, 1, 1, 2, 1), (1, 2, 1, 2))
  yield Group(f"{name}/special", "Complex of pairs of corner values.",
              [probe(*[a.reshape(-1) for a in np.meshgrid(corners, corners)])])
  yield Group(f"{name}/broadcast", "Complex broadcasts.",
              [probe(*[op_values.plain(s, part, random) for s in pair]) for pair in pairs])
  yield Group(f"{name}/wrong", "Complex of shapes that do not broadcast.", [
      probe(op_values.plain((2,), part, random), op_values.plain((3,), part, random), fed)
      for fed in (True, False)
  ])


def _clip(dtype):
  name = f"ops/ClipByValue/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(t, low, high, fed=None):
    return Probe("ClipByValue", [t, low, high], {"T": dtype},
                 tolerance=op_tolerance.ANY_ZERO if dtype.is_floating else _EXACT, fed=fed)

  def of(*shapes, fed=None):
    t, low, high = (op_values.plain(shape, dtype, random) for shape in shapes)
    return probe(t, low, np.maximum(low, high) if low.shape == high.shape else high, fed)

  corners = op_values.special(dtype)
  corners = corners[corners == corners]
  mesh = [m.reshape(-1) for m in np.meshgrid(corners, corners, corners, indexing="ij")]
  kept = mesh[1] <= mesh[2]
  yield Group(f"{name}/special", f"ClipByValue of triples of corner values of {dtype.name}.",
              [probe(*[m[kept] for m in mesh])] +
              [probe(op_values.special(dtype), corners[2:3].reshape(()), corners[4:5].reshape(()))])
  shapes = ((), (1,), (0,), (2, 3), (2, 1, 2, 1, 2))
  yield Group(f"{name}/shapes", f"ClipByValue of {dtype.name}: limits are scalars or as the input.",
              [of(s, s, s) for s in shapes] + [of(s, (), ()) for s in shapes] +
              [of((4,), (4,), ()), of((4,), (), (4,)), of((2, 3), (2, 3), ())])
  wrong = (((4,), (3,), ()), ((4,), (), (3,)), ((4,), (1,), (4,)), ((2, 3), (3,), (3,)),
           ((), (2,), (2,)), ((), (), (2,)))
  yield Group(f"{name}/wrong", f"ClipByValue of {dtype.name} limits that do not fit.",
              [of(*shapes, fed=True) for shapes in wrong])


def _bucketize(dtype):
  name = f"ops/Bucketize/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values, boundaries, fed=None):
    return Probe("Bucketize", [values], {"T": dtype, "boundaries": boundaries}, fed=fed)

  yield Group(f"{name}/special", f"Bucketize of corner values of {dtype.name}.", [
      probe(op_values.special(dtype), [-2.5, 0.0, 0.5, 1.0, 7.75]),
      probe(op_values.special(dtype), [-np.inf, 0.0, 0.0, np.inf]),
      probe(op_values.array([16777216, 16777217, 16777219], dtype), [16777216.0, 16777218.0])
  ])
  yield Group(f"{name}/shapes", f"Bucketize keeps the shape of its {dtype.name} input.", [
      probe(op_values.plain(shape, dtype, random), [-3.0, 0.0, 1.5]) for shape in _SHAPES
  ])
  yield Group(f"{name}/unsorted", f"Bucketize by boundaries that descend.",
              [probe(op_values.plain((3,), dtype, random), [1.0, 0.0], fed=True)])


def _check(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values):
    return Probe(op, [values], {"T": dtype, "message": "seen"})

  bad = ([np.nan], [1, np.inf], [-np.inf, 2], [np.inf, np.nan], [[1, 2], [np.nan, 4]])
  yield Group(f"{name}/finite", f"{op} passes finite {dtype.name} numbers on.", [
      probe(op_values.finite(dtype)),
      *[probe(op_values.plain(shape, dtype, random)) for shape in _SHAPES]
  ])
  yield Group(f"{name}/not-finite", f"{op} of {dtype.name} refuses others.",
              [probe(op_values.array(values, dtype)) for values in bad])


def _copy(op):
  """Of every dtype, in one group."""
  random = np.random.RandomState(seed_of(op))
  dtypes = [d for d in DTYPES if d != tf.string or op == "GuaranteeConst"]
  yield Group(f"ops/{op}/dtypes", f"{op} gives what it is given.", [
      Probe(op, [op_values.plain(shape, dtype, random)], {"T": dtype})
      for dtype in dtypes
      for shape in ((), (0,), (2, 3))
  ])
