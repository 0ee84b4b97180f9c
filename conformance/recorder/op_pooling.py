"""Groups for pooling and its gradients.

Left out: NaN, of which TensorFlow's maximum depends on where it stands, and channels that come
second, for which it has no kernels on the CPU.
"""

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

# Sizes, windows and strides of rows and columns.
_WINDOWS = (((1, 5, 6, 2), (2, 3), (2, 2)), ((2, 4, 3, 1), (3, 2), (1, 1)),
            ((1, 3, 3, 3), (1, 1), (2, 2)), ((1, 2, 3, 1), (5, 2), (1, 3)))
_EMPTY = (((0, 3, 3, 2), (2, 2), (1, 1)), ((1, 2, 2, 0), (2, 2), (1, 1)))


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("MaxPool"):
    if dtype not in (tf.uint32, tf.uint64):  # which the op does not take
      yield from _max_pool(dtype)
  for dtype in dtypes_of("MaxPoolGrad"):
    yield from _max_pool_grad(dtype)
    yield from _argmax(dtype)
  for dtype in dtypes_of("MaxPool3D"):
    yield from _max_pool_3d(dtype)
  for dtype in dtypes_of("AvgPool"):
    yield from _average_pool(dtype, 2)
  for dtype in dtypes_of("AvgPool3D"):
    yield from _average_pool(dtype, 3)


def _sizes(window, strides):
  return {"ksize": [1, *window, 1], "strides": [1, *strides, 1]}


def _fits(shape, window, padding):
  return padding == "SAME" or all(w <= s for w, s in zip(window, shape[1:-1]))


def _cases(cases=_WINDOWS + _EMPTY):
  """(shape, attrs) of windows that fit."""
  for shape, window, strides in cases:
    for padding in ("SAME", "VALID"):
      if _fits(shape, window, padding):
        yield shape, {**_sizes(window, strides), "padding": padding}


