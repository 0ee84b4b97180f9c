"""Groups for the ops that move elements: Reverse, Roll, Pad, SpaceToBatch, DepthToSpace..."""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import INDEXES
from op_shape import Maker

# What is refused does not depend on the dtype of the elements: two are enough.
_SAMPLES = (tf.float32, tf.int8)


def groups():
  """All groups, in a fixed order."""
  for op in ("ReverseV2", "Reverse", "ReverseSequence", "Roll", "Pad", "PadV2", "MirrorPad",
             "MirrorPadGrad", "ConjugateTranspose", "SpaceToBatchND", "BatchToSpaceND",
             "SpaceToBatch", "BatchToSpace", "SpaceToDepth", "DepthToSpace"):
    maker = _MAKERS[op]
    for dtype in _dtypes_of(op):
      good, _ = maker(op, Maker(f"ops/{op}/{dtype.name}", dtype))
      yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.", good)
    for dtype in _SAMPLES[:1] if op.endswith("ND") else _SAMPLES:
      _, wrong = maker(op, Maker(f"ops/{op}/{dtype.name}/wrong", dtype))
      yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of {dtype.name} that makes no sense.",
                  wrong)
  yield from _long_shifts()


def _dtypes_of(op):
  """TensorFlow's process dies of a ConjugateTranspose of strings."""
  return [d for d in dtypes_of(op) if op != "ConjugateTranspose" or d != tf.string]


def _long_shifts():
  make = Maker("differs/Roll/long-shifts", tf.float32)
  shifts = ((2**33 + 1,), (-2**40 - 3,), (2**63 - 1,), (-2**63,))
  yield Group("differs/Roll/long-shifts",
              "TensorFlow keeps the low 32 bits of an int64 shift; the standard keeps all.", [
                  _roll(make, (5,), s, (0,), tf.int64) for s in shifts
              ])


def _integers(values, index):
  return np.array(values, index.as_numpy_dtype)


def _rows(values, index):
  """Rows of two, also where there are none."""
  return np.array(values, index.as_numpy_dtype).reshape(-1, 2)


def _reverse_v2(op, make):

  def probe(shape, axes, fed=None):
    index = make.index()
    return Probe(op, [make.values(shape), _integers(axes, index)], {
        "T": make.dtype,
        "Tidx": index
    },
                 fed=fed)

  good = (((), []), ((0,), [0]), ((4,), []), ((4,), [0]), ((4,), [-1]), ((2, 3), [0]),
          ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3), [-1, 0]), ((2, 0, 3), [2]), ((2, 3, 2), [1]),
          ((2, 3, 3), [2]), ((4, 2, 3), [1, 2]), ((1, 2, 2, 3), [1, 3]), ((1, 2, 1, 2, 3), [4, 1]),
          ((1, 2, 1, 1, 1, 2, 1, 2), [7, 1]))
  wrong = (((4,), [1]), ((4,), [-2]), ((4,), 0), ((4,), [[0]]), ((4,), [0, 0]), ((2, 3), [1, -1]),
           ((2, 3), [5, 0]), ((), [0]), ((0,), [3]), ((2, 0), [0, 0]), ((2, 0), 0),
           ((1,) * 9, [0]), ((1,) * 9, []))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _reverse(op, make):

  def probe(shape, dims, fed=None):
    return Probe(op, [make.values(shape), np.array(dims, bool)], {"T": make.dtype}, fed=fed)

  good = (((), []), ((0,), [1]), ((4,), [0]), ((4,), [1]), ((2, 3), [1, 0]), ((2, 3), [0, 1]),
          ((2, 3), [1, 1]), ((2, 3), [0, 0]), ((2, 0, 3), [0, 0, 1]), ((4, 2, 3), [0, 1, 0]),
          ((1, 2, 2, 3), [0, 1, 0, 1]), ((2, 1, 2, 1, 2), [1, 0, 1, 0, 1]))
  wrong = (((4,), []), ((4,), [0, 1]), ((4,), True), ((4,), [[1]]), ((), [1]), ((0,), []),
           ((1,) * 9, [0] * 9))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _reverse_sequence(op, make):

  def probe(shape, lengths, seq, batch=0, fed=None):
    index = make.index()
    return Probe(op, [make.values(shape), _integers(lengths, index)], {
        "T": make.dtype,
        "Tlen": index,
        "seq_dim": seq,
        "batch_dim": batch
    },
                 fed=fed)

  good = (((2, 3), [2, 3], 1), ((2, 3), [0, 1], 1), ((3, 2), [3, 2], 0, 1), ((0, 2), [], 1),
          ((2, 0), [0, 0], 1), ((3, 4, 2), [4, 1, 3], 1), ((3, 2, 4), [4, 0, 3], 2),
          ((2, 3, 2), [2, 0, 1], 2, 1), ((2, 3, 2, 2), [1, 2], 2, 3), ((1, 2, 3, 1, 2), [2, 3], 2, 1))
  wrong = (((2, 3), [2], 1), ((2, 3), [4, 1], 1), ((2, 3), [-1, 1], 1), ((2, 3), [2, 3], 0),
           ((2, 3), [2, 3], 2), ((2, 3), [2, 3], 1, 2), ((2, 3), [[2, 3]], 1), ((2, 3), 2, 1),
           ((3,), [1, 1, 1], 1), ((), [], 1), ((2, 3), [2, 3], -1), ((2, 3), [1, 1, 1], 0, -1),
           ((1, 2, 1, 1, 1, 2), [2], 1), ((3,), [1], 0))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _roll(make, shape, shift, axis, index=None, fed=None):
  shift_type, axis_type = index or make.index(), make.index()
  return Probe(
      "Roll",
      [make.values(shape), _integers(shift, shift_type),
       _integers(axis, axis_type)], {
           "T": make.dtype,
           "Tshift": shift_type,
           "Taxis": axis_type
       },
      fed=fed)


