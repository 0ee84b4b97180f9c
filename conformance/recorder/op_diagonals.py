"""Groups for the ops on diagonals: MatrixDiag, MatrixDiagPart, MatrixSetDiag, MatrixBandPart..."""

import numpy as np
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_ALIGNS = ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT")
_SAMPLES = (tf.float32, tf.int8)


def groups():
  """All groups, in a fixed order."""
  for op, maker in (("MatrixDiag", _diag_v1), ("MatrixDiagV2", _diag), ("MatrixDiagV3", _diag),
                    ("MatrixDiagPart", _part_v1), ("MatrixDiagPartV2", _part),
                    ("MatrixDiagPartV3", _part), ("MatrixSetDiag", _set_v1),
                    ("MatrixSetDiagV2", _set), ("MatrixSetDiagV3", _set),
                    ("MatrixBandPart", _band), ("Diag", _whole), ("DiagPart", _whole_part)):
    for dtype in dtypes_of(op):
      good, _ = maker(op, Maker(f"ops/{op}/{dtype.name}", dtype))
      yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.", good)
    for dtype in (d for d in _SAMPLES if d in dtypes_of(op)):
      _, wrong = maker(op, Maker(f"ops/{op}/{dtype.name}/wrong", dtype))
      yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of {dtype.name} that makes no sense.",
                  wrong)


def _int(value):
  return np.array(value, np.int32)


def _aligned(op, probe, cases):
  """Each case in every alignment, where the op has any."""
  if not op.endswith("V3"):
    return [probe(*case) for case in cases]
  return [probe(*case, align=_ALIGNS[(i + j) % 4]) for i, case in enumerate(cases) for j in (0, 1)]


def _attrs(make, align):
  return {"T": make.dtype, **({"align": align} if align else {})}


def _diag_v1(op, make):
  shapes = ((3,), (0,), (1,), (2, 3), (2, 0), (0, 3), (2, 1, 3), (1, 2, 1, 2))
  return ([Probe(op, [make.values(s)], {"T": make.dtype}) for s in shapes],
          [Probe(op, [make.values(())], {"T": make.dtype}, fed=True)])


def _diag(op, make):

  def probe(shape, k, rows=-1, cols=-1, padding=(), align=None, fed=None):
    return Probe(
        op, [make.values(shape), _int(k), _int(rows),
             _int(cols), make.values(padding)],
        _attrs(make, align),
        fed=fed)

  good = (((3,), 0), ((3,), [0]), ((3,), 1), ((3,), -2), ((3,), [1, 1]), ((2, 3), 0), ((2, 3), [0, 1]),
          ((2, 3), [-1, 0]), ((3, 3), [-1, 1]), ((2, 2), [1, 2]), ((3, 2), [-3, -1]), ((3,), 0, 3, 5),
          ((3,), 0, 5, 3), ((3,), 0, 5), ((3,), 0, -1, 4), ((3,), 1, 3), ((3,), 1, -1, 4),
          ((3,), -1, 4, 6), ((3, 3), [-1, 1], 3, 4), ((3, 3), [-1, 1], 5, 3), ((2, 3, 2), [-1, 1]),
          ((2, 4, 3), [-1, 2], 3, 5), ((1, 2, 2, 2), [0, 1]), ((0,), 0), ((2, 0), 0), ((0,), 2),
          ((0, 2), 0), ((4, 2), [-2, 1]), ((5, 2), [-2, 2], 2, 3), ((7, 1), [-3, 3]))
  wrong = (((), 0), ((3,), [1, 0]), ((3,), []), ((3,), [0, 1, 2]), ((3,), [[0]]), ((3, 3), [0, 1]),
           ((3,), 0, 2), ((3,), 0, -1, 2), ((3,), 0, 4, 4), ((3,), 1, 2), ((3,), 0, -2), ((3,), 0, 3, -5),
           ((4, 3), [-1, 2], 4, 5), ((3,), 0, [3]), ((3,), 0, 3, [3]), ((3,), 0, -1, -1, (1,)), ((3,), 0, -1, -1, (2,)))
  # More than one diagonal of a vector is left out: TensorFlow's process dies of it.
  return _aligned(op, probe, good), [probe(*p, fed=True) for p in wrong]


_MATRICES = ((3, 3), (2, 4), (4, 2), (1, 1), (2, 3, 3), (1, 2, 2, 3), (2, 1, 2, 3, 2))


def _part_v1(op, make):
  shapes = _MATRICES + ((0, 0), (0, 3), (2, 0), (2, 3, 0), (0, 2, 2))
  return ([Probe(op, [make.values(s)], {"T": make.dtype}) for s in shapes],
          [Probe(op, [make.values(s)], {"T": make.dtype}, fed=True) for s in ((), (3,))])


_BANDS = (((3, 3), 0), ((3, 3), 1), ((3, 3), -2), ((3, 3), [0, 0]), ((3, 3), [1]), ((3, 3), [-1, 1]),
          ((3, 3), [-2, 2]), ((2, 4), [-1, 3]), ((2, 4), [1, 2]), ((4, 2), [-3, 1]), ((4, 2), [-3, -2]),
          ((2, 3, 3), [0, 1]), ((1, 2, 2, 3), [-1, 0]), ((2, 1, 2, 3, 2), [-2, 1]), ((2, 1, 2, 3, 2), -1),
          ((0, 0), 0), ((0, 3), 0), ((0, 3), [0, 2]), ((3, 0), [-2, 0]), ((0, 2, 2), [-1, 1]), ((1, 1), 0))
