"""Groups for convolutions and their gradients.

Left out, since TensorFlow's CPU has no kernels for them: channels that come second, and gradients of
dilated and of grouped convolutions.
"""

import dataclasses

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_TRIOS = (("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"),
          ("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
           "DepthwiseConv2dNativeBackpropFilter"),
          ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"))


@dataclasses.dataclass
class _Sizes:
  """An image, its filters, what they make, and the attrs that say how windows move."""
  image: tuple
  filter: tuple
  output: tuple
  strides: tuple = ()
  padding: str = "VALID"
  explicit: tuple = ()
  dilations: tuple = ()

  def attrs(self, op, dtype):
    rank = len(self.image)
    ones = (1,) * rank
    attrs = {"T": dtype, "strides": list(self.strides or ones), "padding": self.padding,
             "dilations": list(self.dilations or ones)}
    if rank == 4:
      attrs["explicit_paddings"] = list(self.explicit)
    if op == "Conv3DBackpropInputV2":
      attrs["Tshape"] = tf.int32
    return attrs


# The sizes that all convolutions of two dimensions are tried with; the filters have one channel
# for each of the image's.
_PLAIN = (_Sizes((1, 2, 2, 1), (2, 1, 1, 2), (1, 1, 2, 2)),
          _Sizes((1, 3, 4, 2), (2, 2, 2, 3), (1, 2, 3, 3)),
          _Sizes((2, 5, 5, 1), (3, 3, 1, 2), (2, 3, 3, 2), (1, 2, 2, 1), "SAME"),
          _Sizes((1, 4, 3, 2), (3, 2, 2, 1), (1, 4, 3, 1), padding="SAME"),
          _Sizes((2, 2, 2, 3), (1, 1, 3, 2), (2, 2, 2, 2)),
          _Sizes((1, 3, 3, 1), (2, 2, 1, 1), (1, 5, 4, 1), (), "EXPLICIT",
                 (0, 0, 1, 2, 2, 0, 0, 0)),
          _Sizes((1, 6, 1, 1), (1, 1, 1, 2), (1, 2, 1, 2), (1, 3, 3, 1), "SAME"))
_DEPTHWISE = (_Sizes((1, 2, 2, 1), (2, 1, 1, 2), (1, 1, 2, 2)),
              _Sizes((1, 3, 4, 2), (2, 2, 2, 3), (1, 2, 3, 6)),
              _Sizes((2, 5, 5, 1), (3, 3, 1, 2), (2, 3, 3, 2), (1, 2, 2, 1), "SAME"),
              _Sizes((1, 4, 3, 3), (3, 2, 3, 1), (1, 4, 3, 3), padding="SAME"),
              _Sizes((1, 2, 2, 2), (1, 1, 2, 1), (1, 2, 2, 2)))
_SOLID = (_Sizes((1, 1, 2, 2, 1), (1, 1, 2, 1, 2), (1, 1, 2, 1, 2)),
          _Sizes((1, 2, 3, 3, 2), (1, 2, 2, 2, 2), (1, 2, 2, 2, 2)),
          _Sizes((1, 3, 3, 2, 1), (2, 2, 2, 1, 2), (1, 2, 2, 1, 2), (1, 2, 2, 2, 1), "SAME"),
          _Sizes((2, 2, 2, 1, 2), (1, 1, 1, 2, 1), (2, 2, 2, 1, 1)))

# The convolution alone.
_FORWARD = {
    "Conv2D": (
        _Sizes((1, 4, 4, 4), (2, 2, 2, 4), (1, 3, 3, 4)),  # in groups
        _Sizes((1, 5, 6, 1), (2, 2, 1, 2), (1, 3, 3, 2), dilations=(1, 2, 3, 1)),
        _Sizes((1, 5, 5, 2), (3, 3, 2, 1), (1, 5, 5, 1), padding="SAME", dilations=(1, 2, 2, 1)),
        _Sizes((1, 2, 3, 1), (3, 1, 1, 1), (1, 0, 3, 1)),  # too large by a step
        _Sizes((0, 3, 3, 1), (2, 2, 1, 2), (0, 2, 2, 2)),
        _Sizes((1, 2, 2, 1), (1, 1, 1, 0), (1, 2, 2, 0))),
    "DepthwiseConv2dNative": (
        _Sizes((1, 3, 3, 1), (2, 2, 1, 1), (1, 5, 4, 1), (), "EXPLICIT", (0, 0, 1, 2, 2, 0, 0, 0)),
        _Sizes((0, 3, 3, 1), (2, 2, 1, 2), (0, 2, 2, 2))),
    "Conv3D": (_Sizes((0, 2, 2, 2, 1), (1, 1, 1, 1, 2), (0, 2, 2, 2, 2)),),
}

# Calls that an op refuses since their shapes do not fit, by the name of the op.
_WRONG_2D = (_Sizes((1, 3, 3), (2, 2, 1, 1), ()), _Sizes((1, 3, 3, 1), (2, 2, 1), ()),
             _Sizes((1, 3, 3, 2), (2, 2, 3, 1), ()), _Sizes((1, 3, 3, 1), (5, 2, 1, 1), ()),
             _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), (1, 0, 0, 1)),
             _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), (2, 1, 1, 1)),
             _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), (1, 1, 1)),
             _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), (), "EXPLICIT"))
