"""Groups for the ops that add or compare many elements: reductions, MatMul, AddN."""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm")
LOGICAL = ("All", "Any")

# (shape, axes); the axes as Python lists or a scalar.
_AXES = (((), []), ((), 0), ((5,), 0), ((5,), [0]), ((5,), []), ((5,), -1), ((2, 3), 0),
         ((2, 3), 1), ((2, 3), -1), ((2, 3), -2), ((2, 3), [0, 1]), ((2, 3), [1, 0]),
         ((2, 3), [-1, 0]), ((2, 3, 4), [0, 2]), ((2, 3, 4), 1), ((2, 3, 4), [1, 2]),
         ((2, 3, 4), [0, 1, 2]), ((2, 1, 3, 2), [0, 2]), ((2, 1, 3, 2), [1, -1]),
         ((2, 2, 1, 2, 3), [1, 3]), ((2, 2, 2, 2, 2), [0, 2, 4]), ((33,), 0), ((3, 17), 1))
_EMPTY = (((0,), 0), ((0,), []), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1), ((3, 0), [0, 1]),
          ((2, 0, 3), 1), ((2, 0, 3), [0, 2]), ((0, 0), 0))
_WRONG = (((), 1), ((), -1), ((5,), 1), ((5,), -2), ((2, 3), 2), ((2, 3), [0, 0]),
          ((2, 3), [1, -1]), ((2, 3), [[0, 1]]), ((2, 3), [0, 5]))


def groups():
  """All groups, in a fixed order."""
  for op in REDUCTIONS:
    for dtype in dtypes_of(op):
      yield from _reduction(op, dtype)
  for op in LOGICAL:
    yield from _reduction(op, tf.bool)
  for op in ("ArgMax", "ArgMin"):
    for dtype in dtypes_of(op):
      yield from _arg(op, dtype)
  for dtype in dtypes_of("MatMul"):
    yield from _matmul(dtype)
  for dtype in dtypes_of("AddN"):
    yield from _add_n(dtype)


def _reduction(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values, axes, keep, index, fed=None):
    attrs = {"Tidx": index, "keep_dims": keep}
    if dtype != tf.bool:
      attrs["T"] = dtype
    axes = np.array(axes, index.as_numpy_dtype)
    return Probe(op, [values, axes],
                 attrs,
                 tolerance=_reduction_tolerance(op, dtype, values),
                 fed=fed)

  for index in (tf.int32, tf.int64):
    for keep in (False, True):
      kind = f"{index.name}{'-keep' if keep else ''}"
      yield Group(f"{name}/axes-{kind}", f"{op} of {dtype.name} over axes of every form.",
                  [probe(_plain(op, s, dtype, random), a, keep, index) for s, a in _AXES])
  yield Group(
      f"{name}/empty", f"{op} of {dtype.name} over nothing.",
      [probe(op_values.empty(s, dtype), a, k, tf.int32) for s, a in _EMPTY for k in (False, True)])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} over axes that are not there, or twice.", [
      probe(op_values.plain(s, dtype, random), a, k, tf.int32, fed=True)
      for s, a in _WRONG
      for k in (False, True)
  ])
  yield Group(f"{name}/wrong-const", f"{op} of {dtype.name} over an axis known not to be there.",
              [probe(op_values.plain((2, 3), dtype, random), 2, False, tf.int64, fed=False)])
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}.",
              [probe(v, a, False, tf.int32) for v, a in _special(op, dtype, random)])


def _plain(op, shape, dtype, random):
  """plain(), of which products of a few dozen in half do not overflow on the way."""
  values = op_values.plain(shape, dtype, random)
  if op == "Prod" and dtype == tf.half:
    values = np.clip(values, np.float16(-1), np.float16(1))
  return values


def _special(op, dtype, random):
  if dtype.is_floating:
    values = op_values.array([1.5, np.inf, -2, np.nan, -np.inf, 0.25], dtype)
    for vector in (values, values[:2], values[[0, 4]], values[[1, 4]], values[[2, 3]], values[[3]]):
      yield vector, 0
    yield op_values.array([[1, 2, np.nan], [4, -np.inf, 6]], dtype), 1
    yield op_values.array([[1, 2, np.nan], [4, -np.inf, 6]], dtype), 0
    yield op_values.array([-0.0, -0.0], dtype), 0
    return
  if dtype.is_integer:
    values = op_values.special(dtype)
    yield values, 0
    yield values[5:7], 0
    yield np.repeat(values[5], 5), 0
    yield values[::-1].copy(), 0
    if not dtype.is_unsigned:
      yield op_values.array([-7, 2], dtype), 0
      yield op_values.array([-7, 0, 1], dtype), 0
  make = op_values.wide
  # Squares of integers wrap to negative sums, whose roots are left to the processor, and products
  # of complex numbers overflow in another order.
  if op == "EuclideanNorm" and dtype.is_integer or op == "Prod" and dtype.is_complex:
    make = op_values.plain
  yield make((3, 5), dtype, random), 1
  yield make((40,), dtype, random), 0


def _reduction_tolerance(op, dtype, values):
  if op in ("Max", "Min"):
    return op_tolerance.ANY_ZERO
  if op == "EuclideanNorm":
    return op_tolerance.rounded(dtype, max(8, values.size / 4))
  if op == "Prod":
    return op_tolerance.rounded(dtype, 2 * max(8, values.size))
  if op in ("Sum", "Mean") and (dtype.is_floating or dtype.is_complex):
    magnitudes = np.abs(values.astype(np.complex128))
    total = magnitudes[np.isfinite(magnitudes)].sum()
    # TensorFlow sums half in half.
    return op_tolerance.summed(dtype, total, max(8, values.size / 4))
  return op_tolerance.record.EXACT


