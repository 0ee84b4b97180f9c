"""Groups for the ops that pick, repeat or make elements: Slice, StridedSlice, GatherV2, Tile..."""

import numpy as np
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("Slice"):
    yield from _slice(dtype)
  for dtype in dtypes_of("StridedSlice"):
    yield from _strided_slice(dtype)
  yield from _random_strided_slices()
  for dtype in dtypes_of("GatherV2", "Tparams"):
    yield from _gather(dtype)
  for dtype in DTYPES:
    if dtype != tf.uint16:  # registered for every dtype, but the kernel lacks this one
      yield from _tile(dtype)
  for dtype in dtypes_of("Fill"):
    yield from _fill(dtype)
  for dtype in dtypes_of("BroadcastTo"):
    yield from _broadcast_to(dtype)
  for dtype in dtypes_of("Range", "Tidx"):  # half has a kernel, but the op does not take it
    if dtype != tf.half:
      yield from _range(dtype)


def _integers(values, index):
  return np.array(values, index.as_numpy_dtype)


_SLICES = (((), [], []), ((4,), [0], [4]), ((4,), [1], [2]), ((4,), [1], [-1]), ((4,), [4], [0]),
           ((4,), [4], [-1]), ((0,), [0], [0]), ((0,), [0], [-1]), ((2, 3), [0, 1], [2, 2]),
           ((2, 3), [1, 0], [1, -1]), ((2, 3), [0, 0], [-1, -1]), ((2, 3), [2, 3], [0, 0]),
           ((3, 2, 2), [1, 0, 1], [2, 1, 1]), ((2, 0, 3), [0, 0, 1], [1, 0, 2]),
           ((1, 3, 1, 2), [0, 1, 0, 1], [1, -1, 1, 1]), ((1, 2, 1, 3, 2), [0] * 5, [1, 1, 1, 2,
                                                                                    -1]))
_WRONG_SLICES = (((4,), [5], [0]), ((4,), [-1], [1]), ((4,), [2], [3]), ((4,), [0], [-2]),
                 ((4,), [0, 0], [1, 1]), ((4,), [0], [1, 1]), ((4,), [[0]], [[1]]), ((), [0], [1]),
                 ((2, 3), [0], [1]), ((2, 3), [0, 2], [2, 2]), ((4,), 0, 1))


def _slice(dtype):
  name = f"ops/Slice/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, begin, size, index, fed=None):
    return Probe(
        "Slice",
        [make.values(shape), _integers(begin, index),
         _integers(size, index)], {
             "T": dtype,
             "Index": index
         },
        fed=fed)

  for index in INDEXES:
    yield Group(f"{name}/{index.name}", f"Slice of {dtype.name}; size -1 is the rest.",
                [probe(s, b, z, index) for s, b, z in _SLICES])
  yield Group(f"{name}/wrong", f"Slice of {dtype.name} beyond its bounds.",
              [probe(s, b, z, make.index(), fed=True) for s, b, z in _WRONG_SLICES])


