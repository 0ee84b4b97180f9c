"""Scenarios for ragged tensors in variants.

Left out: what ends TensorFlow's process, or gives what lay in its memory: of
RaggedTensorToVariantGradient a dense_values_shape that is no vector or does not fit, another dtype
than that of the gradients, fewer splits than there are variants, and zeros of texts.
"""

import numpy as np
from op_probe import DTYPES
from op_probe import StepMaker
from op_probe import tf
from op_shape import Maker


def groups():
  """All scenarios, in a fixed order."""
  for dtype in DTYPES:
    yield _rows(dtype)
    yield _wholes(dtype)
    yield _gradients(dtype)
  yield _wrong_ragged()
  yield _wrong_reads()
  yield _sums()
  yield _three_dimensions()


class Ragged(StepMaker):
  """A graph of ragged tensors in variants; a method returns the new node's name.

  hidden: as StepMaker, of constants and variants.
  """

  def __init__(self, dtype=tf.float32, splits=tf.int64, hidden=False):
    super().__init__(hidden)
    self.dtype, self.splits = dtype, splits

  def _ints(self, numbers, dtype):
    return self.hide(self.g.const(np.array(numbers, dtype.as_numpy_dtype)), dtype)

  def value(self, value):
    return self.hide(self.g.const(np.array(value, self.dtype.as_numpy_dtype)), self.dtype)

  def to(self, splits, values, batched=True):
    inputs = [self._ints(s, self.splits) for s in splits]
    made = self.g.add("RaggedTensorToVariant", *inputs, values, RAGGED_RANK=len(splits),
                      Tvalues=self.dtype, Tsplits=self.splits, batched_input=batched)
    return self.hide(made, tf.variant)

  def read(self, at, rank_in, rank_out, dtype=None, splits=None):
    """All outputs."""
    name = self.g.add("RaggedTensorFromVariant", at, input_ragged_rank=rank_in,
                      output_ragged_rank=rank_out, Tvalues=dtype or self.dtype,
                      Tsplits=splits or self.splits)
    return [name if i == 0 else f"{name}:{i}" for i in range(rank_out + 1)]

  def gradient(self, at, row_splits, shape):
    return self.g.add("RaggedTensorToVariantGradient", at, self._ints(row_splits, self.splits),
                      self._ints(shape, tf.int32), Tvalues=self.dtype, Tsplits=self.splits)

  def unpack(self, at, count):
    name = self.g.add("Unpack", at, num=count, T=tf.variant, axis=0)
    return [self.hide(name if i == 0 else f"{name}:{i}", tf.variant) for i in range(count)]

  def pack(self, *parts):
    made = self.g.add("Pack", *parts, N=len(parts), T=tf.variant, axis=0)
    return self.hide(made, tf.variant)

  def reshape(self, at, dims):
    made = self.g.add("Reshape", at, self._ints(dims, tf.int32), T=tf.variant, Tshape=tf.int32)
    return self.hide(made, tf.variant)

  def optional(self):
    return self.hide(self.g.add("OptionalNone"), tf.variant)

  def add(self, *parts):
    return self.hide(self.g.add("AddN", *parts, N=len(parts), T=tf.variant), tf.variant)


def _rows(dtype):
  name = f"ops/RaggedTensorToVariant/{dtype.name}"
  make = Maker(name, dtype)
  r = Ragged(dtype)
  for name_of, splits in (("x", [[0, 2, 2, 5]]), ("y", [[0, 2, 3], [0, 2, 2, 5]])):
    r.g.placeholder(name_of, dtype)
    rows = r.to(splits, name_of)
    deep = len(splits) - 1
    everything, inferred = r.read(rows, deep, deep + 1), r.read(rows, -1, deep + 1)
    each = [r.read(row, deep, deep) for row in r.unpack(rows, len(splits[0]) - 1)]
    for shape in ((5,), (5, 2), (5, 0), (5, 1, 2)):
      feeds = {name_of: make.values(shape)}
      r.fetch(*everything, **feeds)
      r.fetch(*inferred, **feeds)
      for fetches in each:
        r.fetch(*fetches, **feeds)
  return r.scenario(name, f"Rows of {dtype.name} that are variants.")


def _wholes(dtype):
  name = f"ops/RaggedTensorFromVariant/{dtype.name}"
  make = Maker(name, dtype)
  r = Ragged(dtype, tf.int32)
  r.g.placeholder("x", dtype)
  whole = r.to([[0, 2, 2, 5]], "x", False)
  twice = r.pack(whole, whole)
  plain, rows = r.to([], "x", False), r.to([], "x")
  fetches = [r.read(whole, 1, 1), r.read(whole, -1, 1), r.read(twice, 1, 2), r.read(plain, 0, 0),
             r.read(plain, -1, 0), r.read(rows, -1, 0), r.read(r.pack(plain, plain), 0, 1),
             r.read(r.reshape(twice, [2, 1]), 1, 3), r.read(r.reshape(twice, [1, 2]), -1, 3)]
  for shape in ((5,), (5, 2), (5, 0)):
    for fetched in fetches:
      r.fetch(*fetched, x=make.values(shape))
  return r.scenario(name, f"Ragged tensors of {dtype.name} that are variants.")


