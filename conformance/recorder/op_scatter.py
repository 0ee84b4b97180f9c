"""Groups for the ops that put slices at named places, or share rows out and stitch them together."""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker

_INTO = ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin",
         "TensorScatterMax", "ScatterNdNonAliasingAdd")

# (shape of the tensor, indices, shape of the updates)
_PLACES = (((4,), [[2], [0]], (2,)), ((4,), [[1], [1], [3]], (3,)), ((2, 3), [[1]], (1, 3)),
           ((2, 3), [[1, 2], [0, 0], [1, 2]], (3,)), ((4,), [[[0], [1]], [[1], [3]]], (2, 2)),
           ((2, 2, 2), [[1, 0], [0, 1]], (2, 2)), ((2, 1, 2, 1, 3), [[1, 0, 1]], (1, 1, 3)),
           ((1, 1, 2, 1, 1, 1, 2), [[0, 0, 1, 0, 0, 0, 1]], (1,)))
_EMPTY = (((0,), np.zeros((0, 1)), (0,)), ((3,), np.zeros((0, 1)), (0,)),
          ((2, 3), np.zeros((0, 1)), (0, 3)), ((2, 2), np.zeros((0, 2)), (0,)))
_WRONG = (((4,), [[4]], (1,)), ((4,), [[-1]], (1,)), ((2, 3), [[1, 3]], (1,)),
          ((4,), [1], ()), ((4,), 1, ()), ((4,), [[1]], ()), ((4,), [[1]], (2,)),
          ((4,), [[1, 0]], (1,)), ((2, 3), [[1]], (1, 2)), ((2, 3), [[1]], (1,)),
          ((0,), [[0]], (1,)), ((2, 0), [[1]], (1, 0)), ((4,), np.zeros((1, 0)), (1, 4)),
          ((1,) * 8, [[0] * 8], (1,)))


def groups():
  """All groups, in a fixed order."""
  for op in _INTO:
    for dtype in dtypes_of(op):
      yield from _scatter(op, dtype)
  for dtype in dtypes_of("ScatterNd"):
    yield from _scatter("ScatterNd", dtype)
  yield from _shapes()
  for dtype in dtypes_of("DynamicPartition"):
    yield from _partition(dtype)
  for op in ("DynamicStitch", "ParallelDynamicStitch"):
    for dtype in dtypes_of(op):
      yield from _stitch(op, dtype)


def _inputs(op, tensor, indices, updates):
  if op == "ScatterNd":
    return [indices, updates, np.array(tensor.shape, indices.dtype)]
  return [tensor, indices, updates]


def _tolerance(op, dtype, tensor, updates):
  if op in ("TensorScatterMin", "TensorScatterMax"):
    return op_tolerance.ANY_ZERO
  if op == "TensorScatterUpdate" or not op_tolerance.epsilon(dtype):
    return op_tolerance.record.EXACT
  return op_tolerance.summed(dtype, 4 * max(np.abs(v.astype(complex)).max(initial=0)
                                            for v in (tensor, updates)))


def _scatter(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, indices, updates, index=None, policy="", fed=None):
    index = index or make.index()
    tensor, by = make.values(shape), make.values(updates)
    attrs = {"T": dtype, "Tindices": index, "bad_indices_policy": policy}
    return Probe(op, _inputs(op, tensor, np.array(indices, index.as_numpy_dtype), by),
                 attrs, tolerance=_tolerance(op, dtype, tensor, by), fed=fed)

  yield Group(name, f"{op} of {dtype.name} slices, some twice at one place.",
              [probe(*p, index=index) for index in INDEXES for p in _PLACES])
  yield Group(f"{name}/empty", f"{op} of no {dtype.name} slices.", [probe(*p) for p in _EMPTY])
  wrong = [p for p in _WRONG if not (op == "ScatterNdNonAliasingAdd" and np.ndim(p[1]) == 1)]
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} slices that do not fit.",
              [probe(*p, fed=True) for p in wrong])
  yield Group(f"{name}/policy", f"{op} of {dtype.name} with places outside of the tensor.", [
      probe((4,), [[5], [1], [-1]], (3,), policy=policy, fed=True)
      for policy in ("IGNORE", "ERROR", "DEFAULT", "other")
  ])


def _shapes():
  """Shapes that ScatterNd refuses; a shape of more than 2^31 elements it answers as it likes."""

  def probe(shape, fed):
    return Probe("ScatterNd", [np.array([[0]], np.int32), np.ones(1, np.float32),
                               np.array(shape, np.int32)],
                 {"T": tf.float32, "Tindices": tf.int32}, fed=fed)

  for fed in (True, False):
    yield Group(f"ops/ScatterNd/shapes-{'fed' if fed else 'const'}",
                "ScatterNd into shapes that are none.",
                [probe(s, fed) for s in (4, [-4], [[4]], [4, -1], [])])


def _partition(dtype):
  name = f"ops/DynamicPartition/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, partitions, count, fed=None):
    return Probe("DynamicPartition", [make.values(shape), np.array(partitions, np.int32)],
                 {"T": dtype, "num_partitions": count}, outputs=count, fed=fed)

  yield Group(name, f"DynamicPartition of {dtype.name}.", [
      probe(s, p, n)
      for s, p, n in (((4,), [0, 1, 0, 2], 3), ((4,), [1, 1, 1, 1], 2), ((), 1, 2), ((3,), 0, 1),
                      ((2, 3), [1, 0], 2), ((2, 3), [[0, 1, 0], [1, 1, 3]], 4), ((0,), [], 2),
                      ((2, 0), [0, 1], 2), ((0, 3), [], 3), ((2, 1, 2, 1, 3), [[1], [0]], 2))
  ])
  yield Group(f"{name}/wrong", f"DynamicPartition of {dtype.name} into what is not there.", [
      probe(s, p, n, fed=True)
      for s, p, n in (((3,), [0, 2, 0], 2), ((3,), [0, -1, 0], 2), ((3,), [0, 1], 2),
                      ((3,), [[0, 1, 0]], 2), ((), [0], 1))
  ])


def _stitch(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(indices, shapes, fed=None):
    inputs = [np.array(i, np.int32) for i in indices] + [make.values(s) for s in shapes]
    return Probe(op, inputs, {"T": dtype, "N": len(indices)}, fed=fed)

  good = [([[0, 2], [1]], [(2,), (1,)]), ([[1, 0]], [(2, 3)]), ([0], [()]),
          ([[[2, 0], [1, 3]]], [(2, 2, 3)]), ([[], [0]], [(0, 2), (1, 2)]), ([[]], [(0,)]),
          ([[1], 0, [3, 2]], [(1, 2), (2,), (2, 2)])]
  if op == "DynamicStitch":  # of its twin any of several may win, and what nobody names is anything
    good += [([[0, 1], [1]], [(2,), (1,)]), ([[0, 4]], [(2, 2)])]
  yield Group(name, f"{op} of {dtype.name}.", [probe(*p) for p in good])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} rows that do not fit.", [
      probe(*p, fed=True)
      for p in (([[-1]], [(1,)]), ([[0, 1]], [(3,)]), ([[0], [1]], [(1, 2), (1, 3)]),
                ([[[0]]], [(1,)]))
  ])
