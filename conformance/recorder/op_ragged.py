"""Groups for ragged tensors.

Left out: what TensorFlow does not check before it reads or writes there, or ends its process at:
splits that count more values than there are, numbers of rows below 0, outputs of another number.
"""

import numpy as np
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_INDEXES = (tf.int32, tf.int64)


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("RaggedRange"):
    for splits in _INDEXES:
      yield from _range(dtype, splits)
  for dtype in DTYPES:
    yield from _gather(dtype)
    yield from _sparse(dtype)
    yield from _dense(dtype)


def _values(name, shape, dtype):
  return op_values.plain(shape, dtype, np.random.RandomState(seed_of(name)))


def _ints(numbers, dtype):
  return np.array(numbers, dtype.as_numpy_dtype)


def _range(dtype, splits):
  name = f"ops/RaggedRange/{dtype.name}/{splits.name}"
  attrs = {"T": dtype, "Tsplits": splits}

  def probe(starts, limits, deltas, fed=None):
    inputs = [np.array(x, dtype.as_numpy_dtype) for x in (starts, limits, deltas)]
    return Probe("RaggedRange", inputs, attrs, outputs=2, fed=fed)

  probes = [probe([0, 5, 8], [3, 5, 12], 1), probe(0, 3, 1), probe([5, 5], [0, 8], -2),
            probe([], 3, 1), probe(2, [9, 3, 2], [2, 1, 5]), probe([1], [10], [4])]
  if dtype.is_floating:
    probes += [probe(0, 1, 0.25), probe([0.5, -1], 2.25, 0.75), probe(3, 0.1, -0.3)]
  yield Group(name, f"Ranges of {dtype.name}.", probes)
  wrong = [probe([0, 1], [3, 3], [1, 0], True), probe([0, 1], [3, 3, 3], 1, True),
           probe([[0, 1]], 3, 1, True), probe(0, [[3]], 1, True)]
  if dtype.is_floating:
    wrong += [probe(0, np.inf, 1, True), probe(0, np.nan, 1, True)]
  yield Group(f"{name}/wrong", "What does not fit.", wrong)


def _gather(dtype):
  name = f"ops/RaggedGather/{dtype.name}"

  def probe(splits, shape, indices, index=tf.int32, kind=tf.int64, fed=None):
    indices = _ints(indices, index)
    out = len(splits) + indices.ndim - 1
    attrs = {"Tvalues": dtype, "Tindices": index, "Tsplits": kind, "PARAMS_RAGGED_RANK": len(splits),
             "OUTPUT_RAGGED_RANK": out}
    inputs = [_ints(s, kind) for s in splits] + [_values(name, shape, dtype), indices]
    return Probe("RaggedGather", inputs, attrs, outputs=out + 1, fed=fed)

  one, two = [[0, 2, 2, 5]], [[0, 2, 3], [0, 2, 2, 5]]
  yield Group(name, f"Rows of {dtype.name}.", [
      probe(one, (5,), [2, 0, 2]), probe(one, (5, 2), 2, tf.int64), probe(two, (5,), [1, 0]),
      probe(two, (5, 1, 2), 1, kind=tf.int32), probe(one, (5,), [[2, 0], [1, 1]]),
      probe(one, (5,), np.zeros((2, 0))), probe(one, (5, 0), [0, 1]), probe(one, (5,), [])
  ])
  if dtype == tf.float32:
    yield Group(f"{name}/wrong", "What does not fit.", [
        probe(one, (5,), [3], fed=True), probe(one, (5,), [-1], fed=True),
        probe([[0, 9]], (5,), [0], fed=True), probe([[0, 3, 2]], (5,), [0], fed=True),
        probe([[-1, 2]], (5,), [0], fed=True), probe([[]], (5,), [], fed=True)
    ])


def _sparse(dtype):
  name = f"ops/RaggedTensorToSparse/{dtype.name}"

  def probe(splits, shape, kind=tf.int64, fed=None):
    attrs = {"T": dtype, "Tsplits": kind, "RAGGED_RANK": len(splits)}
    inputs = [_ints(s, kind) for s in splits] + [_values(name, shape, dtype)]
    return Probe("RaggedTensorToSparse", inputs, attrs, outputs=3, fed=fed)

  yield Group(name, f"Ragged tensors of {dtype.name} made sparse.", [
      probe([[0, 2, 2, 5]], (5,)), probe([[0, 2, 3], [0, 2, 2, 5]], (5,), tf.int32),
      probe([[0, 2, 3]], (3, 2)), probe([[0, 2, 3]], (3, 0)), probe([[0, 0]], (0,)),
      probe([[0]], (0, 2))
  ])
  if dtype == tf.float32:
    yield Group(f"{name}/wrong", "What does not fit.",
                [probe(s, (5,), fed=True) for s in (
                    [[]], [[1, 5]], [[0, 3, 2, 5]], [[0, 6]], [[0, 4]], [[0, 2], [0, 1, 1, 5]])])


