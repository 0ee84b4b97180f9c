"""Groups for functions of one, two or three numbers: those that op_elementwise.py leaves out."""

import dataclasses

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from tensorflow.python.framework import op_def_registry

_DIVIDES = ("TruncateDiv", "TruncateMod", "Mod")
# TensorFlow's complex quotients by 0 are NaN, ours have the infinities of C's annex G.
_NOT_OF_ZERO = _DIVIDES + ("Reciprocal", "Inv", "SqrtGrad", "Xdivy")
_EXACT = op_tolerance.record.EXACT
_FLOATS = (tf.half, tf.bfloat16, tf.float32, tf.float64)
_SHAPES = ((), (1,), (0,), (2, 3), (3, 0, 2), (2, 1, 3), (1, 2, 1, 3), (2, 1, 2, 1, 2))
_PAIRS = (((), ()), ((), (4,)), ((4,), ()), ((1,), (5,)), ((2, 1), (1, 3)), ((0,), (1,)),
          ((2, 0), (1,)), ((4, 1, 2), (3, 1)), ((2, 1, 1, 2, 1), (1, 2, 1, 2)), ((9,), (9,)))
_MISMATCHED = (((2,), (3,)), ((2, 2), (3, 1, 3)), ((0,), (2,)))


@dataclasses.dataclass
class Function:
  """An op that maps elements to elements.

  attrs: beside T. same_shape: whether it refuses to broadcast. exact: whether IEEE arithmetic gives
  the answer, bit for bit, in every dtype but complex ones. bound: a function from the dtype to a
  tolerance, where TensorFlow is less precise than most. domain: what keeps the arguments (arrays)
  where the answer is well conditioned. keep: which corner values (masks of arrays) are asked about.
  """
  op: str
  arguments: int = 1
  attrs: dict = dataclasses.field(default_factory=dict)
  same_shape: bool = False
  exact: bool = False
  bound: object = None
  domain: object = None
  keep: object = None

  def tolerance(self, dtype):
    if self.bound:
      return self.bound(dtype)
    if self.exact and not dtype.is_complex:
      return _EXACT
    if dtype.is_complex:
      return op_tolerance.rounded(dtype, 16)
    return _flushed(op_tolerance.transcendental(dtype), dtype)


def _flushed(tolerance, dtype):
  """TensorFlow flushes what is smaller than the smallest normal number."""
  smallest = {tf.float64: 2.0**-1022, tf.half: 0.0}.get(dtype, 2.0**-126)
  return dataclasses.replace(tolerance, absolute=max(tolerance.absolute, smallest))


def _ulps(roundings):
  return lambda dtype: _flushed(op_tolerance.record.ulps(roundings), dtype)


def _near_one(roundings):
  """exp(x) - 1 where it is not computed as a whole."""
  return lambda dtype: op_tolerance.record.Tolerance(
      ulps=4, absolute=roundings * op_tolerance.epsilon(dtype))


def _any_zero(dtype):
  return op_tolerance.rounded(dtype, 16) if dtype.is_complex else op_tolerance.ANY_ZERO


def _not_zero(*arrays):
  return (arrays[-1] != 0) if arrays[-1].dtype.kind == "c" else np.ones(arrays[-1].shape, bool)


def _normal_inverse(x):
  """Not 0 if complex; not the largest numbers, whose reciprocals are subnormal."""
  if x.dtype.kind == "c":
    return x != 0
  with np.errstate(all="ignore"):
    return np.isinf(x) | ~(np.abs(x) > (1e307 if x.dtype.itemsize == 8 else 1e38))


def _clip(low, high):
  return lambda *arrays: tuple(_clipped(a, low, high) for a in arrays)


def _clipped(values, low, high):
  """Real numbers into [low, high]; complex ones into the disc of that size."""
  if values.dtype.kind == "c":
    return values / (1 + np.abs(values) / max(abs(low), high))
  if values.dtype.kind in "iu":
    return values
  return np.clip(values, values.dtype.type(low), values.dtype.type(high))