def _rolls(_, make):
  good = (((4,), 1, 0), ((4,), -1, 0), ((4,), [7], [0]), ((4,), -9, -1), ((4,), 0, 0), ((4,), [], []),
          ((0,), 3, 0), ((1,), 2, 0), ((2, 3), 1, 1), ((2, 3), [1, -1], [0, 1]),
          ((2, 3), [1, 1, 2], [1, 1, 0]), ((2, 3), [5, -2], [-1, -2]), ((2, 0, 3), 1, 1),
          ((2, 3, 2), [2, 1], [1, 2]), ((1, 2, 1, 2, 3), [1, 1, 2], [1, 3, 4]))
  wrong = (((), 1, 0), ((4,), 1, 1), ((4,), 1, -2), ((4,), [1], 0), ((4,), [1, 1], [0]),
           ((4,), [[1]], [[0]]), ((4,), 1, [0]), ((0,), 1, 1))
  return ([_roll(make, *p) for p in good],
          [_roll(make, *p, fed=True) for p in wrong])


_PADDED = (((), []), ((3,), [1, 2]), ((3,), [0, 0]), ((0,), [2, 1]), ((3,), [0, 3]),
           ((2, 3), [1, 0, 0, 2]), ((2, 3), [1, 1, 1, 1]), ((2, 3), [0, 0, 2, 0]),
           ((2, 0, 2), [0, 1, 0, 0, 1, 0]), ((2, 2, 3), [0, 1, 1, 0, 2, 1]),
           ((1, 2, 1, 2), [1, 0, 0, 1, 1, 1, 0, 0]), ((1, 2, 1, 2, 1), [0, 1, 1, 1, 0, 0, 0, 1, 1, 0]),
           ((1, 1, 1, 1, 1, 2), [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0]))
_WRONG_PADDINGS = (((3,), [[-1, 1]]), ((3,), [[1, -1]]), ((3,), [1, 1]), ((3,), [[1, 1], [0, 0]]),
                   ((2, 3), [[1, 1]]), ((3,), [[1]]), ((3,), [[1, 1, 1]]), ((), [[0, 0]]),
                   ((3,), []), ((3,), 0), ((1,) * 9, [[0, 0]] * 9))


def _pad(op, make):

  def probe(shape, paddings, index, extra=(), fed=None):
    return Probe(op, [make.values(shape), paddings, *extra], {
        "T": make.dtype,
        "Tpaddings": index
    },
                 fed=fed)

  def pad_value(shape=()):
    return (make.values(shape),) if op == "PadV2" else ()

  good = [
      probe(s, _rows(p, index), index, pad_value()) for s, p in _PADDED
      for index in (INDEXES if len(s) < 3 else (make.index(),))
  ]
  wrong = [
      probe(s, _integers(p, tf.int32), tf.int32, pad_value(), fed=True) for s, p in _WRONG_PADDINGS
  ]
  if op == "PadV2":
    wrong += [
        probe((3,), _rows([1, 1], tf.int32), tf.int32, pad_value(s), fed=True) for s in ((1,), (2,))
    ]
    good += [
        probe((), _rows([], tf.int32), tf.int32, (v,))
        for v in op_values.special(make.dtype).reshape(-1)[:2]
    ]
  return good, wrong