_SPLITS, _IDS, _SIZE = "ROW_SPLITS", "VALUE_ROWIDS", "FIRST_DIM_SIZE"


def _dense(dtype):
  name = f"ops/RaggedTensorToTensor/{dtype.name}"

  def probe(shape, values, default, partitions, kinds=(_SPLITS,), kind=tf.int64, fed=None):
    attrs = {"T": dtype, "Tindex": kind, "Tshape": kind, "row_partition_types": list(kinds),
             "num_row_partition_tensors": len(partitions)}
    inputs = [_ints(shape, kind), _values(name, values, dtype), _values(name + "/d", default, dtype)]
    return Probe("RaggedTensorToTensor", inputs + [_ints(p, kind) for p in partitions], attrs,
                 fed=fed)

  one, ids = [[0, 2, 2, 5]], [4, [0, 0, 2, 2, 3]]
  yield Group(name, f"Ragged tensors of {dtype.name} made dense.", [
      probe(-1, (5,), (), one), probe([5, 2], (5,), (), one, kind=tf.int32),
      probe([1, 7], (5,), (), one), probe([0, 7], (5,), (), one), probe([3, 0], (5,), (), one),
      probe([-1, 2], (5,), (), one), probe(-1, (5,), (), ids, (_SIZE, _IDS)),
      probe([2, -1, 3], (5, 3), (), ids, (_SIZE, _IDS)),
      probe(-1, (5,), (), [[0, 2, 3], [0, 2, 2, 5]], (_SPLITS, _SPLITS)),
      probe([3, 1, -1], (5,), (), [[0, 2, 3], [0, 2, 2, 5]], (_SPLITS, _SPLITS)),
      probe(-1, (5,), (), [[0, 2, 3], [0, 0, 2, 2, 2]], (_SPLITS, _IDS)),
      probe(-1, (5,), (), [2, [0, 0, 1], [0, 0, 2, 2, 2]], (_SIZE, _IDS, _IDS)),
      probe(-1, (3, 2), (2,), [[0, 2, 3]]), probe(-1, (3, 2), (1,), [[0, 2, 3]]),
      probe(-1, (2, 2, 3), (2, 1), [[0, 0, 2]]), probe(-1, (3, 0), (), [[0, 2, 3]]),
      probe(-1, (5,), (), [[0, 2, 3]]), probe(-1, (5,), (), [4, [0, 0, 2]], (_SIZE, _IDS)),
      probe(-1, (0,), (), [[0]]), probe(-1, (0,), (), [[0, 0, 0]]),
      probe([2, 3], (0,), (), [2, []], (_SIZE, _IDS))
  ])
  if dtype != tf.float32:
    return
  yield Group(f"{name}/wrong", "What does not fit.", [
      probe(3, (5,), (), one, fed=True), probe([1, 2, 3], (5,), (), one, fed=True),
      probe([-2, 1], (5,), (), one, fed=True), probe([3, 3, 3], (5, 2), (), one, fed=True),
      probe(-1, (5,), (1,), one, fed=True), probe(-1, (3, 2), (3,), [[0, 2, 3]], fed=True),
      probe(-1, (2, 2, 3), (2,), [[0, 0, 2]], fed=True),
      probe(-1, (5,), (), [[1, 2, 5]], fed=True), probe(-1, (5,), (), [[0, 3, 2, 5]], fed=True),
      probe(-1, (5,), (), [[]], fed=True),
      probe(-1, (5,), (), [4, [0, 0, 2, 2, 7]], (_SIZE, _IDS), fed=True),
      probe(-1, (5,), (), one, ("ROWS",), fed=True), probe(-1, (5,), (), one, (_IDS,), fed=True),
      probe(-1, (5,), (), [one[0], one[0]], (_SPLITS,), fed=True)
  ])
