"""Groups for the colors of images, and for boxes drawn onto them.

Left out: images without a number of the colors' parts where TensorFlow's vectors say what comes of
it, and boxes so large that where they end is no number.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf

_SHAPES = ((3,), (2, 3), (0, 3), (2, 4, 3), (1, 2, 2, 3), (2, 1, 1, 2, 3))
_CORNERS = [[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1],
            [-1, -2, -3], [-3, -1, 2], [2, 2, 1], [1, 2, 2], [2, 1, 2], [5, 3, 4], [255, 0, 128],
            [1e-3, 2e-3, 3e-3]]


def groups():
  """All groups, in a fixed order."""
  for op in ("RGBToHSV", "HSVToRGB"):
    for dtype in dtypes_of(op):
      yield from _converted(op, dtype)
  yield from _contrast()
  for op in ("AdjustHue", "AdjustSaturation"):
    yield from _adjusted(op)
  for version in ("", "V2"):
    for dtype in (tf.half, tf.float32):
      yield from _drawn(version, dtype)


def _colors(name, shape, dtype):
  return op_values.array(np.random.RandomState(seed_of(name)).rand(*shape), dtype)


def _converted(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  near = op_tolerance.rounded(dtype, 4)

  def probe(values, fed=None):
    return Probe(op, [values], {"T": dtype}, tolerance=near, fed=fed)

  yield Group(name, f"{op} of {dtype.name}.", [probe(_colors(name, s, dtype)) for s in _SHAPES])
  yield Group(f"{name}/corners", "Grays, colors without a part, and beyond 0 and 1.",
              [probe(op_values.array([c], dtype)) for c in _CORNERS])
  yield Group(f"{name}/wrong", "What is no color.",
              [probe(_colors(name, s, dtype), True) for s in ((4,), (2, 2), (0, 4), ())])


def _adjust(op, values, by, near, fed=None):
  return Probe(op, [values, np.array(by, np.float32)], {"T": tf.float32}, tolerance=near, fed=fed)


def _wrong(op, shapes):
  name = f"ops/{op}/wrong"
  probes = [_adjust(op, np.ones(s, np.float32), 2, op_tolerance.rounded(tf.float32), True)
            for s in shapes]
  probes.append(_adjust(op, np.ones((1, 1, 3), np.float32), [2], op_tolerance.rounded(tf.float32),
                        True))
  probes.append(Probe(op, [np.ones((1, 1, 3), np.float16), np.float32(2)], {"T": tf.half}))
  return Group(name, "What does not fit.", probes)


def _contrast():
  op = "AdjustContrastv2"
  name = f"ops/{op}/float32"
  shapes = ((2, 3, 1), (4, 5, 3), (2, 3, 4, 3), (2, 2, 2, 2, 2), (0, 2, 3, 1), (1, 0, 2, 1),
            (1, 2, 3, 0))
  near = op_tolerance.rounded(tf.float32, 16)
  yield Group(name, f"{op} of images.",
              [_adjust(op, _colors(name, s, tf.float32), by, near)
               for s in shapes for by in (0.0, 0.5, 1.0, -2.0, 10.0)])
  yield _wrong(op, ((2, 3), (3,), ()))


def _adjusted(op):
  name = f"ops/{op}/float32"
  near = op_tolerance.rounded(tf.float32, 32)
  amounts = (0.0, 0.25, -0.3, 0.5, 1.0, 2.5, -3.75)
  yield Group(name, f"{op} of images.",
              [_adjust(op, _colors(name, s, tf.float32), by, near)
               for s in _SHAPES if len(s) > 2 for by in amounts] +
              [_adjust(op, np.zeros((0, 2, 3), np.float32), 1, near)])
  corners = np.array([_CORNERS], np.float32)
  yield Group(f"{name}/corners", "Grays, colors without a part, and beyond 0 and 1.",
              [_adjust(op, corners[:, i:i + 1], by, near)
               for i in range(corners.shape[1]) for by in (0.0, 0.3, 0.75)])
  yield _wrong(op, ((2, 3), (3,), (2, 2, 4), (0, 2, 4)))


def _drawn(version, dtype):
  op = f"DrawBoundingBoxes{version}"
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  colors = random.rand(3, 4).astype(np.float32)

  def probe(shape, boxes, palette=colors, fed=None):
    images = op_values.array(random.rand(*shape), dtype)
    inputs = [images, np.array(boxes, np.float32)] + ([palette] if version else [])
    return Probe(op, inputs, {"T": dtype}, fed=fed)

  def drawn(count, number):
    corners = random.rand(count, number, 4) * 1.5 - 0.25
    return np.concatenate([np.minimum(corners[..., :2], corners[..., 2:]),
                           np.maximum(corners[..., :2], corners[..., 2:])], -1)

  yield Group(name, f"{op} of {dtype.name}.",
              [probe((n, r, c, d), drawn(n, k)) for n, r, c, d, k in (
                  (1, 6, 8, 3, 2), (2, 5, 5, 1, 12), (2, 9, 4, 4, 1), (1, 1, 1, 3, 1),
                  (0, 3, 3, 3, 2), (1, 3, 3, 3, 0), (1, 0, 3, 3, 2))])
  kinds = [[0, 0, 1, 1], [0.9, 0.9, 0.1, 0.1], [2, 2, 3, 3], [-3, -3, -2, -2], [-0.1, -0.1, 1.1, 1.1],
           [0.5, 0.5, 0.5, 0.5], [np.nan, 0, 1, 1], [0, 0, np.nan, 1], [0, np.nan, 1, 1]]
  yield Group(f"{name}/corners", "Boxes upside down, beyond the image, and of one pixel.",
              [probe((1, 4, 5, 3), [[k]]) for k in kinds] +
              ([probe((1, 4, 5, 3), [[kinds[0]] * 12], np.zeros((0, 3), np.float32))]))
  box = [[[0, 0, 1, 1]]]
  wrong = [probe((4, 5, 3), box, fed=True), probe((1, 4, 5, 2), box, fed=True),
           probe((2, 4, 5, 3), box, fed=True), probe((1, 4, 5, 3), box[0], fed=True),
           probe((1, 4, 5, 3), [[[0, 0, 1]]], fed=True)]
  if version:
    wrong += [probe((1, 4, 5, 3), box, p, True) for p in (colors[0], colors[:, :2])]
  yield Group(f"{name}/wrong", "What does not fit.", wrong)
