"""Groups for dilation, and for the boxes to keep that CombinedNonMaxSuppression and
NonMaxSuppressionWithOverlaps choose.

Left out: windows without an element and rates below 1, which the kernels do not check for, and
boxes of equal scores, of which any may come first.
"""

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

# Image, window, strides, rates.
_MOVES = (((1, 4, 5, 2), (2, 3, 2), (1, 1), (1, 1)), ((2, 5, 5, 1), (3, 2, 1), (2, 1), (1, 1)),
          ((1, 7, 6, 3), (2, 2, 3), (1, 2), (3, 2)), ((1, 3, 3, 1), (1, 1, 1), (2, 2), (1, 1)),
          ((0, 3, 3, 1), (2, 2, 1), (1, 1), (1, 1)), ((1, 3, 3, 0), (2, 2, 0), (1, 1), (1, 1)))
_BACK = "Dilation2DBackprop"


def groups():
  """All groups, in a fixed order."""
  for op in ("Dilation2D", f"{_BACK}Input", f"{_BACK}Filter"):
    for dtype in dtypes_of(op):
      yield from _dilation(op, dtype)
  yield from _by_overlaps()
  yield from _combined()


def _count(image, window, stride, rate, padding):
  if padding == "SAME":
    return -(-image // stride)
  return max(-(-(image - (window - 1) * rate) // stride), 0)


def _dilation(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(image, window, strides, rates, padding, out=None, fed=None):
    inputs = [make.values(image), make.values(window)]
    attrs = {"T": dtype, "strides": [1, *strides, 1], "rates": [1, *rates, 1], "padding": padding}
    near = {}
    if op != "Dilation2D":
      spots = [_count(image[i + 1], window[i], strides[i], rates[i], padding) for i in (0, 1)]
      grads = make.values(out or (image[0], *spots, image[3]))
      near = {"tolerance": op_tolerance.summed(dtype, np.abs(grads.astype(float)).sum())}
      inputs.append(grads)
    return Probe(op, inputs, attrs, fed=fed, **near)

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(*m, p) for m in _MOVES for p in ("SAME", "VALID")])
  if dtype != tf.float32:
    return
  ones = (1, 1)
  wrong = [probe((1, 3, 3, 1), (5, 1, 1), ones, ones, "VALID", (1, 1, 3, 1), True),
           probe((1, 3, 3, 1), (1, 1, 2), ones, ones, "SAME", (1, 3, 3, 1), True)]
  if op != "Dilation2D":
    wrong += [probe((1, 3, 3, 1), (1, 1, 1), ones, ones, "SAME", o, True)
              for o in ((1, 3, 2, 1), (3, 3, 1), (2, 3, 3, 1))]
  yield Group(f"{name}/wrong", "What does not fit.", wrong)


def _boxes(random, *shape):
  corners = random.rand(*shape, 4)
  return np.concatenate([corners[..., :2], corners[..., :2] + corners[..., 2:]], -1).astype(np.float32)


def _by_overlaps():
  op = "NonMaxSuppressionWithOverlaps"
  random = np.random.RandomState(5)

  def probe(overlaps, scores, most=20, share=0.5, score=0.0, fed=None):
    inputs = [np.array(overlaps, np.float32), np.array(scores, np.float32), np.array(most, np.int32),
              np.array(share, np.float32), np.array(score, np.float32)]
    return Probe(op, inputs, fed=fed)

  sets = [(random.rand(n, n), random.rand(n)) for n in (1, 5, 12, 40)]
  yield Group(f"ops/{op}/drawn", "Boxes to keep, by what each two have in common.",
              [probe(*s, share=share, score=score) for s in sets
               for share in (0.0, 0.5, 0.9, 1.5, -1.0) for score in (0.0, 0.5)] +
              [probe(*sets[2], most=m) for m in (0, 1, 3)] +
              [probe(np.zeros((0, 0)), []), probe([[1, np.nan], [np.nan, 1]], [2, 1], score=-1.0),
               probe([[1, np.nan], [np.nan, 1]], [2, 1]), probe(sets[1][0], [1, 1, 2, 1, 2])])
  yield Group(f"ops/{op}/wrong", "What does not fit.",
              [probe(np.ones(s), np.ones(n), fed=True)
               for s, n in (((2, 3), 2), ((2,), 2), ((2, 2), 3), ((2, 2), (2, 1)))] +
              [probe(np.ones((2, 2)), [1, 2], most=m, fed=True) for m in (-1, [1])] +
              [probe(np.ones((2, 2)), [1, 2], share=[0.5], fed=True),
               probe(np.ones((2, 2)), [1, 2], score=[0.5], fed=True)])


def _combined():
  op = "CombinedNonMaxSuppression"
  random = np.random.RandomState(6)

  def probe(boxes, scores, of_class=3, total=8, share=0.5, score=0.0, fed=None, **attrs):
    inputs = [np.array(boxes, np.float32), np.array(scores, np.float32),
              np.array(of_class, np.int32), np.array(total, np.int32),
              np.array(share, np.float32), np.array(score, np.float32)]
    return Probe(op, inputs, attrs, outputs=4, fed=fed)

  sets = [(_boxes(random, n, k, q), random.rand(n, k, c))
          for n, k, q, c in ((1, 6, 1, 1), (2, 12, 1, 3), (2, 20, 3, 3), (1, 1, 2, 2), (1, 2, 1, 1))]
  yield Group(f"ops/{op}/drawn", "Boxes to keep of several classes.",
              [probe(*s, share=share, score=score, pad_per_class=pad, clip_boxes=clip)
               for s in sets for share in (0.0, 0.5, 1.0) for score in (0.0, 0.5)
               for pad, clip in ((False, True), (True, False))] +
              [probe(*sets[1], of_class=k, total=t, pad_per_class=pad)
               for k in (1, 2, 30) for t in (1, 5, 40) for pad in (False, True)])
  none = [probe(np.zeros((n, k, 1, 4)), np.zeros((n, k, 2))) for n, k in ((1, 0), (2, 0))]
  yield Group(f"ops/{op}/empty", "No boxes.", none)
  shapes = (((1, 2, 2, 4), (1, 2, 3)), ((1, 2, 1, 3), (1, 2, 3)), ((1, 2, 4), (1, 2, 3)),
            ((1, 2, 1, 4), (1, 3, 3)), ((1, 2, 1, 4), (2, 2, 3)))
  yield Group(f"ops/{op}/wrong", "What does not fit.",
              [probe(np.ones(b), np.ones(s), fed=True) for b, s in shapes] +
              [probe(*sets[0], fed=True, **wrong) for wrong in (
                  {"of_class": 0}, {"of_class": [1]}, {"total": 0}, {"total": [1]}, {"share": 1.5},
                  {"share": np.nan}, {"share": [0.5]}, {"score": [0.5]})])
