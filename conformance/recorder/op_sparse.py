"""Groups for the ops that put sparse tensors in another form.

Left out: places outside of the shape and shapes that no tensor has, which are refused here and
which TensorFlow computes with where it does not look; equal places that are sorted, whose order is
TensorFlow's library's; and what makes TensorFlow die.
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

# Places and shapes: in order, in none, of other ranks.
GOOD = (([[0, 1], [1, 0], [1, 2]], [2, 3]), ([[2], [3]], [5]), ([[0, 1, 0]], [1, 2, 1]),
        ([], [2, 3]), ([], [0, 4]))
DISORDERED = (([[1, 2], [0, 1], [1, 0]], [2, 3]), ([[3], [0]], [4]))
UNFIT = (([[0]], [2, 3]), ([[0, 1]], [2]), ([0, 1], [2, 3]), ([[0, 1]], 2), ([[0, 1]], [2, -3]),
         ([[0, 1]], [2**40, 2**40]))
OUTSIDE = (([[2, 0]], [2, 3]), ([[0, 3]], [2, 3]), ([[-1, 0]], [2, 3]), ([[0, -1]], [2, 3]))


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("SparseToDense"):
    yield from _to_dense(dtype)
  yield from _reshape()
  for dtype in dtypes_of("SparseReorder"):
    yield from _reorder(dtype)
    yield from _fill(dtype)
    yield from _concat(dtype)
    yield from _split(dtype)
    yield from _slice(dtype)
  for dtype in dtypes_of("SparseFillEmptyRowsGrad"):
    yield from _fill_grad(dtype)
  for dtype in dtypes_of("SparseSliceGrad"):
    yield from _slice_grad(dtype)


def _to_dense(dtype):
  name = f"ops/SparseToDense/{dtype.name}"
  make = Maker(name, dtype)

  def probe(places, dims, values=None, validates=True, default=(), fed=None):
    index = make.index().as_numpy_dtype
    places = np.array(places, index) if np.size(places) else np.zeros((0, np.size(dims)), index)
    values = make.values((len(places),) if values is None else values)
    return Probe("SparseToDense", [places, np.array(dims, index), values, make.values(default)],
                 {"T": dtype, "Tindices": INDEXES[int(index == np.int64)],
                  "validate_indices": validates}, fed=fed)

  yield Group(name, f"Sparse {dtype.name} tensors made dense.",
              [probe(*p) for p in GOOD] + [probe(*p, validates=False) for p in GOOD + DISORDERED] +
              [probe([0, 2], [3]), probe(1, [3], ()), probe([[0, 1], [1, 0]], [2, 2], ()),
               probe([[1], [1], [0]], [2], validates=False), probe([0, 2], [3], ())])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that cannot be made dense.",
              [probe(*p, fed=True) for p in DISORDERED + OUTSIDE] +
              [probe(*p, validates=False, fed=True) for p in OUTSIDE] +
              [probe([[0, 0]], [2], fed=True), probe([[0]], [2], (1, 1), fed=True),
               probe([[0]], [2], (2,), fed=True), probe([[1], [1]], [2], fed=True),
               probe([[0]], [2], default=(1,), fed=True), probe([[[0]]], [2], fed=True),
               probe([[0, 0]], [-2, 2], fed=True)])


def _reshape():

  def probe(places, dims, new, fed=None):
    places = sparse(Maker("", tf.int32), places, dims)[0]
    return Probe("SparseReshape", [places, np.array(dims, np.int64), np.array(new, np.int64)],
                 outputs=2, fed=fed)

  matrix = ([[0, 1], [1, 0], [1, 2]], [2, 3])
  good = ((*matrix, [3, 2]), (*matrix, [6]), (*matrix, [-1, 2]), (*matrix, [2, 3]),
          (*matrix, [1, 6, 1]), ([], [0, 3], [3, 0]), ([], [0, 3], [-1, 3]), ([[0]], [1], []),
          ([[1, 1]], [2**32, 2**30], [-1, 2]), ([], [2, 3], [6]))
  yield Group("ops/SparseReshape", "Sparse tensors of other shapes.", [probe(*p) for p in good])
  wrong = ((*matrix, [4]), (*matrix, [-1, 4]), (*matrix, [-1, -1]), (*matrix, [-2, -3]),
           ([], [0, 3], [-1, 0]), (*matrix, 6), ([[0]], [2, 3], [6]), ([0, 1], [2, 3], [6]),
           ([[0, 1]], [-2, 3], [6]), ([[0, 1]], [2**40, 2**40], [6]),
           ([[0, 1]], [2, 3], [2**40, 2**40]), (*matrix, []))
  yield Group("ops/SparseReshape/wrong", "Shapes that sparse tensors cannot get.",
              [probe(*p, fed=True) for p in wrong])


def _reorder(dtype):
  name = f"ops/SparseReorder/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, fed=None):
    return Probe("SparseReorder", sparse(make, *pair), {"T": dtype}, outputs=2, fed=fed)

  many = ([[i * 7 % 5, i * 3 % 8] for i in range(40)], [5, 8])
  yield Group(name, f"Sparse {dtype.name} tensors sorted.",
              [probe(p) for p in (*GOOD, *DISORDERED, many)])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that do not fit.",
              [probe(p, fed=True) for p in UNFIT[:4]])


def _fill(dtype):
  name = f"ops/SparseFillEmptyRows/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, default=(), fed=None):
    return Probe("SparseFillEmptyRows", sparse(make, *pair) + [make.values(default)],
                 {"T": dtype}, outputs=4, fed=fed)

  more = (([[2, 1], [0, 2], [2, 0]], [4, 3]), ([[1], [0]], [2]), ([[0, 0], [1, 1]], [2, 2]))
  yield Group(name, f"Sparse {dtype.name} tensors whose empty rows are filled.",
              [probe(p) for p in GOOD + DISORDERED + more])
  wrong = (([[0, 0]], [0, 3]), ([[3, 0]], [3, 2]), ([[-1, 0]], [3, 2]), ([[0, 0]], [2]),
           ([[0, 0]], []), ([[0, 0]], [-2, 2]), ([0, 0], [2, 2]))
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that cannot be filled.",
              [probe(p, fed=True) for p in wrong] + [probe(GOOD[0], (1,), fed=True)])


def _fill_grad(dtype):
  name = f"ops/SparseFillEmptyRowsGrad/{dtype.name}"
  make = Maker(name, dtype)

  def probe(places, shape, fed=None):
    grads = make.values(shape)
    return Probe("SparseFillEmptyRowsGrad", [np.array(places, np.int64), grads], {"T": dtype},
                 outputs=2, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(grads).astype(np.float64).sum()))

  yield Group(name, f"Gradients of filled {dtype.name} rows.",
              [probe([2, 0], (4,)), probe([0, 0], (3,)), probe([], (2,)), probe([], (0,)),
               probe([3, 1, 0, 2], (4,))])
  yield Group(f"{name}/wrong", f"Gradients of {dtype.name} rows that are not there.",
              [probe([3], (2,), fed=True), probe([-1], (2,), fed=True),
               probe([0, 1, 2], (2,), fed=True), probe([[0]], (2,), fed=True),
               probe([0], (1, 2), fed=True)])


def _concat(dtype):
  name = f"ops/SparseConcat/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pairs, axis, fed=None):
    inputs = [sparse(make, *pair) for pair in pairs]
    return Probe("SparseConcat", [one[k] for k in range(3) for one in inputs],
                 {"T": dtype, "N": len(pairs), "concat_dim": axis}, outputs=3, fed=fed)

  matrix, other = GOOD[0], DISORDERED[0]
  yield Group(name, f"Sparse {dtype.name} tensors joined.",
              [probe((matrix, other), a) for a in (0, 1, -1, -2)] +
              [probe((matrix, ([[1, 0]], [2, 1]), ([], [2, 4])), 1), probe((GOOD[1], GOOD[1]), 0),
               probe((([], [0, 3]), matrix), 0)])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that cannot be joined.", [
      probe((matrix, other), 2, fed=True),
      probe((matrix, other), -3, fed=True),
      probe((matrix, ([[0, 0]], [3, 4])), 1, fed=True),
      probe((matrix, GOOD[1]), 0, fed=True)
  ])


def _split(dtype):
  name = f"ops/SparseSplit/{dtype.name}"
  make = Maker(name, dtype)

  def probe(axis, pair, parts, fed=None):
    return Probe("SparseSplit", [np.array(axis, np.int64)] + sparse(make, *pair),
                 {"T": dtype, "num_split": parts}, outputs=3 * parts, fed=fed)

  wide = ([[1, 2], [0, 4], [0, 0]], [2, 5])
  yield Group(name, f"Sparse {dtype.name} tensors in parts.",
              [probe(*p) for p in ((1, wide, 2), (1, wide, 5), (0, wide, 2), (-1, wide, 3),
                                   (0, wide, 1), (1, ([], [2, 4]), 2), (0, GOOD[1], 2))])
  yield Group(f"{name}/wrong", f"Sparse {dtype.name} tensors that cannot be split so.",
              [probe(*p, fed=True) for p in ((1, wide, 6), (2, wide, 2), (-3, wide, 2),
                                             ([1], wide, 2), (1, ([[0, 7]], [2, 5]), 2),
                                             (1, ([[0, -1]], [2, 5]), 2), (0, ([], [0, 4]), 1))])


def _slice(dtype):
  name = f"ops/SparseSlice/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, start, size, fed=None):
    return Probe("SparseSlice", sparse(make, *pair) +
                 [np.array(start, np.int64), np.array(size, np.int64)], {"T": dtype},
                 outputs=3, fed=fed)

  wide, last = ([[1, 2], [0, 4], [0, 0]], [2, 5]), 2**63 - 1
  yield Group(name, f"Slices of sparse {dtype.name} tensors.",
              [probe(wide, *p) for p in (([0, 1], [2, 3]), ([0, 2], [2, 100]), ([3, 7], [1, 1]),
                                         ([-1, 0], [2, 5]), ([0, 0], [2**62, last]),
                                         ([last, 0], [last, 1]), ([0, 0], [0, 0]),
                                         ([1, 0], [1, 5]), ([-5, 0], [100, 5]))] +
              [probe(GOOD[2], [0, 1, 0], [1, 1, 1]), probe(([], [2, 3]), [0, 1], [1, 1])])
  yield Group(f"{name}/wrong", f"Slices of sparse {dtype.name} tensors that there are not.",
              [probe(wide, *p, fed=True) for p in (([0, 0], [-1, 5]), ([0], [2]), ([0, 0], [2]),
                                                   ([[0, 0]], [1, 1]))] +
              [probe(p, [0, 0], [1, 1], fed=True) for p in UNFIT[1:5]])


def _slice_grad(dtype):
  name = f"ops/SparseSliceGrad/{dtype.name}"
  make = Maker(name, dtype)
  places = np.array([[0, 0], [0, 1], [1, 0]], np.int64)

  def probe(count, start, outputs, fed=None):
    outputs = np.array(outputs, np.int64).reshape((-1, 2)) if not np.size(outputs) else np.array(
        outputs, np.int64)
    return Probe("SparseSliceGrad", [make.values((count,)), places, np.array(start, np.int64),
                                     outputs], {"T": dtype}, fed=fed)

  yield Group(name, f"Gradients of slices of sparse {dtype.name} tensors.",
              [probe(2, [0, 0], [[0, 1], [1, 0]]), probe(1, [0, 1], [[0, 0]]), probe(0, [0, 0], []),
               probe(1, [1, 0], [[0, 0]])])
  yield Group(f"{name}/wrong", f"Gradients of slices of sparse {dtype.name} tensors that are none.",
              [probe(2, [0, 1], [[0, 0]], fed=True), probe(1, [0], [[0, 0]], fed=True),
               probe(1, [0, 0], [[0]], fed=True)])
