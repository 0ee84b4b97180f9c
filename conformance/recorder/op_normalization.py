"""Groups for batch normalization and LRN, and for their gradients.

Left out: outputs that TensorFlow does not set (reserve_space_1 and 2 outside of training and of
nothing), and gradients of inference where channels come second, which it has not on the CPU.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_VERSIONS = ("", "V2", "V3")
_FORMATS = {"NHWC": (2, 3, 2, 3), "NCHW": (2, 3, 3, 2), "NDHWC": (2, 2, 1, 2, 3),
            "NCDHW": (2, 3, 2, 1, 2)}


def groups():
  """All groups, in a fixed order."""
  for version in _VERSIONS:
    for dtype in dtypes_of(f"FusedBatchNorm{version}"):
      yield from _batch_norm(version, dtype)
      yield from _batch_norm_grad(version, dtype)
  for dtype in dtypes_of("LRN"):
    yield from _local_response(dtype)


def _types(version, dtype):
  return {"T": dtype, "U": tf.float32} if version else {"T": dtype}


def _formats(version):
  return [f for f in _FORMATS if version == "V3" or len(f) == 4]


def _vector(make, size=3):
  return np.abs(make.values((size,)).astype(np.float32)) / 2 + np.float32(0.5)


def _batch_norm(version, dtype):
  op = f"FusedBatchNorm{version}"
  name = f"ops/{op}/{dtype.name}"
  make, vectors = Maker(name, dtype), Maker(name, tf.float32)
  none = np.zeros(0, np.float32)

  def probe(shape, data_format="NHWC", size=3, fed=None, empty=False, **attrs):
    used = [none, none] if empty else [_vector(vectors, size), _vector(vectors, size)]
    sets_reserves = attrs.get("is_training", True) and 0 not in shape
    return Probe(op, [make.values(shape), _vector(vectors, size), _vector(vectors, size)] + used,
                 {**_types(version, dtype), "data_format": data_format, **attrs},
                 outputs=5 if sets_reserves else 3, fed=fed,
                 tolerance=op_tolerance.rounded(dtype, 64))

  shapes = [(f, _FORMATS[f]) for f in _formats(version)]
  yield Group(name, f"{op} of {dtype.name}, in training.",
              [probe(s, f, empty=True) for f, s in shapes] +
              [probe(s, f, exponential_avg_factor=0.25) for f, s in shapes] +
              [probe((1, 1, 1, 3), empty=True), probe((0, 2, 2, 3), empty=True),
               probe((2, 2, 2, 0), size=0, empty=True), probe((2, 2, 2, 3), epsilon=0.5)])
  yield Group(f"{name}/inference", f"{op} of {dtype.name}, by mean and variance that are given.",
              [probe(s, f, is_training=False) for f, s in shapes] +
              [probe((0, 2, 2, 3), is_training=False),
               probe((2, 2, 2, 3), is_training=False, exponential_avg_factor=0.5)])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} that does not fit.",
              [probe((2, 3), fed=True), probe((2, 2, 2, 2), fed=True),
               probe((2, 2, 2, 3), is_training=False, empty=True, fed=True),
               probe((2, 2, 2, 3), exponential_avg_factor=0.5, empty=True, fed=True)])


def _batch_norm_grad(version, dtype):
  op = f"FusedBatchNormGrad{version}"
  name = f"ops/{op}/{dtype.name}"
  make, vectors = Maker(name, dtype), Maker(name, tf.float32)

  def probe(shape, data_format="NHWC", size=3, g_shape=None, fed=None, **attrs):
    g, x = make.values(g_shape or shape), make.values(shape)
    inputs = [g, x] + [_vector(vectors, size) for _ in range(3)]
    if version == "V3":
      inputs.append(np.zeros((), np.float32))
    largest = np.abs(g.astype(float)).max(initial=0) * (1 + np.abs(x.astype(float)).max(initial=0))
    return Probe(op, inputs, {**_types(version, dtype), "data_format": data_format, **attrs},
                 outputs=5, fed=fed, tolerance=op_tolerance.summed(dtype, 64 * largest))

  shapes = [(f, _FORMATS[f]) for f in _formats(version)]
  for training in (True, False):
    yield Group(name + ("" if training else "/inference"), f"{op} of {dtype.name}.",
                [probe(s, f, is_training=training) for f, s in shapes
                 if training or f.endswith("C")] +
                [probe((0, 2, 2, 3), is_training=training),
                 probe((2, 2, 2, 3), is_training=training, epsilon=0.5)])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} that does not fit.",
              [probe((2, 3), fed=True), probe((2, 2, 2, 2), fed=True),
               probe((2, 2, 2, 3), g_shape=(1, 2, 2, 3), fed=True)])


def _local_response(dtype):
  make = Maker(f"ops/LRN/{dtype.name}", dtype)
  near = op_tolerance.rounded(dtype, 64)

  def lrn(values, fed=None, **attrs):
    return Probe("LRN", [values], {"T": dtype, **attrs}, tolerance=near, fed=fed)

  def grad(*shapes, fed=None, **attrs):
    values = [make.values(s) for s in shapes]
    largest = np.prod([1 + np.abs(v.astype(float)).max(initial=0) for v in values])
    return Probe("LRNGrad", values, {"T": dtype, **attrs}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, largest))

  attrs = [{}, {"depth_radius": 1}, {"depth_radius": 0}, {"depth_radius": 1000},
           {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75},
           {"depth_radius": 2, "beta": 1.0}]
  shapes = ((1, 2, 2, 4), (0, 2, 2, 3), (1, 1, 2, 0), (2, 1, 1, 1))
  yield Group(f"ops/LRN/{dtype.name}", f"LRN of {dtype.name}.",
              [lrn(make.values((1, 1, 2, 7)), **a) for a in attrs] +
              [lrn(make.values(s)) for s in shapes])
  yield Group(f"differs/LRN/{dtype.name}", f"LRN of corner values of {dtype.name}.",
              [lrn(op_values.array([[[[1, v, 2, 3, 0]]]], dtype), depth_radius=1)
               for v in (np.nan, np.inf)])
  yield Group(f"ops/LRN/{dtype.name}/wrong", "What LRN refuses.",
              [lrn(make.values((2, 3)), fed=True), lrn(make.values((1, 1, 1, 1)), depth_radius=-1),
               lrn(make.values((1, 1, 1, 1)), depth_radius=1 << 40)])
  yield Group(f"ops/LRNGrad/{dtype.name}", f"LRNGrad of {dtype.name}.",
              [grad(*[(1, 1, 2, 7)] * 3, **a) for a in attrs] + [grad(*[s] * 3) for s in shapes])
  yield Group(f"ops/LRNGrad/{dtype.name}/wrong", "What LRNGrad refuses.",
              [grad((2, 3), (2, 3), (2, 3), fed=True),
               grad((1, 1, 1, 2), (1, 1, 1, 2), (1, 1, 2, 1), fed=True),
               grad((1, 1, 1, 2), (1, 1, 2, 1), (1, 1, 1, 2), fed=True),
               grad(*[(1, 1, 1, 1)] * 3, depth_radius=-1)])