_WRONG = {
    "Conv2D": _WRONG_2D +
              (_Sizes((1, 3, 3, 1), (0, 1, 1, 1), ()), _Sizes((1, 3, 3, 4), (1, 1, 2, 3), ()),
               _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), (), "SAME", (0,) * 8),
               _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), dilations=(1, 0, 1, 1)),
               _Sizes((1, 3, 3, 1), (1, 1, 1, 1), (), dilations=(1, 1, 1, 2))),
    "DepthwiseConv2dNative": _WRONG_2D,
    "Conv3D": (_Sizes((1, 3, 3, 1), (2, 2, 2, 1, 1), ()),
               _Sizes((1, 3, 3, 3, 2), (2, 2, 2, 3, 1), ()),
               _Sizes((1, 3, 3, 3, 1), (5, 2, 2, 1, 1), ()),
               _Sizes((1, 3, 3, 3, 1), (1, 1, 1, 1, 1), (), (1, 0, 1, 1, 1)),
               _Sizes((1, 3, 3, 3, 1), (1, 1, 1, 1, 1), (), (2, 1, 1, 1, 1))),
}


def groups():
  """All groups, in a fixed order."""
  for trio, sizes in zip(_TRIOS, (_PLAIN, _DEPTHWISE, _SOLID)):
    for dtype in dtypes_of(trio[0]):
      yield from _forward(trio[0], dtype, sizes + _FORWARD[trio[0]])
    for dtype in dtypes_of(trio[1]):
      yield from _by_image(trio[1], dtype, sizes)
    for dtype in dtypes_of(trio[2]):
      yield from _by_filter(trio[2], dtype, sizes)
  for dtype in (tf.float32, tf.float64):
    yield from _fused(dtype)


class _Prober:
  """Makes probes of one op and dtype."""

  def __init__(self, op, dtype):
    self.name = f"ops/{op}/{dtype.name}"
    self._op, self._dtype = op, dtype
    self._make = Maker(self.name, dtype)

  def probe(self, sizes, *inputs, fed=None):
    """inputs: shapes of data as tuples, sizes as lists."""
    values = [np.array(i, np.int32) if isinstance(i, list) else self._make.values(i)
              for i in inputs]
    data = [np.abs(v.astype(np.float64)).max(initial=0) for v, i in zip(values, inputs)
            if not isinstance(i, list)]
    return Probe(self._op, values, sizes.attrs(self._op, self._dtype), fed=fed,
                 tolerance=op_tolerance.summed(self._dtype, 64 * np.prod(data)))


def _forward(op, dtype, sizes):
  prober = _Prober(op, dtype)
  yield Group(prober.name, f"{op} of {dtype.name}.",
              [prober.probe(s, s.image, s.filter) for s in sizes])
  yield Group(f"{prober.name}/wrong", f"{op} of {dtype.name} that does not fit.",
              [prober.probe(s, s.image, s.filter, fed=True) for s in _WRONG[op]])


def _by_image(op, dtype, sizes):
  prober = _Prober(op, dtype)
  first = sizes[0]
  yield Group(prober.name, f"{op} of {dtype.name}.",
              [prober.probe(s, list(s.image), s.filter, s.output) for s in sizes])
  wrong = [(list(first.image)[:3], first.output), ([-1] + list(first.image[1:]), first.output),
           ([2] + list(first.image[1:]), first.output), (list(first.image), first.output[:3]),
           (list(first.image), first.output[:-1] + (1,)), (list(first.image), first.image)]
  yield Group(f"{prober.name}/wrong", f"{op} of {dtype.name} that does not fit.",
              [prober.probe(first, i, first.filter, o, fed=True) for i, o in wrong])


def _by_filter(op, dtype, sizes):
  prober = _Prober(op, dtype)
  first = sizes[0]
  yield Group(prober.name, f"{op} of {dtype.name}.",
              [prober.probe(s, s.image, list(s.filter), s.output) for s in sizes])
  wrong = [(list(first.filter)[:3], first.output), ([-1] + list(first.filter[1:]), first.output),
           ([9] + list(first.filter[1:]), first.output), (list(first.filter), first.output[:3]),
           (list(first.filter), first.output[:-1] + (1,)), (list(first.filter), first.image)]
  yield Group(f"{prober.name}/wrong", f"{op} of {dtype.name} that does not fit.",
              [prober.probe(first, first.image, f, o, fed=True) for f, o in wrong])


_ACTIVATIONS = ("Relu", "Relu6", "Elu", "LeakyRelu")


def _fused(dtype):
  prober = _Prober("_FusedConv2D", dtype)

  def probe(sizes, ops, num_args=None, channels=None, fed=None):
    args = 4 if ops[:1] == ["FusedBatchNorm"] else 1
    num_args = num_args or args
    made = prober.probe(sizes, sizes.image, sizes.filter,
                        *[(channels or sizes.filter[-1],)] * num_args, fed=fed)
    if len(made.inputs) == 6:
      made.inputs[5] = np.abs(made.inputs[5])  # a variance
    made.attrs.update({"TArgs": [dtype] * num_args, "num_args": num_args, "num_host_args": 0,
                       "fused_ops": ops, "epsilon": 0.5, "leakyrelu_alpha": 0.25})
    return made

  for first in ("BiasAdd", "FusedBatchNorm"):
    yield Group(f"{prober.name}/{first}", f"_FusedConv2D of {dtype.name} with {first}.",
                [probe(s, [first]) for s in _PLAIN] +
                [probe(s, [first, a]) for a in _ACTIVATIONS for s in _PLAIN[:3]])
  plain = _PLAIN[0]
  yield Group(f"{prober.name}/wrong", f"_FusedConv2D of {dtype.name} that does not fit.", [
      probe(plain, [], fed=True), probe(plain, ["Relu"], fed=True),
      probe(plain, ["BiasAdd", "Tanh"], fed=True), probe(plain, ["BiasAdd"], num_args=2, fed=True)
  ])