def _mirror_pad(op, make):

  def probe(mode, shape, paddings, fed=None):
    index = make.index()
    return Probe(op, [make.values(shape), _integers(paddings, index)], {
        "T": make.dtype,
        "Tpaddings": index,
        "mode": mode
    },
                 fed=fed)

  good = (((3,), [1, 2]), ((3,), [2, 0]), ((3,), [0, 0]), ((2, 3), [1, 0, 0, 2]),
          ((2, 3), [1, 1, 2, 2]), ((2, 3), [0, 0, 0, 0]), ((2, 2, 3), [0, 1, 1, 0, 2, 1]),
          ((2, 2, 1, 2), [1, 0, 0, 1, 0, 0, 1, 1]), ((1, 2, 1, 2, 2), [0, 0, 1, 1, 0, 0, 0, 1, 1, 0]))
  only = (("SYMMETRIC", (3,), [3, 3]), ("SYMMETRIC", (1, 2), [1, 1, 2, 2]), ("SYMMETRIC", (0,), [0, 0]),
          ("SYMMETRIC", (2, 0), [1, 1, 0, 0]), ("REFLECT", (4,), [3, 3]), ("SYMMETRIC", (), []),
          ("REFLECT", (), []))
  wrong = _WRONG_PADDINGS + (((3,), [[4, 0]]), ((3,), [[0, 4]]), ((0,), [[0, 1]]), ((0,), [[0, 0]]),
                             ((2, 0), [[1, 1], [0, 0]]), ((3,), [[3, 0]]), ((1,) * 6, [[0, 0]] * 6))
  modes = ("REFLECT", "SYMMETRIC")
  return ([probe(m, s, np.reshape(p, (-1, 2))) for s, p in good for m in modes] +
          [probe(m, s, np.reshape(p, (-1, 2))) for m, s, p in only],
          [probe(m, s, p, fed=True) for s, p in wrong for m in modes])


def _mirror_pad_grad(op, make):

  def probe(mode, shape, paddings, fed=None):
    index = make.index()
    values = make.values(shape)
    tolerance = op_tolerance.summed(make.dtype, np.abs(values.astype(np.complex128)).sum())
    return Probe(op, [values, _integers(paddings, index)], {
        "T": make.dtype,
        "Tpaddings": index,
        "mode": mode
    },
                 tolerance=tolerance,
                 fed=fed)

  good = (((5,), [1, 1]), ((5,), [0, 2]), ((3,), [0, 0]), ((4, 3), [1, 1, 1, 0]),
          ((4, 5), [1, 0, 1, 2]), ((3, 4, 3), [1, 0, 1, 1, 1, 0]), ((3, 2, 4, 3), [1, 0, 0, 0, 1, 1, 0, 1]),
          ((3, 1, 3, 3, 1), [1, 0, 0, 0, 0, 1, 1, 0, 0, 0]))
  only = (("SYMMETRIC", (6,), [2, 2]), ("SYMMETRIC", (3, 4), [1, 1, 1, 1]), ("SYMMETRIC", (0,), [0, 0]),
          ("SYMMETRIC", (), []), ("REFLECT", (), []))
  wrong = _WRONG_PADDINGS + (((3,), [[2, 2]]), ((3,), [[2, 0]]), ((3,), [[1, 1]]), ((0,), [[0, 0]]),
                             ((0,), [[1, 0]]), ((1,) * 6, [[0, 0]] * 6))
  modes = ("REFLECT", "SYMMETRIC")
  return ([probe(m, s, np.reshape(p, (-1, 2))) for s, p in good for m in modes] +
          [probe(m, s, np.reshape(p, (-1, 2))) for m, s, p in only],
          [probe(m, s, p, fed=True) for s, p in wrong for m in modes])


