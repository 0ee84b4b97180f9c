"""Groups for the special functions: error functions, gamma, zeta, beta and their like.

TensorFlow computes most of them in the dtype itself, by series that stop early; the bounds say how
near that comes. Arguments stay where it does.
"""

import numpy as np
import op_tolerance
import op_values
import record
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_INF, _NAN = np.inf, np.nan
# What is asked of functions of all numbers, and of those that are infinite for x <= 0. Left out is
# what they tend to, which TensorFlow does not know of all of them.
_AROUND = [0.0, 1, -1, 0.5, -0.5, 3, -20, _NAN]
_ABOVE = [0.0, 1, 0.5, 3, 20, -1, _NAN]
_SHAPES = ((), (0,), (2, 3), (2, 1, 3), (1, 2, 1, 3), (2, 1, 2, 1, 2))
_PAIRS = (((), (4,)), ((4,), ()), ((2, 1), (1, 3)), ((0,), (1,)), ((4, 1, 2), (3, 1)),
          ((2, 1, 1, 2, 1), (1, 2, 1, 2)))
_TRIPLES = (((), (), ()), ((4,), (), ()), ((), (2, 3), ()), ((), (3,), (3,)), ((2, 3),) * 3,
            ((0,), (), (0,)), ((2, 1, 3),) * 3)


def groups():
  """All groups, in a fixed order."""
  for op in _UNARY:
    for dtype in dtypes_of(op):
      yield from _unary(op, dtype)
  for op in _BINARY:
    for dtype in dtypes_of(op):
      yield from _binary(op, dtype)
  for dtype in dtypes_of("Betainc"):
    yield from _betainc(dtype)


def _numbers(low, high, size):
  return lambda random: low + (high - low) * random.rand(size)


def _decades(low, high, size):
  return lambda random: 10.0**(low + (high - low) * random.rand(size))


# Op -> what its arguments are drawn from, and its corner values.
_UNARY = {
    "Lgamma": (_numbers(-6, 40, 64), [0.0, -0.0, 1, 2, -1, -2, 0.5, -0.5, -2.5, 50, _INF, -_INF, _NAN]),
    "Digamma": (_numbers(-6, 40, 64), [1, 2, -1, -2, 0.5, -0.5, -2.5, 50, _INF, -_INF, _NAN]),
    "Erf": (_numbers(-4, 4, 64), [0.0, -0.0, 1, -1, 0.5, 3, -7.75, 50, _NAN]),
    "Erfc": (_numbers(-4, 4, 64), [0.0, -0.0, 1, -1, 0.5, 3, -7.75, 50, _INF, -_INF, _NAN]),
    "Erfinv": (_numbers(-1, 1, 64), [0.0, -0.0, 0.5, -0.5, 1, -1, 1.5, -2, _INF, -_INF, _NAN]),
    "Ndtri": (_numbers(0, 1, 64), [0.0, -0.0, 0.25, 0.5, 1, 1.5, -2, _INF, -_INF, _NAN]),
    "BesselI0": (_numbers(-11, 11, 64), _AROUND),
    "BesselI0e": (_numbers(-40, 40, 64), _AROUND + [_INF, -_INF]),
    "BesselI1": (_numbers(-11, 11, 64), _AROUND),
    "BesselI1e": (_numbers(-40, 40, 64), _AROUND + [_INF, -_INF]),
    "BesselK0": (_numbers(0, 9, 64), _ABOVE + [_INF, -_INF]),
    "BesselK0e": (_numbers(0, 40, 64), _ABOVE + [_INF, -_INF]),
    "BesselK1": (_numbers(0, 9, 64), _ABOVE + [_INF, -_INF]),
    "BesselK1e": (_numbers(0, 40, 64), _ABOVE + [_INF, -_INF]),
    "BesselJ0": (_numbers(-40, 40, 64), _AROUND),
    "BesselJ1": (_numbers(-40, 40, 64), _AROUND),
    "BesselY0": (_numbers(0, 40, 64), _ABOVE),
    "BesselY1": (_numbers(0, 40, 64), _ABOVE[1:]),
    "Dawsn": (_numbers(-12, 12, 64), _AROUND + [_INF, -_INF]),
    "Expint": (_numbers(0, 40, 64), _ABOVE + [-_INF]),
    "FresnelCos": (_numbers(-6, 6, 64), _AROUND + [_INF, -_INF]),
    "FresnelSin": (_numbers(-6, 6, 64), _AROUND + [_INF, -_INF]),
    "Spence": (_numbers(0, 40, 64), _ABOVE + [-_INF]),
}


def _unary(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  draw, corners = _UNARY[op]

  def probe(values, fed=None):
    return Probe(op, [values], {"T": dtype}, tolerance=_bound(op, dtype), fed=fed)

  corners = op_values.array(corners, dtype)
  drawn = op_values.array(draw(random), dtype)
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(corners), probe(corners[:1]), probe(corners[::-1].copy())])
  yield Group(f"{name}/drawn", f"{op} of {dtype.name} numbers in all shapes.",
              [probe(drawn)] + [probe(_fill(drawn, shape)) for shape in _SHAPES])
  yield Group(f"{name}/wrong", f"{op} of integers that its attr does not say.",
              [probe(np.ones(2, np.int32), fed) for fed in (True, False)])


