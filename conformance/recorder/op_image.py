"""Groups for images resized, cropped and cut into patches, and for the boxes of them to keep.

Left out: boxes that are not finite, or so large that where they lie is no number. TensorFlow checks
for the first in CropAndResize alone; in its gradients, and for the second, it reads beside the
image.
"""

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_CENTERS = ({}, {"align_corners": True}, {"half_pixel_centers": True})
_BOTH = {"align_corners": True, "half_pixel_centers": True}
# Images, and rows and columns of another size.
_SIZES = (((1, 3, 4, 2), (5, 7)), ((2, 5, 3, 1), (2, 2)), ((1, 1, 2, 3), (3, 1)),
          ((2, 4, 5, 2), (4, 5)), ((1, 2, 2, 4), (1, 5)))
_NONE = (((0, 2, 3, 1), (2, 2)),)
_WRONG = (((2, 3, 1), [2, 2]), ((1, 2, 3, 1), [2, 2, 2]), ((1, 2, 3, 1), [[2, 2]]),
          ((1, 2, 3, 1), [0, 2]), ((1, 2, 3, 1), [2, -1]), ((1, 0, 3, 1), [2, 2]),
          ((1, 2, 3, 0), [2, 2]), ((0, 0, 3, 1), [2, 2]))
_NOT_TAKEN = (tf.uint32, tf.uint64, tf.bool)  # by the ops, whose kernels would


def _taken(op):
  return [dtype for dtype in dtypes_of(op) if dtype not in _NOT_TAKEN]


def groups():
  """All groups, in a fixed order."""
  for op in ("ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor"):
    for dtype in _taken(op):
      yield from _resize(op, dtype)
  for op in ("ResizeBilinearGrad", "ResizeBicubicGrad"):
    for dtype in dtypes_of(op):
      yield from _resize_grad(op, dtype)
  for dtype in _taken("ResizeNearestNeighborGrad"):
    if dtype not in (tf.int16, tf.int64, tf.uint16):
      yield from _nearest_grad(dtype)
  for dtype in _taken("CropAndResize"):
    if dtype != tf.bfloat16:
      yield from _crop(dtype)
      yield from _crop_grad_boxes(dtype)
  for dtype in dtypes_of("CropAndResizeGradImage"):
    yield from _crop_grad_image(dtype)
  for dtype in (tf.half, tf.float32):
    yield from _suppressions(dtype)
  for dtype in dtypes_of("ExtractImagePatches"):
    yield from _patches(dtype)


def _near(values, terms=16):
  """A sum of so many of the values, each weighed by at most about 1, in float."""
  finite = np.abs(values.astype(float))
  finite = finite[np.isfinite(finite)]
  return op_tolerance.summed(tf.float32, finite.max(initial=0) * terms)


def _resize(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)
  exact = op == "ResizeNearestNeighbor"

  def probe(shape, size, fed=None, values=None, **attrs):
    x = make.values(shape) if values is None else values
    near = {} if exact else {"tolerance": _near(x)}
    return Probe(op, [x, np.array(size, np.int32)], {"T": dtype, **attrs}, fed=fed, **near)

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(s, z, **a) for a in _CENTERS for s, z in _SIZES + _NONE])
  if dtype != tf.float32:
    return
  yield Group(f"{name}/wrong", "Images and sizes that do not fit.",
              [probe(s, z, fed=True) for s, z in _WRONG] + [probe((1, 2, 2, 1), (3, 3), **_BOTH)])
  special = np.array([np.inf, 1, -np.inf, np.nan, 2, 3, 0, -1, 4], np.float32)
  yield Group(f"{name}/special", "Numbers that are not finite.",
              [probe((), z, values=special.reshape(s), **a) for a in _CENTERS
               for s, z in (((1, 1, 9, 1), (1, 14)), ((1, 3, 3, 1), (3, 3)), ((1, 9, 1, 1), (4, 1)))])
  yield Group(f"{name}/sizes", "Sizes at which positions are rounded.",
              [probe((1, 1, a, 1), (1, b), **c) for c in _CENTERS
               for a, b in ((7, 49), (49, 7), (10, 3), (3, 10), (25, 24), (13, 130))])


