"""Groups for the elementwise ops: unary, binary with broadcasting, comparisons, logic."""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

UNARY = ("Neg", "Abs", "Sign", "Square", "Sqrt", "Exp", "Log", "Sin", "Cos", "Tanh", "Sigmoid",
         "ZerosLike", "OnesLike", "ComplexAbs", "LogicalNot")
BINARY = ("Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Maximum",
          "Minimum", "TanhGrad", "SigmoidGrad")
COMPARISONS = ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")

_TRANSCENDENTAL = ("Exp", "Log", "Sin", "Cos", "Tanh", "Sigmoid", "Pow")
_DIVIDES = ("Div", "FloorDiv", "FloorMod")
# These take two arguments of one shape; they do not broadcast.
_SAME_SHAPE = ("TanhGrad", "SigmoidGrad")

_SHAPES = ((), (1,), (5,), (16,), (0,), (2, 3), (3, 0, 2), (2, 1, 3), (1, 2, 1, 3), (2, 1, 2, 1, 2))
_PAIRS = (((), ()), ((), (4,)), ((4,), ()), ((1,), (5,)), ((3,), (2, 3)), ((2, 1), (1, 3)),
          ((2, 3), (2, 1)), ((0,), (1,)), ((1,), (0,)), ((2, 0), (1,)), ((0, 3), (1, 3)),
          ((4, 1, 2), (3, 1)), ((1, 1, 1), (2,)), ((2, 1, 2, 1), (3, 1, 3)),
          ((2, 1, 1, 2, 1), (1, 2, 1, 2)), ((9,), (9,)), ((17,), (1,)))
_MISMATCHED = (((2,), (3,)), ((2, 3), (2,)), ((2, 2), (3, 1, 3)), ((0,), (2,)), ((2, 3, 1), (3, 2,
                                                                                             1)))


def groups():
  """All groups, in a fixed order."""
  for op in UNARY:
    yield from _unary(op)
  for op in BINARY + COMPARISONS:
    yield from _binary(op)
  yield from _logic()
  yield from _unequal_shapes_allowed()


def tolerance(op, dtype):
  if op in ("Maximum", "Minimum"):
    return op_tolerance.ANY_ZERO
  if op in ("Pow", "Sigmoid") and dtype.is_complex:
    return op_tolerance.rounded(dtype, 64)
  if op in _TRANSCENDENTAL:
    return op_tolerance.transcendental(dtype)
  if op in _SAME_SHAPE or (op == "ComplexAbs"):
    return op_tolerance.rounded(dtype)
  if dtype.is_complex and op in ("Mul", "Div", "RealDiv", "Square", "Sqrt", "Sign"):
    return op_tolerance.rounded(dtype)
  return op_tolerance.record.EXACT


def _unary(op):
  dtypes = [tf.bool] if op == "LogicalNot" else dtypes_of(op)
  for dtype in dtypes:
    name = f"ops/{op}/{dtype.name}"
    random = np.random.RandomState(seed_of(name))

    def probe(values, dtype=dtype):
      attrs = {} if op == "LogicalNot" else {"T": dtype}
      return Probe(op, [values], attrs, tolerance=tolerance(op, dtype))

    yield Group(f"{name}/special", f"{op} of the corner values of {dtype.name}.", [
        probe(_special(op, dtype)),
        probe(_special(op, dtype)[:1]),
        probe(_special(op, dtype)[::-1].copy())
    ])
    yield Group(
        f"{name}/random", f"{op} of random numbers of {dtype.name}.",
        [probe(_domain(op, op_values.wide(shape, dtype, random))) for shape in ((37,), (4, 5), ())])
    yield Group(f"{name}/shapes", f"{op} keeps the shape of its {dtype.name} input.",
                [probe(_domain(op, op_values.plain(shape, dtype, random))) for shape in _SHAPES])
    yield Group(f"{name}/wrong", f"{op} with an input of a dtype that its attr does not say.", [
        Probe(op, [op_values.plain((2,), _other(dtype), random)], probe(np.zeros(1)).attrs, fed=fed)
        for fed in (True, False)
    ])