def _transpose(op, make):

  def probe(shape, order, fed=None):
    index = make.index()
    return Probe(op, [make.values(shape), _integers(order, index)], {
        "T": make.dtype,
        "Tperm": index
    },
                 fed=fed)

  good = (((), []), ((4,), [0]), ((2, 3), [0, 1]), ((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]),
          ((2, 0, 3), [1, 2, 0]), ((1, 2, 3, 2), [0, 3, 1, 2]), ((2, 1, 1, 3), [1, 0, 3, 2]),
          ((1, 2, 1, 3, 2), [4, 0, 2, 1, 3]), ((2, 3), [-1, -2]))
  wrong = (((2, 3), [0]), ((2, 3), [0, 0]), ((2, 3), [0, 2]), ((2, 3), [-3, 0]), ((), [0]),
           ((2, 3), [[0, 1]]))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _blocks_nd(op, make):
  """All Const: TensorFlow loads no block_shape of unknown rank."""
  margins = "Tpaddings" if op == "SpaceToBatchND" else "Tcrops"

  def probe(shape, block, rows):
    block_type, rows_type = make.index(), make.index()
    return Probe(op, [make.values(shape),
                      _integers(block, block_type),
                      _integers(rows, rows_type)], {
                          "T": make.dtype,
                          "Tblock_shape": block_type,
                          margins: rows_type
                      },
                 fed=False)

  none = np.zeros((0, 2))
  if op == "SpaceToBatchND":
    good = (((1, 4), [2], [[0, 0]]), ((2, 4), [2], [[1, 1]]), ((2, 3), [2], [[1, 0]]),
            ((2, 4), [1], [[0, 2]]), ((1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]),
            ((2, 3, 4, 2), [2, 3], [[1, 0], [1, 1]]), ((1, 2, 4, 2), [1, 2], [[0, 0], [0, 0]]),
            ((2, 2, 3), [2, 1], [[0, 0], [0, 0]]), ((1, 2, 1, 4, 3), [2, 1, 2], [[0, 0]] * 3),
            ((0, 4), [2], [[0, 0]]), ((2, 0, 3), [2], [[2, 2]]), ((2, 4, 0), [2], [[0, 0]]),
            ((3,), [], none), ((2, 2), [], none), ((1, 2, 2, 2, 4), [2, 1, 1, 2], [[0, 0]] * 4),
            ((1, 4), [4], [[0, 0]]), ((1, 1), [5], [[2, 2]]))
    wrong = (((1, 4), [3], [[0, 0]]), ((1, 4), [0], [[0, 0]]), ((1, 4), [-1], [[0, 0]]),
             ((1, 4), [2], [[-1, 1]]), ((1, 4), [2], [[0, 0], [0, 0]]), ((1, 4), [2, 2], [[0, 0], [0, 0]]),
             ((4,), [2], [[0, 0]]), ((), [], none), ((1, 4), 2, [[0, 0]]), ((1, 4), [2], [0, 0]),
             ((1, 4), [2], [[0]]), ((1, 4), [[2]], [[0, 0]]), ((0, 3), [2], [[0, 0]]))
  else:
    good = (((2, 2), [2], [[0, 0]]), ((4, 2), [2], [[1, 1]]), ((4, 2), [2], [[0, 3]]),
            ((2, 4), [1], [[0, 2]]), ((4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]),
            ((6, 2, 2, 2), [2, 3], [[1, 0], [1, 2]]), ((2, 2, 2, 2), [1, 2], [[0, 0], [0, 0]]),
            ((4, 1, 3), [2, 1], [[0, 0], [0, 0]]), ((4, 1, 1, 2, 3), [2, 1, 2], [[0, 0]] * 3),
            ((0, 4), [2], [[0, 0]]), ((2, 0, 3), [2], [[0, 0]]), ((2, 2), [2], [[2, 2]]),
            ((3,), [], none), ((2, 2), [], none), ((4, 1, 2, 2, 2), [2, 1, 1, 2], [[0, 0]] * 4),
            ((4, 2), [4], [[1, 0]]))
    wrong = (((3, 4), [2], [[0, 0]]), ((2, 4), [0], [[0, 0]]), ((2, 4), [-1], [[0, 0]]),
             ((2, 4), [2], [[-1, 1]]), ((2, 4), [2], [[5, 4]]), ((2, 4), [2], [[0, 0], [0, 0]]),
             ((4, 4), [2, 2], [[0, 0], [0, 0]]), ((4,), [2], [[0, 0]]), ((), [], none),
             ((2, 4), 2, [[0, 0]]), ((2, 4), [2], [0, 0]), ((2, 4), [2], [[0]]),
             ((2, 4), [[2]], [[0, 0]]), ((2, 0), [2], [[1, 0]]))
  return [probe(*p) for p in good], [probe(*p) for p in wrong]