def _resize_grad(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make, floats = Maker(name, dtype), Maker(name + "/grads", tf.float32)

  def probe(image, size, fed=None, grads=None, **attrs):
    g = floats.values(grads or (image[0], *size, image[3]))
    magnitude = np.abs(g).sum() * 4
    # TensorFlow adds up in the dtype, each term rounded to float.
    sums = op_tolerance.summed(tf.float32 if dtype == tf.float64 else dtype, magnitude)
    return Probe(op, [g, make.values(image)], {"T": dtype, **attrs}, fed=fed, tolerance=sums)

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(s, z, **a) for a in _CENTERS for s, z in _SIZES + _NONE])
  if dtype != tf.float32:
    return
  yield Group(f"{name}/shapes", "Of the images rows and columns count alone, in the kernel.",
              [probe((1, 2, 3, 1), (), grads=g, fed=True) for g in ((1, 4, 4, 0), (0, 1, 1, 2))])
  wrong = (((1, 2, 3, 1), (4, 4, 1)), ((2, 3, 1), (1, 4, 4, 1)), ((1, 0, 3, 1), (1, 4, 4, 1)),
           ((1, 2, 3, 1), (1, 4, 0, 1)))
  yield Group(f"{name}/wrong", "Shapes that do not fit.",
              [probe(s, (), grads=g, fed=True) for s, g in wrong] +
              [probe((1, 2, 2, 1), (3, 3), **_BOTH)])


def _nearest_grad(dtype):
  op = "ResizeNearestNeighborGrad"
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(grads, size, fed=None, **attrs):
    g = make.values(grads)
    return Probe(op, [g, np.array(size, np.int32)], {"T": dtype, **attrs}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(g.astype(float)).sum()))

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(s, z, **a) for a in (*_CENTERS, _BOTH) for s, z in _SIZES + _NONE] +
              [probe((1, 0, 3, 1), (2, 2)), probe((1, 1, 3, 0), (2, 2))])
  if dtype == tf.float32:
    wrong = (((2, 3, 1), [2, 2]), ((1, 2, 3, 1), [2, 2, 2]), ((1, 2, 3, 1), [[2, 2]]),
             ((1, 2, 3, 1), [0, 2]), ((1, 2, 3, 1), [2, -1]))
    yield Group(f"{name}/wrong", "Gradients and sizes that do not fit.",
                [probe(s, z, fed=True) for s, z in wrong])


_BOXES = np.array([[0, 0, 1, 1], [0.25, 0.125, 0.75, 0.5], [1, 1, 0, 0], [-0.5, 0, 0.5, 1.5],
                   [0.1, 0.7, 0.6, 0.3], [2, 2, 3, 3]], np.float32)
_OWNERS = np.array([0, 1, 1, 0, 1, 0], np.int32)
_CROPS = ((2, 2), (3, 1), (1, 4), (5, 6))