def _special(op, dtype):
  values = op_values.special(dtype)
  return values[values != 0] if dtype.is_complex and op in ("Log", "Sign") else values


def _domain(op, values):
  """Keeps the arguments where the answer is well conditioned."""
  if values.dtype.kind in "Obiu":
    return values
  if op in ("Sin", "Cos", "Exp", "Tanh", "Sigmoid"):
    return np.clip(values, -9, 9) if values.dtype.kind != "c" else values / (1 + np.abs(values) / 4)
  if op in ("Log", "Sqrt") and values.dtype.kind != "c":
    return np.abs(values) + values.dtype.type(0.25)
  return values


def _other(dtype):
  return tf.int32 if dtype == tf.float32 else tf.float32


def _binary(op):
  for dtype in dtypes_of(op):
    name = f"ops/{op}/{dtype.name}"
    random = np.random.RandomState(seed_of(name))

    def probe(x, y, fed=None, dtype=dtype):
      return Probe(op, [x, y], {"T": dtype}, tolerance=tolerance(op, dtype), fed=fed)

    yield Group(f"{name}/special", f"{op} of every pair of corner values of {dtype.name}.",
                list(_special_pairs(op, dtype, probe)))
    yield Group(f"{name}/random", f"{op} of random numbers of {dtype.name}.", [
        probe(*_operands(op, dtype, op_values.wide, (shape, shape), random))
        for shape in ((37,), (3, 7), ())
    ])
    if op in _SAME_SHAPE:
      yield Group(f"{name}/shapes", f"{op} keeps the shape of its {dtype.name} inputs.",
                  [probe(*_operands(op, dtype, op_values.plain, (s, s), random)) for s in _SHAPES])
      continue
    yield Group(f"{name}/broadcast", f"{op} broadcasts {dtype.name} shapes.",
                [probe(*_operands(op, dtype, op_values.plain, pair, random)) for pair in _PAIRS])
    yield Group(f"{name}/mismatched", f"{op} rejects {dtype.name} shapes that do not broadcast.", [
        probe(*_operands(op, dtype, op_values.nonzero, pair, random), fed=True)
        for pair in _MISMATCHED
    ])
    yield Group(
        f"{name}/mismatched-const", f"{op} rejects shapes known not to broadcast.",
        [probe(*_operands(op, dtype, op_values.nonzero, _MISMATCHED[0], random), fed=False)])
    yield from _zero_divisor(op, dtype, name, probe)


def _zero_divisor(op, dtype, name, probe):
  array = lambda values: op_values.array(values, dtype)
  if op in _DIVIDES and dtype.is_integer:
    yield Group(f"{name}/zero", f"{op} of {dtype.name} by zero.", [
        probe(array([1, 2]), array([1, 0]), fed=True),
        probe(array(5), array(0)),
        probe(array([]), array([])),
        probe(array([0]), array([0])),
        probe(array([[1], [2]]), array([0, 3]))
    ])
  if op == "Pow" and dtype.is_integer:
    yield Group(f"{name}/negative", f"{op} of {dtype.name} to negative powers.", [
        probe(array(x), array(y), fed=True)
        for x, y in (([2], [-1]), ([1, -1], [-1, -2]), (3, -2), ([0], [-1]), ([2, 3], [2, -1]))
    ])


def _special_pairs(op, dtype, probe):
  """All pairs, both broadcast and element by element (TensorFlow has other code for the two)."""
  values = op_values.special(dtype)
  x, y = (a.reshape(-1) for a in np.meshgrid(values, values, indexing="ij"))
  if dtype.is_floating:
    kept = ~_subnormal(op, dtype, x, y)
    x, y = x[kept], y[kept]
  if dtype.is_complex and op in ("Div", "RealDiv", "Pow"):
    x, y = x[(y != 0) & (x != 0)], y[(y != 0) & (x != 0)]
  if op in _SAME_SHAPE:
    x = _unit_disc(x)
  if dtype.is_integer and op in _DIVIDES:
    x, y = x[y != 0], y[y != 0]
  if dtype.is_integer and op == "Pow":
    x, y = x[(y >= 0) & (y < 100)], y[(y >= 0) & (y < 100)]
  yield probe(x, y)
  if op in _SAME_SHAPE:
    return
  for scalar in values[:6]:
    others = values
    if dtype.is_integer and op in _DIVIDES + ("Pow",):
      others = values[values > 0] if op != "Pow" else values[(values >= 0) & (values < 100)]
    if dtype.is_complex and op in ("Div", "RealDiv", "Pow"):
      if scalar == 0:
        continue
      others = values[values != 0]
    if dtype.is_floating:
      others = values[~_subnormal(op, dtype, np.full_like(values, scalar), values)]
    yield probe(
        np.asarray(scalar).astype(values.dtype) if dtype != tf.string else op_values.array(
            scalar, dtype), others)