# (shape, begin, end, strides, {mask: bits})
_STRIDED = (((5,), [0], [5], [1], {}), ((5,), [1], [4], [2], {}), ((5,), [4], [0], [-1], {}),
            ((5,), [-1], [-6], [-2], {}), ((5,), [-100], [100], [1], {}), ((5,), [100], [-100],
                                                                           [-1], {}),
            ((5,), [3], [3], [1], {}), ((5,), [3], [1], [1], {}), ((5,), [2], [3], [1], {
                "shrink": 1
            }), ((5,), [-1], [0], [1], {
                "shrink": 1
            }), ((5,), [2], [9], [1], {
                "begin": 1
            }), ((5,), [2], [0], [1], {
                "end": 1
            }), ((5,), [2], [0], [-1], {
                "begin": 1,
                "end": 1
            }), ((5,), [0], [0], [1], {
                "new_axis": 1
            }), ((), [0], [0], [1], {
                "new_axis": 1
            }), ((), [], [], [], {}), ((), [0], [0], [1], {
                "ellipsis": 1
            }), ((0,), [0], [0], [1], {}), ((0,), [0], [5], [1], {
                "begin": 1,
                "end": 1
            }), ((2, 3), [0], [1], [1], {}), ((2, 3), [1], [2], [1], {
                "shrink": 1
            }), ((2, 3), [0, 1], [2, 3], [1, 1], {}), ((2, 3), [0, 1], [0, 2], [1, 1], {
                "shrink": 3
            }), ((2, 3), [1, 0], [0, 3], [-1, 2], {
                "end": 1
            }), ((2, 3), [0, -1], [0, 0], [1, -1], {
                "begin": 1,
                "end": 3
            }), ((2, 3, 4), [0, 1], [0, 3], [1, 2], {
                "ellipsis": 1
            }), ((2, 3, 4), [1, 0, 2], [2, 0, 3], [1, 1, 1], {
                "ellipsis": 2,
                "shrink": 5
            }), ((2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], {
                "new_axis": 1,
                "begin": 2,
                "end": 2
            }), ((2, 3, 4), [0, 0, 0], [0, 0, 0], [1, 1, 1], {
                "new_axis": 4,
                "ellipsis": 2,
                "shrink": 1
            }), ((2, 3, 4), [0, 0], [0, 0], [1, 1], {
                "new_axis": 3
            }), ((2, 3, 4), [1], [2], [1], {
                "shrink": 1,
                "ellipsis": 0
            }), ((2, 3, 4), [0, 0, 3], [2, 3, 0], [1, 1, -2],
                 {}), ((2, 0, 3), [0, 0, 1], [2, 1, 3], [1, 1, 1],
                       {}), ((1, 2, 1, 3), [0, 1, 0, -2], [1, 2, 1, 3], [1, 1, 1, 1], {
                           "shrink": 2
                       }), ((2, 1, 2, 1, 3), [0, 0], [0, 2], [1, 1], {
                           "ellipsis": 1
                       }), ((3,), [0, 0], [2, 0], [1, 1], {
                           "ellipsis": 2
                       }), ((3,), [1, 1], [3, 1], [1, 1], {
                           "new_axis": 2,
                           "shrink": 2
                       }))
_WRONG_STRIDED = (((5,), [0], [5], [0], {}), ((5,), [5], [6], [1], {
    "shrink": 1
}), ((5,), [-6], [0], [1], {
    "shrink": 1
}), ((5,), [0, 0], [1, 1], [1, 1], {}), ((5,), [0], [1, 1], [1], {}),
                  ((5,), [[0]], [[1]], [[1]], {}), ((5,), [0], [1], [-1], {
                      "shrink": 1
                  }), ((2, 3), [0, 0], [0, 0], [1, 1], {
                      "ellipsis": 3
                  }), ((), [0], [1], [1], {
                      "shrink": 1
                  }), ((0,), [0], [1], [1], {
                      "shrink": 1
                  }), ((2, 3), [0, 3], [2, 4], [1, 1], {
                      "shrink": 2
                  }), ((5,), 0, 1, 1, {}))


def _strided_probe(make, case, index, fed=None):
  shape, begin, end, strides, masks = case
  attrs = {"T": make.dtype, "Index": index}
  attrs.update({f"{k}{'_axis' if k == 'shrink' else ''}_mask": bits for k, bits in masks.items()})
  inputs = [make.values(shape)] + [_integers(v, index) for v in (begin, end, strides)]
  return Probe("StridedSlice", inputs, attrs, fed=fed)


def _strided_slice(dtype):
  name = f"ops/StridedSlice/{dtype.name}"
  make = Maker(name, dtype)
  half = len(_STRIDED) // 2
  for index in INDEXES:
    for part, cases in enumerate((_STRIDED[:half], _STRIDED[half:])):
      yield Group(f"{name}/{index.name}-{part}", f"StridedSlice of {dtype.name}, with its masks.",
                  [_strided_probe(make, c, index) for c in cases])
  yield Group(f"{name}/wrong", f"StridedSlice of {dtype.name} that makes no sense.",
              [_strided_probe(make, c, make.index(), fed=True) for c in _WRONG_STRIDED])


def _random_strided_slices():
  """All masks at random, as few people would write them."""
  for number in range(60):
    name = f"ops/StridedSlice/random/{number:02d}"
    random = np.random.RandomState(seed_of(name))
    dtype = (tf.int32, tf.float32, tf.string, tf.int64)[number % 4]
    make = Maker(name, dtype)
    probes = []
    for _ in range(10):
      rank = random.randint(0, 5)
      shape = tuple(
          random.randint(0, 4, rank) if random.rand() < 0.2 else random.randint(1, 5, rank))
      entries = random.randint(0, rank + 2)
      begin, end = random.randint(-5, 6, entries), random.randint(-5, 6, entries)
      strides = random.choice([1, 1, 1, 2, -1, -2, 3], entries)
      masks = {
          k: int(random.randint(0, 2**entries)) if random.rand() < share else 0
          for k, share in (("begin", .5), ("end", .5), ("new_axis", .4), ("shrink", .4))
      }
      if entries and random.rand() < 0.4:
        masks["ellipsis"] = 1 << int(random.randint(0, entries))
      probes.append(_strided_probe(make, (shape, begin, end, strides, masks), make.index()))
    yield Group(name, "StridedSlice with random bounds, strides and masks.", probes)


