"""Groups for the operations on sets.

Left out: places outside of the shape where the indices are not to be looked at, which TensorFlow
calls an internal error, or uses to write outside of its memory.
"""

import numpy as np
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_shape import Maker

_OPERATIONS = ("a-b", "b-a", "intersection", "union")
_ABOUT = "sets of {}, dense and sparse."


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("SetSize"):
    yield from _dense(dtype)
    yield from _dense_sparse(dtype)
    yield from _sparse(dtype)
    yield from _sizes(dtype)


def sparse(make, places, dims):
  """Indices, values and shape of a sparse tensor with elements at these places."""
  rank = len(dims) if np.ndim(dims) else 1
  places = np.array(places, np.int64).reshape((-1, rank) if np.size(places) == 0 else
                                              np.shape(places))
  return [places, make.values((len(places),)), np.array(dims, np.int64)]


def _attrs(dtype, operation, validates=True):
  return {"T": dtype, "set_operation": operation, "validate_indices": validates}


def _dense(dtype):
  name = f"ops/DenseToDenseSetOperation/{dtype.name}"
  make = Maker(name, dtype)

  def probe(a, b, operation, fed=None):
    return Probe("DenseToDenseSetOperation", [make.values(a), make.values(b)],
                 _attrs(dtype, operation), outputs=3, fed=fed)

  shapes = (((2, 5), (2, 4)), ((1, 9), (1, 1)), ((3, 0), (3, 2)), ((0, 2), (0, 3)),
            ((2, 2, 3), (2, 2, 3)), ((2, 0), (2, 0)))
  yield Group(name, f"All operations on sets of {dtype.name}.",
              [probe(*s, o) for o in _OPERATIONS for s in shapes] +
              [probe((2, 3), (2, 3), "Union"), probe((2, 3), (2, 3), "A-B")])
  wrong = (((2, 3), (3, 3), "union"), ((3,), (3,), "union"), ((), (), "a-b"),
           ((2, 2), (2, 2, 1), "b-a"))
  yield Group(f"{name}/wrong", f"Sets of {dtype.name} that do not fit.",
              [probe(*w, fed=True) for w in wrong])
  yield Group(f"{name}/operation", "An operation that is none.",
              [probe((2, 3), (2, 3), "minus", fed=True)])


# Places and shapes; those after the first few are in no order, repeated, outside, or do not fit.
_GOOD = (([[0, 0], [0, 2], [1, 1]], [2, 3]), ([[1, 4]], [2, 5]), ([], [2, 5]), ([], [2, 0]))
_OTHER_ORDER = (([[1, 0], [0, 0]], [2, 3]), ([[0, 1], [0, 0], [1, 2], [1, 2]], [2, 3]))
_WRONG = (([[2, 0]], [2, 3]), ([[0, 3]], [2, 3]), ([[-1, 0]], [2, 3]), ([[0, -1]], [2, 3]),
          ([[0, 0]], [2, -3]), ([[0]], [2]), ([[0, 0, 0]], [2, 3]), ([0, 0], [2, 3]),
          ([[0, 0]], 2), ([[0, 0]], [2**40, 2**40]))


def _dense_sparse(dtype):
  name = f"ops/DenseToSparseSetOperation/{dtype.name}"
  make = Maker(name, dtype)

  def probe(dense, pair, operation="union", validates=True, fed=None):
    return Probe("DenseToSparseSetOperation", [make.values(dense), *sparse(make, *pair)],
                 _attrs(dtype, operation, validates), outputs=3, fed=fed)

  yield Group(name, f"All operations on {_ABOUT.format(dtype.name)}",
              [probe((2, n), p, o) for o in _OPERATIONS for n in (0, 4) for p in _GOOD] +
              [probe((2, 4), p, o, False) for o in _OPERATIONS for p in _OTHER_ORDER])
  yield Group(f"{name}/wrong", f"Sparse sets of {dtype.name} that are not in order, or do not fit.",
              [probe((2, 2), p, fed=True) for p in _OTHER_ORDER + _WRONG] +
              [probe((3, 2), _GOOD[0], fed=True), probe((2,), _GOOD[0], fed=True)])


def _sparse(dtype):
  name = f"ops/SparseToSparseSetOperation/{dtype.name}"
  make = Maker(name, dtype)

  def probe(a, b, operation="union", validates=True, fed=None):
    return Probe("SparseToSparseSetOperation", [*sparse(make, *a), *sparse(make, *b)],
                 _attrs(dtype, operation, validates), outputs=3, fed=fed)

  deep = (([[0, 0, 1], [1, 1, 0], [1, 1, 2]], [2, 2, 3]), ([[0, 1, 0], [1, 1, 1]], [2, 2, 2]))
  yield Group(name, f"All operations on sparse sets of {dtype.name}.",
              [probe(a, b, o) for o in _OPERATIONS for a in _GOOD for b in _GOOD] +
              [probe(*deep, o) for o in _OPERATIONS] +
              [probe(a, b, "union", False) for a in _OTHER_ORDER for b in _OTHER_ORDER])
  yield Group(f"{name}/wrong", f"Sparse sets of {dtype.name} that are not in order, or do not fit.",
              [probe(_GOOD[0], p, fed=True) for p in _OTHER_ORDER + _WRONG] +
              [probe(p, _GOOD[0], fed=True) for p in _OTHER_ORDER + _WRONG] +
              [probe(_GOOD[0], ([], [3, 3]), fed=True), probe(_GOOD[0], deep[0], fed=True)])


def _sizes(dtype):
  name = f"ops/SetSize/{dtype.name}"
  make = Maker(name, dtype)

  def probe(pair, validates=True, fed=None):
    return Probe("SetSize", sparse(make, *pair), {"T": dtype, "validate_indices": validates},
                 fed=fed)

  many = ([[i // 10, i % 10] for i in range(40)], [4, 10])
  yield Group(name, f"Sizes of sets of {dtype.name}.",
              [probe(p) for p in (*_GOOD, many, ([[0, 1, 0], [0, 1, 2]], [2, 2, 3]))] +
              [probe(p, False) for p in _OTHER_ORDER])
  yield Group(f"{name}/wrong", f"Sets of {dtype.name} that are not in order, or do not fit.",
              [probe(p, fed=True) for p in _OTHER_ORDER + _WRONG])