def _subnormal(op, dtype, x, y):
  """Where the result, or the quotient on the way to it, is subnormal: TensorFlow flushes those."""
  smallest = np.longdouble(2)**{tf.half: -14, tf.float64: -1022}.get(dtype, -126)
  x, y = x.astype(np.float64).astype(np.longdouble), y.astype(np.float64).astype(np.longdouble)
  with np.errstate(all="ignore"):
    result = {"Pow": np.power, "Mul": np.multiply}.get(op, np.divide)(x, y)
  return (result != 0) & (np.abs(result) < smallest)


def _operands(op, dtype, make, shapes, random):
  x, y = (make(shape, dtype, random) for shape in shapes)
  if op in _SAME_SHAPE:
    x = _unit_disc(x)
  if op in _DIVIDES + ("RealDiv",) and (dtype.is_integer or dtype.is_complex):
    y = np.where(y == 0, np.ones_like(y), y)
  if op == "Pow":
    x, y = _power_operands(dtype, x, y)
  return x, y


def _unit_disc(y):
  """What tanh and sigmoid give lies within 1; beyond it their gradients overflow on the way."""
  with np.errstate(invalid="ignore"):
    return np.where(np.abs(y) > 1, np.ones_like(y), y)


def _power_operands(dtype, x, y):
  if dtype.is_integer:
    limit = x.dtype.type(7)
    return np.fmod(x, limit), np.abs(np.fmod(y, x.dtype.type(3)))
  if dtype.is_complex:
    return np.where(x == 0, np.ones_like(x), x) / (1 + np.abs(x) / 2), y / (1 + np.abs(y) / 2)
  return np.abs(np.clip(x, -9, 9)) + x.dtype.type(0.125), np.clip(y, -3, 3)


def _logic():
  truth = np.array([False, False, True, True]), np.array([False, True, False, True])
  for op in ("LogicalAnd", "LogicalOr"):
    random = np.random.RandomState(seed_of(op))
    yield Group(f"ops/{op}/table", f"{op}'s truth table.", [Probe(op, list(truth))])
    yield Group(f"ops/{op}/broadcast", f"{op} broadcasts.",
                [Probe(op, [op_values.plain(s, tf.bool, random) for s in pair]) for pair in _PAIRS])
    yield Group(f"ops/{op}/wrong", f"{op} rejects other dtypes and shapes that do not broadcast.", [
        Probe(op, [np.ones(2, bool), np.ones(3, bool)], fed=True),
        Probe(op, [np.ones(2, np.int32), np.ones(2, bool)], fed=True),
        Probe(op, [np.ones(2, bool), np.float32(1)], fed=False)
    ])


def _unequal_shapes_allowed():
  """Equal and NotEqual with incompatible_shape_error false give one scalar."""
  for op in ("Equal", "NotEqual"):
    for dtype in (tf.float32, tf.int64, tf.bool, tf.string):
      name = f"ops/{op}/{dtype.name}/incompatible"
      random = np.random.RandomState(seed_of(name))
      yield Group(name, f"{op} of shapes that do not broadcast, where that is allowed.", [
          Probe(op, [op_values.plain(s, dtype, random) for s in pair], {
              "T": dtype,
              "incompatible_shape_error": False
          }) for pair in _MISMATCHED + _PAIRS[:6]
      ])