_BINARY = {
    "Igamma": (_decades(-1, 2, 64), _decades(-1, 2, 64)),
    "Igammac": (_decades(-1, 2, 64), _decades(-1, 2, 64)),
    "IgammaGradA": (_decades(-1, 1, 64), _decades(-1, 1, 64)),
    "Zeta": (_numbers(1.125, 12, 64), _numbers(0.5, 20, 64)),
    "Polygamma": (lambda random: random.randint(0, 8, 64), _numbers(0.5, 20, 64)),
}
_CORNERS = [0.0, -0.0, 1, -1, 0.5, 2, 3, -2, -2.5, 10, _NAN]


def _binary(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(x, y, fed=None):
    return Probe(op, [x, y], {"T": dtype}, tolerance=_bound(op, dtype), fed=fed)

  x, y = (op_values.array(draw(random), dtype) for draw in _BINARY[op])
  corners = op_values.array(_CORNERS, dtype)
  left, right = (a.reshape(-1) for a in np.meshgrid(corners, corners, indexing="ij"))
  kept = _kept(op, left, right)
  yield Group(f"{name}/special", f"{op} of pairs of corner values of {dtype.name}.",
              [probe(left[kept], right[kept])])
  yield Group(f"{name}/drawn", f"{op} of {dtype.name} numbers, by broadcasting.",
              [probe(x, y)] + [probe(_fill(x, a), _fill(y, b)) for a, b in _PAIRS])
  other = tf.float64 if dtype == tf.float32 else tf.float32
  yield Group(f"{name}/wrong", f"{op} of inputs that do not fit.", [
      probe(_fill(x, (2,)), _fill(y, (3,)), True),
      probe(_fill(x, (2,)), _fill(y, (3,)), False),
      probe(_fill(x, (2,)), op_values.array([1, 2], other), True)
  ])


def _kept(op, x, y):
  """Where TensorFlow's Polygamma loses its digits is left out."""
  return (x != 10) | (y > 0) if op == "Polygamma" else np.ones(x.shape, bool)


def _betainc(dtype):
  name = f"ops/Betainc/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(*arrays, fed=None):
    return Probe("Betainc", list(arrays), {"T": dtype}, tolerance=_bound("Betainc", dtype), fed=fed)

  a, b = (op_values.array(_decades(-1, 1, 64)(random), dtype) for _ in range(2))
  x = op_values.array(_numbers(0.01, 0.99, 64)(random), dtype)
  corners = op_values.array([0.0, 1, -1, 0.5, 2, -0.5, 1.5, _NAN], dtype)
  mesh = [m.reshape(-1) for m in np.meshgrid(corners, corners, corners, indexing="ij")]
  yield Group(f"{name}/special", f"Betainc of triples of corner values of {dtype.name}.",
              [probe(*mesh)])
  yield Group(f"{name}/drawn", f"Betainc of {dtype.name} numbers; scalars go with any shape.",
              [probe(a, b, x)] +
              [probe(*[_fill(v, s) for v, s in zip((a, b, x), shapes)]) for shapes in _TRIPLES])
  wrong = (((2,), (3,), ()), ((2,), (), (3,)), ((1,), (3,), (3,)), ((2, 3), (3,), ()))
  yield Group(f"{name}/wrong", "Betainc of shapes that do not fit.",
              [probe(*[_fill(v, s) for v, s in zip((a, b, x), shapes)], fed=fed)
               for shapes in wrong for fed in (True, False)])


def _fill(values, shape):
  return np.resize(values, shape).astype(values.dtype)


# Op -> how many roundings of the value, and of 1, TensorFlow may be off.
_BOUNDS = {
    "Lgamma": (4, 4),
    "Digamma": (8, 8),
    "Erf": (4, 0),
    "Erfc": (8, 0),
    "Erfinv": (4, 1),
    "Ndtri": (4, 2),
    "Igamma": (1000, 32),
    "Igammac": (1000, 32),
    "IgammaGradA": (1000, 64),
    "Zeta": (16, 0),
    "Polygamma": (64, 16),
    "Betainc": (400, 4),
    "BesselI0": (16, 0),
    "BesselI0e": (8, 0),
    "BesselI1": (16, 0),
    "BesselI1e": (8, 0),
    "BesselK0": (16, 0),
    "BesselK0e": (8, 0),
    "BesselK1": (16, 0),
    "BesselK1e": (8, 0),
    "BesselJ0": (8, 8),
    "BesselJ1": (8, 8),
    "BesselY0": (8, 8),
    "BesselY1": (8, 8),
    "Dawsn": (16, 0),
    "Expint": (16, 4),
    "FresnelCos": (16, 16),
    "FresnelSin": (16, 16),
    "Spence": (16, 4)
}


def _bound(op, dtype):
  if dtype in (tf.half, tf.bfloat16):
    return record.ulps(2)
  of_value, of_one = _BOUNDS[op]
  epsilon = op_tolerance.epsilon(dtype)
  return record.Tolerance(relative=of_value * epsilon, absolute=of_one * epsilon)