def _gather(dtype):
  name = f"ops/GatherV2/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, indices, axis=0, batch=0, index=None, fed=None):
    index, axis_type = index or make.index(), make.index()
    return Probe("GatherV2",
                 [make.values(shape),
                  _integers(indices, index),
                  _integers(axis, axis_type)], {
                      "Tparams": dtype,
                      "Tindices": index,
                      "Taxis": axis_type,
                      "batch_dims": batch
                  },
                 fed=fed)

  plain = (((4,), 2), ((4,), [3, 0, 0]), ((4,), []), ((4,), [[1, 2], [3, 0]]), ((0,), []),
           ((2, 3), 1), ((2, 3), [1, 0, 1]), ((2, 3), [[0], [1]]), ((3, 0), [2, 0]),
           ((2, 2, 3), [1]), ((2, 1, 2, 2), [[1, 0]]), ((1,), [0] * 5))
  axes = (((2, 3), [2, 0], 1), ((2, 3), 1, 1), ((2, 3), [0, 0], -1), ((2, 3), [1], -2),
          ((2, 3, 4), [[3, 0], [1, 1]], 2), ((2, 3, 4), [], 1), ((2, 3, 4), [2, 0], 1),
          ((2, 0, 3), [1], 2), ((1, 2, 1, 3), [2, 1], 3))
  batches = (((2, 3), [[0, 2], [1, 1]], 1, 1), ((2, 3), [2, 0], 1, 1), ((2, 3, 2), [[0],
                                                                                    [2]], 1, 1),
             ((2, 3, 2), [[1, 0], [0, 1]], 2, 1), ((2, 2, 3), [[[0], [2]], [[1], [1]]], 2, 2),
             ((2, 2, 3), [[0, 1], [2, 2]], 2, -1), ((2, 3), [[2], [0]], -1, -1))
  wrong = (((4,), [4]), ((4,), [-1]), ((4,), [0, 9]), ((0,), [0]), ((), 0), ((2, 3), [2]),
           ((2, 3), [3], 1), ((2, 3), [0], 2), ((2, 3), [0], -3), ((2, 3), [0], [0]),
           ((2, 3), [0], [0, 1]), ((2, 3), [0], 0, 1), ((2, 3), [[0], [1],
                                                                 [2]], 1, 1), ((2, 3), [[0]], 1, 2))
  for index in INDEXES:
    yield Group(f"{name}/{index.name}", f"GatherV2 of {dtype.name} along axis 0.",
                [probe(*p, index=index) for p in plain])
  yield Group(f"{name}/axes", f"GatherV2 of {dtype.name} along other axes.",
              [probe(*p) for p in axes])
  yield Group(f"{name}/batches", f"GatherV2 of {dtype.name} with batch_dims.",
              [probe(*p) for p in batches])
  yield Group(f"{name}/wrong", f"GatherV2 of {dtype.name} out of range.",
              [probe(*p, fed=True) for p in wrong])


def _tile(dtype):
  name = f"ops/Tile/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, multiples, fed=None):
    index = make.index()
    return Probe("Tile", [make.values(shape), _integers(multiples, index)], {
        "T": dtype,
        "Tmultiples": index
    },
                 fed=fed)

  yield Group(name, f"Tile of {dtype.name}.", [
      probe(s, m) for s, m in (((), []), ((3,), [1]), ((3,), [4]), ((3,), [0]), ((0,), [3]),
                               ((2, 3), [1, 2]), ((2, 3), [2, 1]), ((2, 3), [2, 3]),
                               ((2, 3), [0, 2]), ((1, 2, 2), [3, 1, 2]), ((2, 0, 1), [2, 2, 2]),
                               ((1, 2, 1, 2), [2, 1, 3, 1]), ((2, 1, 2, 1, 1), [1, 2, 1, 1, 3]))
  ])
  yield Group(f"{name}/wrong", f"Tile of {dtype.name} with multiples that do not fit.", [
      probe(s, m, fed=True) for s, m in (((3,), [-1]), ((3,), [1, 2]), ((3,), []), ((2, 3), [2]),
                                         ((), [2]), ((3,), [[2]]), ((3,), 2))
  ])


