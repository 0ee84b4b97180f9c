"""Groups for arithmetic on sparse tensors.

Left out: places outside of the shape, which are refused here, where TensorFlow does not look; the
softmax of rows that are not side by side, whose elements TensorFlow gives in another order; more
weights than values; counts of more than two dimensions, which TensorFlow refuses where it knows of
them before it runs; tensors of no dimension or of more than five, which TensorFlow's kernels do not
know; and a division of integers by zero, of which TensorFlow dies.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_sets import sparse
from op_shape import INDEXES
from op_shape import Maker
from op_sparse import DISORDERED
from op_sparse import GOOD
from op_sparse import OUTSIDE

_REPEATED = ([[0, 1], [0, 1], [1, 0], [0, 1]], [2, 3])


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("SparseTensorDenseMatMul"):
    yield from _product(dtype)
  for dtype in dtypes_of("SparseTensorDenseAdd"):
    yield from _dense_add(dtype)
  for op in ("SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"):
    for dtype in dtypes_of(op):
      yield from _with_dense(op, dtype)
  for op in ("SparseReduceSum", "SparseReduceMax"):
    for dtype in dtypes_of(op):
      yield from _reduction(op, dtype)
  for dtype in dtypes_of("SparseSoftmax"):
    yield from _softmax(dtype)
  for dtype in (tf.int32, tf.int64, tf.float32, tf.float64):
    yield from _bincount(dtype)
  for dtype in dtypes_of("SparseAdd"):
    yield from _add(dtype)
    yield from _add_grad(dtype)


def _product(dtype):
  name = f"ops/SparseTensorDenseMatMul/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, shape, a=False, b=False, fed=None):
    index = make.index()
    places, values, dims = sparse(make, *pair)
    dense = make.values(shape)
    terms = np.abs(values).astype(np.float64).sum() * np.abs(dense).astype(np.float64).max(
        initial=0)
    return Probe("SparseTensorDenseMatMul",
                 [places.astype(index.as_numpy_dtype), values, dims, dense],
                 {"T": dtype, "Tindices": index, "adjoint_a": a, "adjoint_b": b}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, terms))

  square = ([[0, 1], [2, 0], [1, 1], [0, 1]], [3, 3])
  yield Group(name, f"Products of sparse and dense {dtype.name} matrices.", [
      probe(square, s, a, b) for a in (False, True) for b in (False, True) for s in ((3, 3),)
  ] + [probe(GOOD[0], (3, 4)), probe(GOOD[0], (2, 40), True), probe(GOOD[0], (40, 3), False, True),
       probe(GOOD[0], (3, 0)), probe(([], [2, 0]), (0, 3)), probe(([], [0, 2]), (2, 3))])
  yield Group(f"{name}/wrong", f"Sparse and dense {dtype.name} matrices that have no product.",
              [probe(p, (3, 1), fed=True) for p in OUTSIDE] +
              [probe(GOOD[0], (2, 3), fed=True), probe(GOOD[0], (3,), fed=True),
               probe(GOOD[1], (5, 1), fed=True), probe(GOOD[2], (1, 1), fed=True)])


def _dense_add(dtype):
  name = f"ops/SparseTensorDenseAdd/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, shape, fed=None):
    index = make.index()
    places, values, dims = sparse(make, *pair)
    cast = index.as_numpy_dtype
    return Probe("SparseTensorDenseAdd", [places.astype(cast), values, dims.astype(cast),
                                          make.values(shape)],
                 {"T": dtype, "Tindices": index}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, 64))

  yield Group(name, f"Sums of sparse and dense {dtype.name} tensors.",
              [probe(p, p[1]) for p in GOOD + DISORDERED + (_REPEATED,)])
  yield Group(f"{name}/wrong", f"Sparse and dense {dtype.name} tensors that have no sum.",
              [probe(p, (2, 3), fed=True) for p in OUTSIDE] +
              [probe(GOOD[0], (1, 3), fed=True), probe(GOOD[0], (3,), fed=True)])


def _with_dense(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, shape, fed=None):
    dense = op_values.nonzero(shape, dtype, np.random.RandomState(len(pair[0]) + int(np.prod(shape))))
    return Probe(op, sparse(make, *pair) + [dense], {"T": dtype}, fed=fed,
                 tolerance=op_tolerance.rounded(dtype, 2))

  matrix = GOOD[0]
  yield Group(name, f"{op} of {dtype.name}.",
              [probe(matrix, s) for s in ((2, 3), (3,), (1,), (), (2, 1), (1, 3), (1, 1))] +
              [probe(p, p[1]) for p in GOOD + DISORDERED] + [probe(_REPEATED, (3,))])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} tensors that do not broadcast.",
              [probe(matrix, s, fed=True) for s in ((2,), (2, 2), (1, 2, 3), (3, 3), (4, 2, 3))] +
              [probe(p, (1,), fed=True) for p in OUTSIDE])


def _reduction(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, axes, keep=False, fed=None):
    inputs = sparse(make, *pair)
    terms = np.abs(inputs[1]).astype(np.float64).sum()
    return Probe(op, inputs + [np.array(axes, np.int32)], {"T": dtype, "keep_dims": keep}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, terms))

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(p, a, k) for p in (GOOD[0], DISORDERED[0], _REPEATED) for k in (False, True)
               for a in ([0], [1], [0, 1], -1, [], [1, -1])] +
              [probe(GOOD[1], [0]), probe(GOOD[2], [1], True), probe(GOOD[3], [1]),
               probe(GOOD[4], [0]), probe(GOOD[4], [1])])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} along what is no dimension.",
              [probe(GOOD[0], a, fed=True) for a in ([2], [-3], [[0]])] +
              [probe(([[0, 0]], [2]), [0], fed=True), probe(([[0]], [2, 3]), [0], fed=True),
               probe(([[0, 0]], [-2, 3]), [0], fed=True)])
  if dtype.is_floating and op == "SparseReduceMax":
    values = op_values.array([1, np.nan, 2], dtype)
    nan = Probe(op, [np.array([[0, 0], [0, 1], [0, 2]], np.int64), values,
                     np.array([1, 3], np.int64), np.array([1], np.int32)], {"T": dtype})
    yield Group(f"platform/{op}/{dtype.name}/nan", f"{op} of {dtype.name} NaNs.", [nan])


def _softmax(dtype):
  name = f"ops/SparseSoftmax/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, values=None, fed=None):
    inputs = sparse(make, *pair)
    if values is not None:
      inputs[1] = op_values.array(values, dtype)
    return Probe("SparseSoftmax", inputs, {"T": dtype}, fed=fed,
                 tolerance=op_tolerance.rounded(dtype, 8))

  row = ([[0, 0], [0, 1], [0, 2]], [1, 3])
  yield Group(name, f"Softmax of sparse {dtype.name} tensors.",
              [probe(p) for p in (GOOD[0], GOOD[2], GOOD[3], GOOD[4], row,
                                  ([[0, 0, 1], [0, 0, 2], [1, 1, 0]], [2, 2, 3]))] +
              [probe(row, v) for v in ([1, np.inf, 2], [-np.inf, 0, 0], [np.nan, 1, 2],
                                       [1000, 0, -1000])])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that have no rows.",
              [probe(GOOD[1], fed=True), probe(([[0, 0]], [2, -2]), fed=True)])


def _bincount(dtype):
  name = f"ops/SparseBincount/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, numbers, size, weighed=False, binary=False, index=tf.int32, fed=None):
    places, _, dims = sparse(make, *pair)
    cast = index.as_numpy_dtype
    weights = make.values((len(numbers),) if weighed else (0,))
    return Probe("SparseBincount", [places, np.array(numbers, cast), dims, np.array(size, cast),
                                    weights],
                 {"T": dtype, "Tidx": index, "binary_output": binary}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(weights).sum()))

  good = ((([[0], [2], [3]], [5]), [1, 2, 1], 4), (([[0, 0], [0, 2], [1, 1]], [2, 3]), [1, 1, 9],
                                                   4),
          (([[1, 0], [0, 1]], [3, 3]), [0, -1], 2),
          (([], [2, 3]), [], 3), (([[0, 0]], [2, 3]), [0], 0))
  yield Group(name, f"Counts of sparse numbers into {dtype.name}.",
              [probe(*p, w, b, i) for p in good for w in (False, True) for b in (False, True)
               for i in INDEXES])
  wrong = ((([[0]], [1]), [-1], 2), (([[0]], [1]), [1], -2), (([[0]], [1]), [1], [2]),
           (([[2, 0]], [2, 3]), [1], 2), (([[0, -1]], [2, 3]), [1], 2), (([[0, 0]], [2]), [1], 2),
           (([[0, 0]], [2, 3]), [1, 1], 2))
  yield Group(f"{name}/wrong", f"Sparse numbers that cannot be counted into {dtype.name}.",
              [probe(*p, fed=True) for p in wrong])


def _add(dtype):
  name = f"ops/SparseAdd/{dtype.name}"
  make = Maker(name, dtype)
  real = dtype.real_dtype

  def probe(a, b, threshold=0, shape=(), fed=None):
    limit = np.full(shape, threshold, real.as_numpy_dtype)
    return Probe("SparseAdd", sparse(make, *a) + sparse(make, *b) + [limit],
                 {"T": dtype, "Treal": real}, outputs=3, fed=fed)

  other = ([[0, 0], [1, 0]], [2, 3])
  yield Group(name, f"Sums of sparse {dtype.name} tensors.",
              [probe(GOOD[0], other, t) for t in (0, 1, 2, 5, -1)] +
              [probe(DISORDERED[0], other), probe(GOOD[3], other), probe(GOOD[3], GOOD[3]),
               probe(GOOD[1], ([[0], [2]], [5])), probe(_REPEATED, other)])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that have no sum.",
              [probe(GOOD[0], ([[0, 0]], [2, 4]), fed=True), probe(GOOD[0], GOOD[1], fed=True),
               probe(GOOD[0], other, 0, (1,), fed=True),
               probe(([[0, 0]], [2]), ([[0, 0]], [2]), fed=True)])


def _add_grad(dtype):
  name = f"ops/SparseAddGrad/{dtype.name}"
  make = Maker(name, dtype)
  a, b = [[0, 0], [1, 0]], [[0, 0], [0, 1]]

  def probe(count, total, first=None, second=None, fed=None):
    places = [np.array(first or a, np.int64), np.array(second or b, np.int64),
              np.array(total, np.int64) if total else np.zeros((0, 2), np.int64)]
    return Probe("SparseAddGrad", [make.values((count,))] + places, {"T": dtype}, outputs=2,
                 fed=fed)

  yield Group(name, f"Gradients of sums of sparse {dtype.name} tensors.",
              [probe(3, [[0, 0], [0, 1], [1, 0]]), probe(2, [[0, 1], [1, 0]]), probe(0, []),
               probe(2, [[1, 0], [0, 1]]), probe(1, [[7, 7]])])
  yield Group(f"{name}/wrong", f"Gradients of {dtype.name} sums that do not fit.",
              [probe(2, [[0, 0]], fed=True), probe(1, [[0, 0]], second=[[0]], fed=True)])