def _crop(dtype):
  name = f"ops/CropAndResize/{dtype.name}"
  make = Maker(name, dtype)

  def probe(size, shape=(2, 3, 4, 2), boxes=_BOXES, owners=_OWNERS, fed=None, values=None, **attrs):
    x = make.values(shape) if values is None else values
    inputs = [x, np.array(boxes, np.float32), np.array(owners, np.int32), np.array(size, np.int32)]
    return Probe("CropAndResize", inputs, {"T": dtype, **attrs}, fed=fed, tolerance=_near(x, 4))

  yield Group(name, f"CropAndResize of {dtype.name}.",
              [probe(z, **a) for z in _CROPS
               for a in ({}, {"method": "nearest"}, {"extrapolation_value": -1.5})])
  if dtype != tf.float32:
    return
  none = np.zeros((0, 4))
  yield Group(f"{name}/empty", "Nothing to cut out, or nothing in it.",
              [probe((2, 2), boxes=none, owners=[]), probe((2, 2), shape=(2, 3, 4, 0)),
               probe((2, 2), shape=(0, 3, 4, 1), boxes=none, owners=[])])
  special = np.array([np.inf, 1, -np.inf, np.nan], np.float32).reshape(1, 2, 2, 1)
  yield Group(f"{name}/special", "Numbers that are not finite.",
              [probe((3, 3), values=special, boxes=_BOXES[:2], owners=[0, 0], method=m)
               for m in ("bilinear", "nearest")])
  one = [[0, 0, 1, 1]]
  yield Group(f"{name}/wrong", "What does not fit.",
              [probe((2, 2), boxes=one, owners=o, fed=True) for o in ([2], [-1], [0, 0], [], [[0]])] +
              [probe(z, boxes=one, owners=[0], fed=True) for z in ([2], [0, 2], [2, -1], [[2, 2]])] +
              [probe((2, 2), boxes=b, owners=[0], fed=True)
               for b in ([[0, 0, 1]], [0, 0, 1, 1], [[0, np.nan, 1, 1]], [[0, 0, np.inf, 1]])] +
              [probe((2, 2), shape=s, boxes=one, owners=[0], fed=True)
               for s in ((3, 4, 1), (1, 0, 4, 1), (0, 3, 4, 1))])


def _crop_grad_image(dtype):
  name = f"ops/CropAndResizeGradImage/{dtype.name}"
  make = Maker(name, tf.float32)

  def probe(size, image=(2, 3, 4, 2), boxes=_BOXES, owners=_OWNERS, fed=None, **attrs):
    g = make.values((len(owners), *size, image[-1] if len(image) == 4 else 1))
    sums = op_tolerance.summed(tf.float32 if dtype == tf.float64 else dtype, np.abs(g).sum())
    inputs = [g, np.array(boxes, np.float32), np.array(owners, np.int32), np.array(image, np.int32)]
    return Probe("CropAndResizeGradImage", inputs, {"T": dtype, **attrs}, fed=fed, tolerance=sums)

  yield Group(name, f"CropAndResizeGradImage of {dtype.name}.",
              [probe(z, method=m) for z in _CROPS for m in ("bilinear", "nearest")] +
              [probe((1, 2), image=(1, 1, 3, 1), boxes=_BOXES[:1], owners=[0], method=m)
               for m in ("bilinear", "nearest")])
  if dtype == tf.float32:
    one = {"boxes": [[0, 0, 1, 1]], "owners": [0], "fed": True}
    yield Group(f"{name}/wrong", "What does not fit, and what is empty.",
                [probe((2, 2), image=i, **one) for i in ((1, 3, 4), (1, 0, 4, 1), (0, 3, 4, 1),
                                                         (-1, 3, 4, 1), (1, 3, 4, 0))] +
                [probe((0, 2), **one), probe((2, 2), boxes=np.zeros((0, 4)), owners=[]),
                 probe((2, 2), boxes=[[0, 0, 1, 1]], owners=[5], fed=True)])