_PRODUCTS = ((2, 3, 4), (1, 1, 1), (1, 5, 1), (3, 1, 3), (0, 3, 2), (2, 0, 3), (2, 3, 0), (7, 9, 5),
             (16, 17, 16), (1, 8, 4), (5, 6, 1))


def _matmul(dtype):
  name = f"ops/MatMul/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(a_shape, b_shape, transpose=(False, False), make=op_values.plain, fed=None):
    a, b = make(a_shape, dtype, random), make(b_shape, dtype, random)
    attrs = {"T": dtype, "transpose_a": transpose[0], "transpose_b": transpose[1]}
    return Probe("MatMul", [a, b],
                 attrs,
                 fed=fed,
                 tolerance=_product_tolerance(dtype, a, b, transpose))

  for ta in (False, True):
    for tb in (False, True):
      for make in (op_values.plain, op_values.wide):
        if make is op_values.wide and (ta or tb) and dtype.is_integer:
          continue
        yield Group(f"{name}/{make.__name__}{'-ta' if ta else ''}{'-tb' if tb else ''}",
                    f"MatMul of {dtype.name}, with and without inner and outer size zero.", [
                        probe((k, m) if ta else (m, k), (n, k) if tb else (k, n), (ta, tb), make)
                        for m, k, n in _PRODUCTS
                    ])
  wrong = (((2, 3), (2, 3)), ((3,), (3, 2)), ((2, 3), (3,)), ((), ()), ((2, 2, 3), (2, 3, 2)))
  yield Group(f"{name}/wrong", f"MatMul of {dtype.name} shapes that do not fit.",
              [probe(a, b, fed=True) for a, b in wrong] + [
                  probe((2, 3), (3, 2), (True, False), fed=True),
                  probe((2, 3), (3, 2), (False, True), fed=True)
              ])
  yield Group(f"{name}/wrong-const", f"MatMul of {dtype.name} shapes known not to fit.",
              [probe(a, b, fed=False) for a, b in wrong])


def _product_tolerance(dtype, a, b, transpose):
  if not op_tolerance.epsilon(dtype):
    return op_tolerance.record.EXACT
  left, right = (np.abs(x.astype(np.complex128)) for x in (a, b))
  left, right = left.T if transpose[0] else left, right.T if transpose[1] else right
  if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
    return op_tolerance.record.EXACT
  terms = left @ right
  return op_tolerance.summed(dtype, np.max(terms) if terms.size else 0)


def _add_n(dtype):
  name = f"ops/AddN/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(shapes, make=op_values.plain, fed=None):
    values = [make(s, dtype, random) for s in shapes]
    total = sum(np.abs(v.astype(np.complex128)).max() if v.size else 0 for v in values)
    return Probe("AddN",
                 values, {
                     "T": dtype,
                     "N": len(values)
                 },
                 fed=fed,
                 tolerance=op_tolerance.summed(dtype, total))

  yield Group(f"{name}/counts", f"AddN of one to sixteen {dtype.name} tensors.",
              [probe([(3,)] * n) for n in (1, 2, 3, 4, 8, 9, 10, 16)])
  yield Group(f"{name}/shapes", f"AddN of {dtype.name} tensors of every rank.",
              [probe([s] * 3) for s in ((), (0,), (2, 3), (2, 0), (1, 2, 1), (2, 1, 2, 1))])
  yield Group(f"{name}/random", f"AddN of random {dtype.name} tensors.",
              [probe([(19,)] * n, op_values.wide) for n in (2, 5, 11)])
  yield Group(f"{name}/wrong", f"AddN of {dtype.name} tensors of different shapes.", [
      probe(shapes, fed=True)
      for shapes in ([(2,), (3,)], [(2,), (2,), ()], [(1, 2), (2, 1)], [(1,), ()], [(2, 3), (6,)])
  ])
  yield Group(f"{name}/wrong-const", f"AddN of {dtype.name} shapes known to differ.",
              [probe([(2,), (3,)], fed=False)])


def _arg(op, dtype):
  """ArgMax or ArgMin of one dtype."""
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  outputs = [tf.int32, tf.int64] + ([tf.int16, tf.uint16] if op == "ArgMax" else [])

  def probe(values, axis, output=tf.int64, index=tf.int32, fed=None):
    attrs = {"T": dtype, "Tidx": index, "output_type": output}
    return Probe(op, [values, np.array(axis, index.as_numpy_dtype)], attrs, fed=fed)

  shapes = [(s, a) for s, a in _AXES if s and not isinstance(a, list)] + [((2, 1, 3, 2), 2),
                                                                         ((2, 1, 2, 1, 2), -1)]
  yield Group(f"{name}/axes", f"{op} of {dtype.name} along every axis, the first of equal ones.", [
      probe(op_values.plain(s, dtype, random), a, outputs[i % len(outputs)],
            tf.int64 if i % 2 else tf.int32) for i, (s, a) in enumerate(shapes)
  ])
  corners = op_values.special(dtype)
  corners = corners[corners == corners]
  yield Group(f"{name}/special", f"{op} of corner values of {dtype.name}, and of nothing.", [
      probe(corners, 0),
      probe(corners[::-1].copy(), 0),
      probe(op_values.empty((0, 2), dtype), 1),
      probe(op_values.empty((0,), dtype), 0, fed=True)
  ])
  wrong = (((), 0), ((5,), 1), ((5,), -2), ((2, 3), [0]), ((2, 3), [0, 1]))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} along axes that are not there.",
              [probe(op_values.plain(s, dtype, random), a, fed=True) for s, a in wrong])