def _fill(dtype):
  name = f"ops/Fill/{dtype.name}"
  make = Maker(name, dtype)

  def probe(dims, value_shape=(), fed=None):
    index = make.index()
    return Probe("Fill", [_integers(dims, index), make.values(value_shape)], {
        "T": dtype,
        "index_type": index
    },
                 fed=fed)

  yield Group(
      name, f"Fill with {dtype.name}.",
      [probe(d) for d in ([], [0], [1], [5], [2, 3], [2, 0, 3], [1, 2, 1, 2], [2, 1, 1, 1, 2])])
  yield Group(f"{name}/wrong", f"Fill with {dtype.name} of a shape or value that is none.", [
      probe([-1], fed=True),
      probe([2, -3], fed=True),
      probe(2, fed=True),
      probe([[2]], fed=True),
      probe([2], (1,), fed=True),
      probe([2], (2,), fed=True)
  ])


def _broadcast_to(dtype):
  name = f"ops/BroadcastTo/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, target, fed=None):
    index = make.index()
    return Probe("BroadcastTo", [make.values(shape), _integers(target, index)], {
        "T": dtype,
        "Tidx": index
    },
                 fed=fed)

  yield Group(name, f"BroadcastTo of {dtype.name}.", [
      probe(s, t)
      for s, t in (((), []), ((), [3]), ((), [2, 3]), ((), [0]), ((1,), [4]), ((3,), [3]),
                   ((3,), [2, 3]), ((1,), [0]), ((0,), [2, 0]), ((2, 1), [2, 3]), ((1, 3), [2, 3]),
                   ((2, 1), [4, 2, 3]), ((1, 2, 1), [3, 2, 2]), ((1, 1, 2, 1), [2, 3, 2, 2]),
                   ((2, 1), [1, 3, 1, 2, 2]))
  ])
  yield Group(f"{name}/wrong", f"BroadcastTo of {dtype.name} to shapes it does not reach.", [
      probe(s, t, fed=True)
      for s, t in (((3,), [2]), ((3,), []), ((2, 3), [3]), ((3,), [3, 2]), ((2,), [0]),
                   ((3,), [-1]), ((3,), 3), ((3,), [[3]]), ((2, 3), [2, 1]))
  ])


def _range(dtype):
  name = f"ops/Range/{dtype.name}"

  def probe(start, limit, delta, fed=None):
    return Probe("Range", [op_values.array(v, dtype) for v in (start, limit, delta)],
                 {"Tidx": dtype},
                 fed=fed)

  yield Group(name, f"Range of {dtype.name}, up and down, empty and not.", [
      probe(*p) for p in ((0, 5, 1), (0, 5, 2), (0, 6, 2), (5, 0, -1), (5, 0, -2), (-3, 3, 3),
                          (0, 0, 1), (0, 0, -1), (3, -3, -2), (10, 100, 30), (0, 1, 5))
  ])
  if dtype.is_floating:
    yield Group(f"{name}/fractions", f"Range of {dtype.name} with fractions.", [
        probe(*p)
        for p in ((0, 1, 0.25), (0.5, 2.5, 0.5), (1, -1, -0.75), (0, 1, 0.375), (0.5, 0.75, 1))
    ])
  else:
    low, high = np.iinfo(dtype.as_numpy_dtype).min, np.iinfo(dtype.as_numpy_dtype).max
    yield Group(f"{name}/ends", f"Range of {dtype.name} at the ends of the dtype.", [
        probe(*p)
        for p in ((high - 3, high, 1), (low, low + 3, 1), (low + 3, low, -2), (high - 5, high, 3))
    ])
  wrong = [
      probe(0, 5, 0, True),
      probe(0, 5, -1, True),
      probe(5, 0, 1, True),
      probe([0], 5, 1, True),
      probe(0, [5], 1, True),
      probe(0, 5, [1, 1], True),
      probe(3, 3, 0, True)
  ]
  yield Group(f"{name}/wrong", f"Range of {dtype.name} that does not end, or of vectors.", wrong)