def _crop_grad_boxes(dtype):
  name = f"ops/CropAndResizeGradBoxes/{dtype.name}"
  make, floats = Maker(name, dtype), Maker(name + "/grads", tf.float32)

  def probe(size, image=(2, 3, 4, 2), boxes=_BOXES, owners=_OWNERS, fed=None, depth=None):
    x = make.values(image)
    g = floats.values((len(owners), *size, image[-1] if depth is None else depth))
    magnitude = np.abs(g).sum() * np.abs(x.astype(float)).max(initial=0) * 12
    inputs = [g, x, np.array(boxes, np.float32), np.array(owners, np.int32)]
    return Probe("CropAndResizeGradBoxes", inputs, {"T": dtype}, fed=fed,
                 tolerance=op_tolerance.summed(tf.float32, magnitude))

  yield Group(name, f"CropAndResizeGradBoxes of {dtype.name}.", [probe(z) for z in _CROPS] +
              [probe((1, 2), image=(1, 1, 3, 1), boxes=_BOXES[1:2], owners=[0])])
  if dtype == tf.float32:
    one = {"boxes": [[0, 0, 1, 1]], "owners": [0], "fed": True}
    yield Group(f"{name}/wrong", "What does not fit, and what is empty.",
                [probe((2, 2), image=i, **one) for i in ((3, 4, 1), (1, 0, 4, 1), (0, 3, 4, 1))] +
                [probe((2, 2), depth=3, **one), probe((0, 2), **one),
                 probe((2, 2), boxes=np.zeros((0, 4)), owners=[]),
                 probe((2, 2), boxes=[[0, 0, 1]], owners=[0], fed=True)])


def _suppressions(dtype):
  random = np.random.RandomState(7)
  float_of = dtype.as_numpy_dtype

  def drawn(n, spread):
    corners = random.rand(n, 4) * spread
    return np.concatenate([corners[:, :2], corners[:, :2] + random.rand(n, 2)], 1).astype(float_of)

  def probe(version, boxes, scores, most=20, iou=0.5, score=0.0, sigma=0.0, fed=None, **attrs):
    boxes, scores = np.array(boxes, float_of), np.array(scores, float_of)
    limits = [np.array(x, float_of) for x in (iou, score, sigma)]
    inputs = [boxes, scores, np.array(most, np.int32)]
    inputs += limits[:{"": 0, "V2": 1, "V3": 2, "V4": 2, "V5": 3}[version]]
    types = {"": {}, "V5": {"T": dtype}}.get(version, {"T": dtype, "T_threshold": dtype})
    outputs = {"V4": 2, "V5": 3}.get(version, 1)
    near = {}
    if sigma:  # TensorFlow's exponential function is a few ulps off
      near = {"tolerance": {"scores": op_tolerance.transcendental(dtype)}["scores"]}
    if not version:
      attrs["iou_threshold"] = float(np.float32(iou))
    return Probe(f"NonMaxSuppression{version}", inputs, {**types, **attrs}, outputs=outputs,
                 fed=fed, **near)

  for version in ("", "V2", "V3", "V4", "V5"):
    if not version and dtype != tf.float32:
      continue
    name = f"ops/NonMaxSuppression{version}/{dtype.name}"
    sets = [(drawn(n, spread), random.rand(n)) for n, spread in ((12, 1), (30, 2), (150, 3))]
    probes = [probe(version, b, s, iou=i) for b, s in sets for i in (0.0, 0.25, 0.5, 1.0)]
    probes += [probe(version, sets[0][0], np.round(sets[0][1] * 3)),  # ties
               probe(version, sets[0][0][:, [2, 1, 0, 3]], sets[0][1]),  # other corners
               probe(version, sets[0][0], sets[0][1], most=0),
               probe(version, sets[0][0], sets[0][1], most=3),
               probe(version, np.zeros((0, 4)), np.zeros(0)),
               probe(version, [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1]], [0.5, 0.5, 0.5])]
    if version in ("V3", "V4", "V5"):
      probes += [probe(version, *sets[1], score=t) for t in (0.5, 2.0, -1.0, np.nan, -np.inf)]
    if version in ("V4", "V5"):
      probes += [probe(version, *sets[0], most=m, pad_to_max_output_size=True) for m in (2, 20)]
    if version == "V5":
      probes += [probe(version, *sets[1], sigma=g, score=t)
                 for g in (0.25, 0.5, 4.0) for t in (0.0, 0.25)]
    yield Group(name, f"NonMaxSuppression{version} of {dtype.name}.", probes)
    yield from _special_boxes(name, lambda *a, v=version, **k: probe(v, *a, **k))
    if dtype == tf.float32:
      yield from _wrong_boxes(name, version, lambda *a, v=version, **k: probe(v, *a, fed=True, **k))