_FUNCTIONS = (
    Function("Rsqrt", domain=_clip(0.125, 1e4)),
    Function("Reciprocal", keep=_normal_inverse),
    Function("Inv", keep=_normal_inverse),
    Function("Expm1", domain=_clip(-9, 9)),
    Function("Log1p", domain=_clip(-0.9, 1e4), keep=lambda x: _not_zero(x + 1)),
    Function("Rint", exact=True),
    Function("Round", exact=True),
    Function("Floor", exact=True),
    Function("Ceil", exact=True),
    Function("IsNan", exact=True),
    Function("IsInf", exact=True),
    Function("IsFinite", exact=True),
    Function("Tan", domain=_clip(-9, 9)),
    Function("Asin", domain=_clip(-1, 1)),
    Function("Acos", domain=_clip(-1, 1)),
    Function("Atan"),
    Function("Sinh", domain=_clip(-9, 9)),
    Function("Cosh", domain=_clip(-9, 9)),
    Function("Asinh"),
    Function("Acosh", domain=_clip(1.125, 1e4)),
    Function("Atanh", domain=_clip(-0.9, 0.9)),
    Function("Relu", bound=_any_zero),
    Function("Relu6", bound=_any_zero),
    Function("LeakyRelu", exact=True),
    Function("LeakyRelu", attrs={"alpha": -1.5}, exact=True),
    Function("LeakyRelu", attrs={"alpha": 3.0}, exact=True),
    Function("Elu", bound=_near_one(2)),
    Function("Selu", bound=_near_one(4)),
    Function("Softplus", bound=_ulps(4)),
    Function("Softsign"),
    Function("Conj", exact=True),
    Function("Invert", exact=True),
    Function("PopulationCount", exact=True),
    Function("Snapshot", exact=True),
    Function("Mod", 2, exact=True),
    Function("TruncateDiv", 2, exact=True),
    Function("TruncateMod", 2, exact=True),
    Function("DivNoNan", 2, exact=True),
    Function("MulNoNan", 2, exact=True),
    Function("SquaredDifference", 2, exact=True),
    Function("Xlogy", 2, domain=lambda x, y: (x, _clipped(np.abs(y).astype(y.dtype), 0.125, 1e4))),
    Function("Xlog1py", 2, domain=lambda x, y: (x, _clipped(y, -0.9, 1e4))),
    Function("Xdivy", 2, bound=_any_zero, keep=_not_zero),
    Function("Atan2", 2),
    Function("NextAfter", 2, exact=True),
    Function("BitwiseAnd", 2, exact=True),
    Function("BitwiseOr", 2, exact=True),
    Function("BitwiseXor", 2, exact=True),
    Function("LeftShift", 2, exact=True),
    Function("RightShift", 2, exact=True),
    Function("ApproximateEqual", 2, same_shape=True, exact=True),
    Function("ApproximateEqual", 2, {"tolerance": 0.5}, same_shape=True, exact=True),
    Function("SqrtGrad", 2, same_shape=True, keep=lambda y, _: _normal_inverse(y)),
    Function("RsqrtGrad", 2, same_shape=True),
    Function("ReciprocalGrad", 2, same_shape=True),
    Function("InvGrad", 2, same_shape=True),
    Function("ReluGrad", 2, same_shape=True, exact=True),
    Function("Relu6Grad", 2, same_shape=True, exact=True),
    Function("LeakyReluGrad", 2, same_shape=True, bound=_ulps(0)),
    Function("LeakyReluGrad", 2, {"alpha": 3.0}, same_shape=True, exact=True),
    Function("EluGrad", 2, same_shape=True, exact=True),
    Function("SeluGrad", 2, same_shape=True, exact=True),
    Function("SoftplusGrad", 2, same_shape=True),
    Function("SoftsignGrad", 2, same_shape=True),
)


def groups():
  """All groups, in a fixed order."""
  for function in _FUNCTIONS:
    for dtype in _dtypes(function.op):
      yield from _function(function, dtype)


def _dtypes(op):
  """Those with a kernel that the definition allows too."""
  types = [a.allowed_values.list.type for a in op_def_registry.get(op).attr if a.name == "T"][0]
  return [d for d in dtypes_of(op) if not types or d.as_datatype_enum in types]


