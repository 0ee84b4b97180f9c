"""Groups for numbers rounded to the levels of a few bits, and for their gradients.

Left out: shapes that end TensorFlow's process (a scalar of channels, ranges that are no vectors),
and more than four dimensions of a gradient of channels, which its shape function refuses and its
kernel takes.
"""

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import seed_of
from op_probe import tf

_ARGS = "FakeQuantWithMinMaxArgs"
_VARS = "FakeQuantWithMinMaxVars"
_CHANNELS = "FakeQuantWithMinMaxVarsPerChannel"
_RANGES = ((-6, 6), (0, 6), (-6, 0), (1, 6), (-6, -1), (-0.1, 3.7), (-3.3, 0.01), (0, 1e30))
_ODD_RANGES = ((0, 0), (-0.0, 0.0), (3, 3), (-3, -3), (6, -6), (np.nan, 1), (-1, np.nan),
               (-np.inf, np.inf), (-1, np.inf), (-np.inf, 1), (-3e38, 3e38), (np.inf, np.inf))
_LEVELS = ({}, {"num_bits": 2}, {"num_bits": 4, "narrow_range": True}, {"num_bits": 16},
           {"num_bits": 2, "narrow_range": True})
_SHAPES = ((), (0,), (7,), (2, 3), (2, 0, 3), (1, 2, 3, 4), (65,))
_SPECIAL = np.array([np.inf, -np.inf, np.nan, 0, -0.0, 1e30, -1e30, 5.9, 6.1, -6.1], np.float32)


def groups():
  """All groups, in a fixed order."""
  for op in (_ARGS, _VARS, _CHANNELS):
    for gradient in (False, True):
      yield from _groups_of(op, gradient)


def _groups_of(op, gradient):
  name = f"ops/{op}{'Gradient' if gradient else ''}"
  random = np.random.RandomState(seed_of(name))

  def numbers(shape):
    return np.array(random.randn(*shape) * 5, np.float32)

  def probe(x, low, high, fed=None, grads=None, **attrs):
    x = np.asarray(x, np.float32)
    inputs, outputs, tolerance = [x], 1, op_tolerance.record.EXACT
    if gradient:
      g = numbers(x.shape) if grads is None else np.asarray(grads, np.float32)
      inputs = [g, x]
      outputs = 1 if op == _ARGS else 3
      tolerance = op_tolerance.summed(tf.float32, np.abs(g[np.isfinite(g)]).sum())
    if op == _ARGS:
      attrs.update(min=float(low), max=float(high))
    else:
      inputs += [np.array(bound, np.float32) for bound in (low, high)]
    return Probe(name[4:], inputs, attrs, outputs=outputs, tolerance=tolerance, fed=fed)

  def ranged(x, low, high, **attrs):
    """The same range for all channels."""
    if op != _CHANNELS:
      return probe(x, low, high, **attrs)
    channels = np.shape(x)[-1:]
    return probe(x, np.full(channels, low), np.full(channels, high), **attrs)

  shapes = [s for s in _SHAPES if s or op != _CHANNELS]
  yield Group(f"{name}/float32", f"{name[4:]} by ranges and numbers of levels.",
              [ranged(numbers((17,)), *r, **a) for r in _RANGES for a in _LEVELS])
  yield Group(f"{name}/float32/shapes", "Shapes.", [ranged(numbers(s), -1.5, 4) for s in shapes])
  yield Group(f"{name}/float32/special", "Numbers that are not finite, and ends of ranges.",
              [ranged(_SPECIAL, *r, **a) for r in _RANGES for a in _LEVELS[:2]])
  if gradient:
    yield Group(f"{name}/float32/special-gradients", "Gradients that are not finite.",
                [ranged(x, -1, 2, grads=[np.inf, np.nan, 1, -np.inf])
                 for x in ([9, -9, 1, 1], [9, 9, -9, -9], [1, 1, 9, -9])])
  if op != _ARGS:
    yield Group(f"{name}/float32/odd-ranges", "Ranges that are none.",
                [ranged(_SPECIAL, *r, **a) for r in _ODD_RANGES for a in _LEVELS[:3]])
  if op == _CHANNELS:
    yield Group(f"{name}/float32/channels", "A range for each channel.",
                [probe(numbers(s + (3,)), [-1, 0, 0], [1, 4, 0], **a)
                 for s in ((), (5,), (0,), (2, 3), (1, 2, 2)) for a in _LEVELS])
  yield Group(f"{name}/float32/wrong", "What does not fit.", list(_wrong(op, gradient, probe)))


def _wrong(op, gradient, probe):
  bounds = ([-1], [1]) if op == _CHANNELS else (-1, 1)
  for bits in (-1, 0, 1, 17, 64):
    yield probe([1], *bounds, num_bits=bits)
  if gradient:
    for grads in ([1, 2], [[1]], 1):
      yield probe([1], *bounds, grads=grads, fed=True)
  if op == _ARGS:
    for low, high in ((1, 1), (2, -2), (np.nan, 1), (0, np.nan)):
      yield probe([1], low, high)
  if op == _VARS:
    yield probe([1], [-1], 1)
    yield probe([1], -1, [1])
  if op == _CHANNELS:
    for low, high in (([-1, -1], [1]), ([-1], [1, 1]), ([], [])):
      yield probe([1], low, high, fed=True)