def _square_blocks(op, make):
  margins = "Tpaddings" if op == "SpaceToBatch" else "Tidx"

  def probe(shape, rows, size=2, fed=None):
    index = make.index()
    return Probe(op, [make.values(shape), _integers(rows, index)], {
        "T": make.dtype,
        margins: index,
        "block_size": size
    },
                 fed=fed)

  zero = [[0, 0], [0, 0]]
  if op == "SpaceToBatch":
    good = (((1, 2, 2, 1), zero), ((2, 4, 2, 2), zero), ((1, 3, 2, 2), [[1, 0], [2, 0]]),
            ((1, 3, 3, 1), zero, 3), ((0, 2, 2, 1), zero), ((1, 2, 2, 0), zero))
    wrong = (((1, 3, 2, 1), zero), ((2, 2, 1), zero), ((1, 1, 2, 2, 1), zero), ((1, 2, 2, 1), [[0, 0]]),
             ((1, 2, 2, 1), [0, 0, 0, 0]), ((1, 2, 2, 1), [[-1, 1], [0, 0]]), ((1, 2, 2, 1), zero, 3))
  else:
    good = (((4, 1, 1, 1), zero), ((8, 2, 1, 2), zero), ((4, 2, 2, 2), [[1, 0], [2, 0]]),
            ((9, 1, 1, 1), zero, 3), ((0, 2, 2, 1), zero), ((4, 2, 2, 0), zero),
            ((4, 1, 1, 1), [[1, 1], [0, 0]]))
    wrong = (((3, 1, 2, 1), zero), ((4, 2, 1), zero), ((4, 1, 2, 2, 1), zero), ((4, 2, 2, 1), [[0, 0]]),
             ((4, 2, 2, 1), [0, 0, 0, 0]), ((4, 2, 2, 1), [[-1, 1], [0, 0]]), ((4, 2, 2, 1), zero, 3),
             ((4, 1, 1, 1), [[2, 1], [0, 0]]))
  return ([probe(*p) for p in good],
          [probe(*p, fed=True) for p in wrong])


def _depth(op, make):

  def probe(shape, size=2, data_format="NHWC", fed=None):
    return Probe(op, [make.values(shape)], {
        "T": make.dtype,
        "block_size": size,
        "data_format": data_format
    },
                 fed=fed)

  if op == "SpaceToDepth":
    good = (((1, 2, 2, 1),), ((2, 4, 2, 3),), ((1, 3, 6, 2), 3), ((0, 2, 2, 1),), ((1, 0, 2, 1),),
            ((1, 2, 2, 0),))
    wrong = (((1, 3, 2, 1),), ((1, 2, 3, 1),), ((2, 2, 1),), ((1, 1, 2, 2, 1),), ((),), ((1, 2, 2, 1), 3))
  else:
    good = (((1, 1, 1, 4),), ((2, 2, 1, 8),), ((1, 1, 2, 18), 3), ((0, 2, 2, 4),), ((1, 0, 2, 4),),
            ((1, 2, 2, 0),))
    wrong = (((1, 1, 2, 3),), ((2, 2, 4),), ((1, 1, 2, 2, 4),), ((),), ((1, 2, 2, 4), 3))
  return ([probe(*p) for p in good],
          [probe(*p, fed=True) for p in wrong])


_MAKERS = {
    "ReverseV2": _reverse_v2,
    "Reverse": _reverse,
    "ReverseSequence": _reverse_sequence,
    "Roll": _rolls,
    "Pad": _pad,
    "PadV2": _pad,
    "MirrorPad": _mirror_pad,
    "MirrorPadGrad": _mirror_pad_grad,
    "ConjugateTranspose": _transpose,
    "SpaceToBatchND": _blocks_nd,
    "BatchToSpaceND": _blocks_nd,
    "SpaceToBatch": _square_blocks,
    "BatchToSpace": _square_blocks,
    "SpaceToDepth": _depth,
    "DepthToSpace": _depth,
}