def _function(function, dtype):
  op = function.op
  variant = "-".join(f"{k}{v}" for k, v in function.attrs.items())
  # Of an integer TensorFlow's Round is 0.
  folder = "differs" if op == "Round" and dtype.is_integer else "ops"
  name = f"{folder}/{op}/{dtype.name}{variant and '-' + variant}"
  random = np.random.RandomState(seed_of(name))
  attrs = {"T": dtype, **function.attrs}

  def probe(*arrays, fed=None):
    return Probe(op, list(arrays), attrs, tolerance=function.tolerance(dtype), fed=fed)

  def within(make, *shapes):
    arrays = tuple(make(shape, dtype, random) for shape in shapes)
    return probe(*(function.domain(*arrays) if function.domain else arrays))

  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(*arrays) for arrays in _special(function, dtype)])
  one_shape = function.arguments == 1 or function.same_shape
  pairs = [[s] * function.arguments for s in _SHAPES] if one_shape else _PAIRS
  yield Group(f"{name}/plain", f"{op} of {dtype.name} numbers in all shapes.",
              [within(op_values.wide, *[(37,)] * function.arguments)] +
              [within(_plain(function), *shapes) for shapes in pairs])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} inputs that do not fit.",
              list(_wrong(function, dtype, random, probe)))
  if op in _DIVIDES and dtype.is_integer:
    yield from _by_zero(function, dtype)


def _plain(function):
  return op_values.nonzero if function.op in _NOT_OF_ZERO else op_values.plain


def _special(function, dtype):
  """The arrays: each corner value, or each pair of them; as vectors and with scalars."""
  values = op_values.special(dtype)
  if function.arguments == 1:
    values = values[function.keep(values)] if function.keep else values
    return [(values,), (values[:1],), (values[::-1].copy(),)]
  x, y = (a.reshape(-1) for a in np.meshgrid(values, values, indexing="ij"))
  kept = _kept(function, dtype, x, y)
  arrays = [(x[kept], y[kept])]
  for scalar in values[1:4] if not function.same_shape else ():
    whole = np.full_like(values, scalar)
    after = values[_kept(function, dtype, whole, values)]
    before = values[_kept(function, dtype, values, whole)]
    arrays += [(whole[:1].reshape(()), after), (before, whole[:1].reshape(()))]
  return arrays


def _kept(function, dtype, x, y):
  """Which pairs are asked about: no subnormal results, which TensorFlow flushes, no division of
  integers by zero (an error, asked about by itself)."""
  kept = np.ones(x.shape, bool)
  if function.op in _DIVIDES and dtype.is_integer:
    kept &= y != 0
  if function.keep:
    kept &= function.keep(x, y)
  if dtype.is_floating and function.same_shape:  # gradients, which square
    kept &= ~_is_subnormal(dtype, x, x, np.multiply)
  if dtype.is_floating and function.op != "NextAfter":
    kept &= ~(_is_subnormal(dtype, x, y, np.multiply) | _is_subnormal(dtype, x, y, np.divide))
  return kept


def _is_subnormal(dtype, x, y, function):
  smallest = np.longdouble(2)**{tf.half: -14, tf.float64: -1022}.get(dtype, -126)
  x, y = (a.astype(np.float64).astype(np.longdouble) for a in (x, y))
  with np.errstate(all="ignore"):
    result = function(x, y)
  return (result != 0) & (np.abs(result) < smallest)


def _wrong(function, dtype, random, probe):
  other = tf.int32 if dtype == tf.float32 else tf.float32
  make = _plain(function)
  for fed in (True, False):
    yield probe(*[make((2,), other, random)] * function.arguments, fed=fed)
  if function.arguments == 2:
    yield probe(make((2,), dtype, random), make((2,), other, random), fed=True)
    for pair in _MISMATCHED + ((((1,), (3,)),) if function.same_shape else ()):
      for fed in (True, False):
        yield probe(*[make(shape, dtype, random) for shape in pair], fed=fed)


def _by_zero(function, dtype):
  """Its error: TensorFlow forgets to name some ops, and then calls it INTERNAL."""
  folder = "ops" if function.op == "Mod" else "differs"
  array = lambda values: op_values.array(values, dtype)
  yield Group(f"{folder}/{function.op}/{dtype.name}/by-zero", f"{function.op} of integers by zero.", [
      Probe(function.op, [array(x), array(y)], {"T": dtype}, fed=True)
      for x, y in (([1, 2], [1, 0]), (5, 0), ([], 0))
  ])