def _pooled(shape, attrs):
  """The shape of what the windows make."""
  sizes = zip(shape, attrs["ksize"], attrs["strides"])
  if attrs["padding"] == "SAME":
    return tuple(-(-size // stride) for size, _, stride in sizes)
  return tuple((size - window) // stride + 1 for size, window, stride in sizes)


def _maxima(x, attrs):
  """What MaxPool gives, in any number of dimensions."""
  explicit = attrs.get("explicit_paddings")
  befores = [0] * x.ndim
  if explicit:
    befores = explicit[::2]
    ends = [size + sum(explicit[2 * i:2 * i + 2]) for i, size in enumerate(x.shape)]
    shape = tuple((e - w) // s + 1 for e, w, s in zip(ends, attrs["ksize"], attrs["strides"]))
  else:
    shape = _pooled(x.shape, attrs)
  if attrs["padding"] == "SAME":
    sizes = zip(shape, attrs["strides"], attrs["ksize"], x.shape)
    befores = [max((n - 1) * s + w - size, 0) // 2 for n, s, w, size in sizes]
  y = np.zeros(shape, x.dtype)
  for at in np.ndindex(*shape):
    begins = [i * s - before for i, s, before in zip(at, attrs["strides"], befores)]
    window = tuple(slice(max(b, 0), b + w) for b, w in zip(begins, attrs["ksize"]))
    y[at] = x[window].max()
  return y


def _max_pool(dtype):
  name = f"ops/MaxPool/{dtype.name}"
  make = Maker(name, dtype)

  def probe(shape, fed=None, **attrs):
    return Probe("MaxPool", [make.values(shape)], {"T": dtype, **attrs}, fed=fed)

  def by_inputs(shape, attrs, fed=None):
    sizes = [np.array(attrs[key], np.int32) for key in ("ksize", "strides")]
    return Probe("MaxPoolV2", [make.values(shape)] + sizes,
                 {"T": dtype, "padding": attrs["padding"]}, fed=fed)

  explicit = {**_sizes((2, 3), (1, 2)), "padding": "EXPLICIT"}
  depth = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
  yield Group(name, f"MaxPool of {dtype.name}.",
              [probe(s, **a) for s, a in _cases()] +
              [probe((1, 3, 4, 2), explicit_paddings=[0, 0, 1, 0, 2, 1, 0, 0], **explicit),
               probe((1, 2, 2, 4), **depth)])
  yield Group(f"ops/MaxPoolV2/{dtype.name}", f"MaxPoolV2 of {dtype.name}.",
              [by_inputs(s, a) for s, a in _cases()])
  if dtype != tf.float32:
    return
  wrong = [(_sizes((0, 2), (1, 1)), (1, 2, 2, 1)), (_sizes((2, 2), (0, 1)), (1, 2, 2, 1)),
           (_sizes((4, 2), (1, 1)), (1, 2, 2, 1)), (_sizes((2, 2), (1, 1)), (2, 2, 1)),
           (_sizes((2,), (1, 1)), (1, 2, 2, 1))]
  yield Group(f"{name}/wrong", "Windows that do not fit.",
              [probe(s, fed=True, padding="VALID", **a) for a, s in wrong] +
              [probe((1, 3, 4, 2), fed=True, explicit_paddings=[0, 0, 2, 0, 0, 0, 0, 0], **explicit),
               probe((2, 2, 2, 2), fed=True, ksize=[2, 1, 1, 1], strides=[1, 1, 1, 1],
                     padding="VALID"),
               probe((1, 1, 1, 3), fed=True, **depth)])
  yield Group(f"ops/MaxPoolV2/{dtype.name}/wrong", "Windows that do not fit.",
              [by_inputs(s, {"padding": "VALID", **a}, fed=True) for a, s in wrong])


def _max_pool_grad(dtype):
  name = f"ops/MaxPoolGrad/{dtype.name}"
  make = Maker(name, dtype)
  def probes(version, shape, attrs, fed=None):
    x = make.values(shape)
    y = _maxima(x, attrs)
    g, h = make.values(y.shape), make.values(shape)
    near = op_tolerance.summed(dtype, np.abs(g.astype(float)).sum())
    names = {"T": dtype, **attrs}
    sizes = []
    if version:
      sizes = [np.array(attrs[key], np.int32) for key in ("ksize", "strides")]
      names = {"T": dtype, "padding": attrs["padding"]}
    yield Probe(f"MaxPoolGrad{version}", [x, y, g] + sizes, names, tolerance=near, fed=fed)
    yield Probe(f"MaxPoolGradGrad{version}", [x, y, h] + sizes, names, fed=fed)

  for i, op in enumerate(("MaxPoolGrad", "MaxPoolGradGrad")):
    for version in ("", "V2"):
      yield Group(f"ops/{op}{version}/{dtype.name}", f"{op}{version} of {dtype.name}.",
                  [list(probes(version, s, a))[i] for s, a in _cases(_WINDOWS + _EMPTY[:1])])
  if dtype != tf.float32:
    return
  attrs = {**_sizes((1, 2), (1, 1)), "padding": "VALID"}
  x, y = np.array([[[[2], [2], [1]]]], np.float32), np.array([[[[2], [2]]]], np.float32)
  others = [x, y, np.zeros((1, 1, 1, 1), np.float32), np.zeros((1, 2, 1), np.float32)]
  for op in ("MaxPoolGrad", "MaxPoolGradGrad"):
    good = y if op == "MaxPoolGrad" else x
    yield Group(f"ops/{op}/ties", f"{op} where maxima are shared, or are none.",
                [Probe(op, [x, m, good], {"T": dtype, **attrs}) for m in (y, y + 1)])
    wrong = [v for v in others if v.shape != good.shape]
    yield Group(f"ops/{op}/wrong", f"{op} of shapes that do not fit.",
                [Probe(op, [x, y, v], {"T": dtype, **attrs}, fed=True) for v in wrong] +
                [Probe(op, [x, others[2], good], {"T": dtype, **attrs}, fed=True)])
  explicit = {**_sizes((1, 2), (1, 1)), "padding": "EXPLICIT",
              "explicit_paddings": [0, 0, 0, 0, 1, 1, 0, 0]}
  x = make.values((1, 2, 3, 2))
  y = _maxima(x, explicit)
  yield Group("ops/MaxPoolGrad/explicit", "MaxPoolGrad with explicit paddings.",
              [Probe("MaxPoolGrad", [x, y, make.values(y.shape)], {"T": dtype, **explicit})])


def _argmax(dtype):
  make = Maker(f"ops/MaxPoolWithArgmax/{dtype.name}", dtype)

  def forward(shape, attrs, index=tf.int64, in_batch=False, fed=None):
    return Probe("MaxPoolWithArgmax", [make.values(shape)],
                 {"T": dtype, "Targmax": index, "include_batch_in_index": in_batch, **attrs},
                 outputs=2, fed=fed)

  def backward(shape, attrs, in_batch=False):
    grads = make.values(_pooled(shape, attrs))
    image = int(np.prod(shape if in_batch else shape[1:]))
    argmax = np.random.RandomState(len(shape)).randint(0, max(image, 1), grads.shape)
    near = op_tolerance.summed(dtype, np.abs(grads.astype(float)).sum())
    return Probe("MaxPoolGradWithArgmax", [make.values(shape), grads, argmax.astype(np.int64)],
                 {"T": dtype, "Targmax": tf.int64, "include_batch_in_index": in_batch, **attrs},
                 tolerance=near)

  cases = list(_cases(_WINDOWS))
  yield Group(f"ops/MaxPoolWithArgmax/{dtype.name}", f"MaxPoolWithArgmax of {dtype.name}.",
              [forward(s, a) for s, a in cases] +
              [forward(s, a, tf.int32, True) for s, a in cases[2:4]])
  yield Group(f"ops/MaxPoolGradWithArgmax/{dtype.name}", f"MaxPoolGradWithArgmax of {dtype.name}.",
              [backward(s, a) for s, a in cases])
  if dtype == tf.float32:
    attrs = {**_sizes((2, 2), (1, 1)), "padding": "SAME"}
    yield Group("ops/MaxPoolWithArgmax/wrong", "What MaxPoolWithArgmax refuses.",
                [forward(s, attrs, fed=True) for s in ((0, 2, 2, 1), (2, 2, 1), (1, 2, 2, 0))])


def _max_pool_3d(dtype):
  name = f"ops/MaxPool3D/{dtype.name}"
  make = Maker(name, dtype)

  def probes(shape, window, strides, padding, fed=None):
    attrs = {"T": dtype, **_sizes(window, strides), "padding": padding}
    x = make.values(shape)
    if not _fits(shape, window, padding) or 0 in window + strides:
      return [Probe("MaxPool3D", [x], attrs, fed=True)]
    y = _maxima(x, attrs)
    g, h = make.values(y.shape), make.values(shape)
    near = op_tolerance.summed(dtype, np.abs(g.astype(float)).sum())
    return [Probe("MaxPool3D", [x], attrs, fed=fed),
            Probe("MaxPool3DGrad", [x, y, g], {**attrs, "TInput": dtype}, tolerance=near, fed=fed),
            Probe("MaxPool3DGradGrad", [x, y, h], attrs, fed=fed)]

  cases = [((1, 3, 4, 3, 2), (2, 3, 2), (1, 2, 2)), ((2, 2, 2, 2, 1), (2, 2, 2), (2, 2, 2)),
           ((1, 1, 2, 3, 1), (1, 1, 1), (1, 1, 2))]
  for i, op in enumerate(("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad")):
    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.",
                [probes(*c, p)[i] for c in cases for p in ("SAME", "VALID")])
  yield Group(f"{name}/wrong", "Windows that do not fit.",
              probes((1, 2, 2, 2, 1), (4, 1, 1), (1, 1, 1), "VALID") +
              probes((1, 2, 2, 2, 1), (1, 1, 1), (1, 0, 1), "VALID"))


def _average_pool(dtype, rank):
  suffix = "3D" if rank == 3 else ""
  op, grad_op = f"AvgPool{suffix}", f"AvgPool{suffix}Grad"
  make = Maker(f"ops/{op}/{dtype.name}", dtype)

  def forward(shape, attrs, fed=None):
    x = make.values(shape)
    largest = np.abs(x.astype(float)).max(initial=0) * np.prod(attrs["ksize"])
    return Probe(op, [x], {"T": dtype, **attrs}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, largest))

  def backward(shape, attrs, fed=None, pooled=None):
    g = make.values(pooled or _pooled(shape, attrs))
    return Probe(grad_op, [np.array(shape, np.int32), g], {"T": dtype, **attrs}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(g.astype(float)).sum()))

  windows = _WINDOWS + _EMPTY[:1]
  if rank == 3:
    windows = [((s[0], 2, *s[1:]), (2, *w), (1, *t)) for s, w, t in windows]
  cases = list(_cases(windows))
  yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.",
              [forward(s, a) for s, a in cases])
  yield Group(f"ops/{grad_op}/{dtype.name}", f"{grad_op} of {dtype.name}.",
              [backward(s, a, fed=True) for s, a in cases])
  if dtype != tf.float32:
    return
  ones = (1,) * rank
  attrs = {**_sizes(ones, ones), "padding": "VALID"}
  shape = (1, 2, 2) + (2,) * (rank - 1)
  yield Group(f"ops/{op}/wrong", f"What {op} refuses.",
              [forward(shape[1:], attrs, fed=True),
               forward(shape, {**_sizes((4, *ones[1:]), ones), "padding": "VALID"}, fed=True),
               forward(shape, {**_sizes(ones, (0, *ones[1:])), "padding": "VALID"}, fed=True),
               forward(shape, {**attrs, "ksize": [2] + [1] * (rank + 1)}, fed=True)])
  yield Group(f"ops/{grad_op}/wrong", f"What {grad_op} refuses.",
              [backward(shape[1:], attrs, fed=True, pooled=shape),
               backward((1, -2) + shape[2:], attrs, fed=True, pooled=shape)])
