"""Groups for Select, SelectV2, Cast and Bitcast."""

import numpy as np
import op_values
from op_probe import DTYPES
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_shape import Maker


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("Select"):
    yield from _select(dtype)
  for source in DTYPES:
    for target in DTYPES:
      if tf.string not in (source, target):
        yield from _cast(source, target)


def _select(dtype):
  make = Maker(f"ops/Select/{dtype.name}", dtype)
  truth = Maker(f"ops/Select/{dtype.name}/truth", tf.bool)

  def probe(op, condition, then, other, fed=None):
    return Probe(op,
                 [truth.values(condition),
                  make.values(then), make.values(other)], {"T": dtype},
                 fed=fed)

  same = ((), (5,), (0,), (2, 3), (2, 0), (2, 1, 2), (1, 2, 1, 2))
  yield Group(
      f"ops/Select/{dtype.name}", f"Select of {dtype.name}: by element, by a scalar, by rows.",
      [probe("Select", s, s, s) for s in same] + [probe("Select", (), s, s) for s in same[1:]] +
      [probe("Select", s[:1], s, s) for s in same if len(s) > 1])
  yield Group(f"ops/Select/{dtype.name}/wrong", f"Select of {dtype.name} shapes that do not fit.", [
      probe("Select", *s, fed=True)
      for s in (((3,), (2,), (2,)), ((), (2,), (3,)), ((2,), (2,), ()), ((1,), (2, 3), (2, 3)),
                ((3,), (2, 3), (2, 3)), ((2, 3), (2, 3), (3,)), ((1, 3), (2, 3), (2, 3)),
                ((2,), (), ()), ((2, 1), (2,), (2,)))
  ])
  yield Group(f"ops/SelectV2/{dtype.name}", f"SelectV2 of {dtype.name} broadcasts all three.",
              [probe("SelectV2", s, s, s) for s in same] + [
                  probe("SelectV2", *s)
                  for s in (((), (2,), ()), ((2,), (), ()), ((3,), (2, 3), (2, 1)),
                            ((2, 1), (3,), ()), ((2, 1, 1), (1, 3, 1), (1, 1, 2)), ((0,), (), (1,)),
                            ((1,), (2, 1, 3), (2, 3)), ((2, 1, 2, 1), (1, 2), ()), ((), (), (4, 1)))
              ])
  yield Group(f"ops/SelectV2/{dtype.name}/wrong",
              f"SelectV2 of {dtype.name} shapes that do not fit.", [
                  probe("SelectV2", *s, fed=True)
                  for s in (((3,), (2,), (2,)), ((), (2,), (3,)), ((2,), (2, 3), (2, 3)),
                            ((0,), (2,), ()))
              ])


def _cast(source, target):
  name = f"ops/Cast/{source.name}-{target.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(values, truncate=False, fed=None):
    return Probe("Cast", [values], {"SrcT": source, "DstT": target, "Truncate": truncate}, fed=fed)

  inside, outside = _split(
      source, target,
      np.concatenate([op_values.special(source),
                      op_values.wide((12,), source, random)]))
  fractions = op_values.array([0.5, 1.5, 2.5, -0.5, -1.5, -0.99, 0.99, 100.7, -100.7], source) \
      if source.is_floating else op_values.plain((5,), source, random)
  fractions, _ = _split(source, target, fractions)
  yield Group(name, f"Cast from {source.name} to {target.name}.", [
      probe(inside),
      probe(inside[:1]),
      probe(fractions),
      probe(inside, truncate=source.is_floating and target.is_floating),
      probe(op_values.plain((), source, random) * 0 if source != tf.bool else np.array(True)),
      probe(op_values.empty((0, 2), source)),
      probe(op_values.empty((2, 1), source))
  ])
  if outside.size:
    yield Group(f"platform/Cast/{source.name}-{target.name}",
                "What this processor makes of values out of the target's range.", [probe(outside)])


def _split(source, target, values):
  """Values with a defined result, and the others: reals beyond an integer's range, and NaN."""
  if not (source.is_floating or source.is_complex) or not target.is_integer:
    return values, values[:0]
  info = np.iinfo(target.as_numpy_dtype)
  real = np.trunc(np.real(values).astype(np.float64))
  # The upper bound is exclusive because it may round up to a power of two.
  fits = (real >= float(info.min)) & (real < float(int(info.max) + 1))
  return values[fits], values[~fits]