def _gradients(dtype):
  name = f"ops/RaggedTensorToVariantGradient/{dtype.name}"
  make = Maker(name, dtype)
  r = Ragged(dtype)
  r.g.placeholder("x", dtype)
  splits = [0, 2, 2, 5]
  rows, whole = r.to([splits], "x"), r.to([splits], "x", False)
  for shape in ((5,), (5, 2)):
    fetches = [r.gradient(rows, splits, shape), r.gradient(whole, splits, shape),
               r.gradient(whole, 0, shape), r.gradient(r.to([], "x"), 0, shape)]
    if dtype != tf.string:
      parts = r.unpack(rows, 3)
      nothing = r.optional()
      fetches.append(r.gradient(r.pack(parts[0], nothing, parts[2]), splits, shape))
      fetches.append(r.gradient(r.pack(nothing, parts[2]), [0, 4, 7], (7,) + shape[1:]))
    for fetched in fetches:
      r.fetch(fetched, x=make.values(shape))
  return r.scenario(name, f"Gradients of {dtype.name} in variants; one that is missing is zeros.")


def _wrong_ragged():
  r = Ragged(hidden=True)
  x = r.value([1, 2, 3, 4, 5])
  for splits in ([[]], [[1, 5]], [[0, 4, 2, 5]], [[0, 4]], [[0, 9]], [[0, 2, 3], [0, 2, 2, 4]],
                 [[0, 4], [0, 2, 2, 5]], [[0, 2, 3], [1, 2, 2, 5]], [[0, 2, 3], [0, 3, 2, 5]],
                 [[[0, 5]]], [[-1, 5]], [[0], []]):
    for batched in (False, True):
      made = r.to(splits, x, batched)
      r.fetch(r.g.add("Shape", made, T=tf.variant, out_type=tf.int32))
  for batched in (False, True):
    made = r.to([[0, 1]], r.value(1), batched)
    r.fetch(r.g.add("Shape", made, T=tf.variant, out_type=tf.int32))
  made = r.to([], r.value(1), True)
  r.fetch(r.g.add("Shape", made, T=tf.variant, out_type=tf.int32))
  return r.scenario("ops/RaggedTensorToVariant/errors", "Splits that do not fit.")


def _wrong_reads():
  r = Ragged(hidden=True)
  x = r.value([1, 2, 3, 4, 5])
  rows, whole = r.to([[0, 2, 2, 5]], x), r.to([[0, 2, 2, 5]], x, False)
  one, wide = r.to([], r.value([[1, 2]]), False), r.to([], r.value([[1, 2, 3]]), False)
  optional = r.optional()
  none = r.reshape(r.to([[0]], r.value([])), [0, 3])
  for fetches in (r.read(rows, 0, 2), r.read(rows, 1, 2), r.read(whole, -1, 0), r.read(whole, 0, 0),
                  r.read(rows, 0, 1, dtype=tf.int32), r.read(whole, 1, 1, splits=tf.int32),
                  r.read(rows, -1, 0), r.read(rows, 0, 0), r.read(optional, 0, 0),
                  r.read(r.pack(one, optional), 0, 1), r.read(r.to([], x), 0, 1),
                  r.read(r.pack(one, wide), 0, 1), r.read(r.pack(one, r.to([], x, False)), 0, 1),
                  r.read(r.pack(one, r.to([], r.value(np.zeros((0, 3))), False)), 0, 1),
                  r.read(none, 0, 2), r.read(none, 1, 3), r.read(none, -1, 1), r.read(none, -1, 0),
                  r.read(r.pack(rows, rows), -1, 1), r.read(r.pack(rows, rows), 0, 2)):
    r.fetch(*fetches)
  return r.scenario("ops/RaggedTensorFromVariant/errors", "Variants, ranks and dtypes in question.")


def _sums():
  r = Ragged(hidden=True)
  x, y = r.value([1, 2, 3]), r.value([10, 20, 30])
  a, b = r.to([[0, 2, 3]], x, False), r.to([[0, 2, 3]], y, False)
  zeros = r.hide(r.g.add("ZerosLike", a, T=tf.variant), tf.variant)
  other = r.to([[0, 1, 3]], x, False)
  for at in (r.add(a, b), r.add(a, b, b), zeros, r.add(a, other), r.add(a, r.to([], x, False)),
             r.add(a, r.optional())):
    r.fetch(*r.read(at, 1, 1))
  return r.scenario("ops/RaggedTensorToVariant/sums", "Ragged tensors add up where their rows are.")


def _three_dimensions():
  """TensorFlow gives the second dimension too few splits."""
  r = Ragged(hidden=True)
  rows = r.to([list(range(9))], r.value(np.arange(8)))
  r.fetch(*r.read(r.reshape(rows, [2, 2, 2]), 0, 3))
  return r.scenario("differs/RaggedTensorFromVariant/three-dimensions",
                    "Variants of three dimensions: each has the splits of all rows before it.")