_WRONG_BANDS = (((3, 3), 3), ((3, 3), -3), ((3, 3), [0, 3]), ((3, 3), [-3, 0]), ((3, 3), [1, 0]),
                ((3, 3), []), ((3, 3), [0, 1, 2]), ((3, 3), [[0]]), ((3,), 0), ((), 0), ((0, 0), 1),
                ((0, 3), -1), ((3, 3), [-2**31, 2**31 - 1]))


def _part(op, make):

  def probe(shape, k, padding=(), align=None, fed=None):
    return Probe(op, [make.values(shape), _int(k), make.values(padding)],
                 _attrs(make, align),
                 fed=fed)

  return _aligned(op, probe, _BANDS), [
      probe(*p, fed=True) for p in _WRONG_BANDS + (((3, 3), 0, (1,)), ((3, 3), 0, (2,)))
  ]


def _set_v1(op, make):

  def probe(shape, diagonal, fed=None):
    return Probe(op, [make.values(shape), make.values(diagonal)], {"T": make.dtype}, fed=fed)

  good = [probe(s, s[:-2] + (min(s[-2:]),)) for s in _MATRICES + ((0, 0), (0, 3), (2, 3, 0))]
  wrong = (((3, 3), (2,)), ((3, 3), (4,)), ((2, 4), (4,)), ((3,), (3,)), ((3, 3), ()), ((), ()),
           ((2, 3, 3), (3,)), ((2, 3, 3), (1, 3)), ((3, 3), (1, 3)), ((0, 3), (3,)))
  return good, [probe(*p, fed=True) for p in wrong]


def _set(op, make):

  def probe(shape, k, diagonal=None, align=None, fed=None):
    if diagonal is None:
      low, high = (k[0], k[-1]) if isinstance(k, list) else (k, k)
      length = min(shape[-2] + min(high, 0), shape[-1] - max(low, 0))
      diagonal = shape[:-2] + ((length,) if low == high else (high - low + 1, length))
    return Probe(op, [make.values(shape), make.values(diagonal), _int(k)],
                 _attrs(make, align),
                 fed=fed)

  wrong = [(s, k, (3,)) for s, k in _WRONG_BANDS]
  wrong += [((3, 3), 0, (2,)), ((3, 3), 0, (1, 3)), ((3, 3), [0, 1], (3,)), ((3, 3), [0, 1], (3, 3)),
            ((3, 3), [0, 1], (2, 2)), ((2, 3, 3), 0, (3,)), ((2, 3, 3), [0, 1], (2, 3)), ((3, 3), 0, ())]
  return _aligned(op, probe, _BANDS), [probe(*p, fed=True) for p in wrong]


def _band(op, make):

  def probe(shape, lower, upper, fed=None):
    index = (tf.int32, tf.int64)[make.coin()]
    integers = [np.array(v, index.as_numpy_dtype) for v in (lower, upper)]
    return Probe(op, [make.values(shape), *integers], {
        "T": make.dtype,
        "Tindex": index
    },
                 fed=fed)

  good = (((3, 3), 0, 0), ((3, 3), -1, 0), ((3, 3), 0, -1), ((3, 3), 1, 1), ((3, 3), -1, -1),
          ((3, 3), 3, 3), ((2, 4), 0, 2), ((4, 2), 2, 0), ((4, 2), -5, 1), ((2, 3, 3), 1, 0),
          ((1, 2, 2, 3), 0, 1), ((0, 0), 0, 0), ((0, 3), 0, 1), ((3, 0), 2, 0), ((0, 2, 2), 1, 1),
          ((1, 1, 2, 2, 2), 0, 0))
  wrong = (((3, 3), 4, 0), ((3, 3), 0, 4), ((2, 4), 3, 0), ((3,), 0, 0), ((), 0, 0), ((3, 3), [0], 0),
           ((3, 3), 0, [0]), ((3, 3), [0, 1], 0), ((0, 0), 1, 0))
  return [probe(*p) for p in good], [probe(*p, fed=True) for p in wrong]


def _whole(op, make):
  shapes = ((3,), (0,), (1,), (2, 3), (2, 0), (2, 1, 2), (1, 2, 1, 2))
  return ([Probe(op, [make.values(s)], {"T": make.dtype}) for s in shapes],
          [Probe(op, [make.values(())], {"T": make.dtype}, fed=True)])


def _whole_part(op, make):
  shapes = ((3, 3), (0, 0), (1, 1), (2, 3, 2, 3), (2, 0, 2, 0), (2, 1, 2, 2, 1, 2))
  wrong = ((), (3,), (2, 3), (2, 2, 2), (2, 3, 3, 2), (1, 1, 1, 2))
  return ([Probe(op, [make.values(s)], {"T": make.dtype}) for s in shapes],
          [Probe(op, [make.values(s)], {"T": make.dtype}, fed=True) for s in wrong])