def _special_boxes(name, probe):
  nan, inf = np.nan, np.inf
  boxes = [[0, 0, 1, 1], [nan, 0, 1, 1], [0, 3, 1, 4], [1, 0, nan, 1], [0, 0.25, 1, 1.25]]
  large = [[0, 0, inf, inf], [0, 0, 1, 1], [-inf, -inf, inf, inf], [0, 0, inf, 1]]
  yield Group(f"{name}/special", "Boxes and scores that are no numbers, or infinite.",
              [probe(boxes, s, score=t) for t in (-1.0, 0.0)
               for s in ([0.9, 0.8, 0.7, 0.6, 0.5], [0.5, 0.6, 0.7, 0.8, 0.9],
                         [nan, -inf, inf, 0.5, inf], [-0.5, -0.25, -0.75, -1, -0.5])] +
              [probe(large, [0.9, 0.8, 0.7, 0.6], score=-1.0)])


def _wrong_boxes(name, version, probe):
  one, two = [[0, 0, 1, 1]], [0.5, 0.5]
  probes = [probe([[0, 0, 1]], [0.5]), probe([0, 0, 1, 1], [0.5]), probe(one, two),
            probe(one, [[0.5]]), probe(one, [0.5], most=-1), probe(one, [0.5], most=[1]),
            probe(one, [0.5], iou=1.5), probe(one, [0.5], iou=-0.5), probe(one, [0.5], iou=np.nan)]
  if version:
    probes.append(probe(one, [0.5], iou=[0.5]))
  if version in ("V3", "V4", "V5"):
    probes.append(probe(one, [0.5], score=[0.5]))
  if version == "V5":
    probes += [probe(one, [0.5], sigma=s) for s in (-1.0, [0.5])]
  yield Group(f"{name}/wrong", "What does not fit.", probes)


def _patches(dtype):
  name = f"ops/ExtractImagePatches/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, sizes, strides, rates, padding, fed=None):
    attrs = {"T": dtype, "ksizes": sizes, "strides": strides, "rates": rates, "padding": padding}
    return Probe("ExtractImagePatches", [make.values(shape)], attrs, fed=fed)

  def spatial(*pairs):
    return [[1, *pair, 1] for pair in pairs]

  cases = (((1, 4, 5, 2), (2, 3), (1, 2), (1, 1)), ((2, 5, 5, 1), (2, 2), (3, 1), (2, 3)),
           ((1, 3, 3, 3), (1, 1), (2, 2), (1, 1)), ((0, 3, 3, 1), (2, 2), (1, 1), (1, 1)),
           ((1, 3, 3, 0), (2, 2), (1, 1), (1, 1)))
  yield Group(name, f"ExtractImagePatches of {dtype.name}.",
              [probe(s, *spatial(*pairs), p) for s, *pairs in cases for p in ("SAME", "VALID")])
  if dtype != tf.float32:
    return
  shape, ones = (1, 3, 3, 1), [1, 1, 1, 1]
  wrong = [(shape, [1, 0, 1, 1], ones, ones), (shape, [2, 1, 1, 1], ones, ones),
           (shape, ones, [1, -1, 1, 1], ones), (shape, ones, [1, 1, 1, 2], ones),
           (shape, ones, ones, [1, 0, 1, 1]), (shape, ones, ones, [3, 1, 1, 1]),
           (shape, [1, 6, 1, 1], ones, ones), (shape, [1, 4, 1, 1], ones, ones),
           (shape, [1, 1, 1, 1, 1], ones, ones), ((3, 3, 1), ones, ones, ones)]
  yield Group(f"{name}/wrong", "Windows that do not fit.",
              [probe(*w, "VALID", fed=True) for w in wrong])
