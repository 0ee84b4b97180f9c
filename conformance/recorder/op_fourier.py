"""Groups for Fourier transforms.

Left out: lengths of 0, at which TensorFlow ends its process; of real numbers, inputs without
elements, for which it may leave the output as the memory was; and infinite numbers, of which it is
up to the order of additions what is no number.
"""

import numpy as np
import op_tolerance
from op_probe import Group
from op_probe import Probe
from op_probe import seed_of
from op_probe import tf

_PARTS = {tf.complex64: tf.float32, tf.complex128: tf.float64}
_COMPLEX = {part: whole for whole, part in _PARTS.items()}
_NAMES = {1: "", 2: "2D", 3: "3D"}
# Lengths of one element, powers of two, small and large factors, a large prime.
_LENGTHS = (1, 2, 3, 4, 5, 8, 12, 13, 30, 49, 64, 77, 101, 127, 128, 202)
_SHAPES = {1: ((5,), (2, 6), (0, 4), (3, 0), (2, 1, 2, 3)),
           2: ((3, 4), (2, 5, 6), (0, 3, 2), (2, 0, 3), (1, 7)),
           3: ((2, 3, 4), (2, 2, 3, 5), (0, 2, 2, 2), (1, 1, 9))}


def groups():
  """All groups, in a fixed order."""
  for rank in (1, 2, 3):
    for dtype in _PARTS:
      for name in ("FFT", "IFFT"):
        yield from _complex(name + _NAMES[rank], rank, dtype)
    for dtype in _COMPLEX:
      yield from _real("RFFT" + _NAMES[rank], rank, dtype)
    for dtype in _PARTS:
      yield from _to_real("IRFFT" + _NAMES[rank], rank, dtype)


def _numbers(random, shape, dtype):
  x = random.randn(*shape)
  if dtype.is_complex:
    x = x + 1j * random.randn(*shape)
  return np.asarray(x).astype(dtype.as_numpy_dtype)


def _near(dtype, x):
  part = _PARTS.get(dtype, dtype)
  return op_tolerance.summed(part, 4 * np.sqrt(max(x.size, 1)) * np.abs(x).max(initial=0))


def _complex(op, rank, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(shape, fed=None):
    x = _numbers(random, shape, dtype)
    return Probe(op, [x], {"Tcomplex": dtype}, tolerance=_near(dtype, x), fed=fed)

  yield Group(name, f"{op} of {dtype.name}.", [probe(s) for s in _SHAPES[rank]])
  if rank == 1:
    yield Group(f"{name}/lengths", "Rows of many lengths.", [probe((n,)) for n in _LENGTHS])
  yield Group(f"{name}/wrong", "Too few dimensions.", [probe((2,) * (rank - 1), True)])


def _lengths_of(shape, rank, is_half):
  last = list(shape[-rank:])
  if is_half:
    last[-1] = 2 * last[-1] - 2
  even = [max(n, 1) for n in last]
  odd = even[:-1] + [even[-1] + 1 if is_half else max(even[-1] - 1, 1)]
  return even, odd, [1] * rank


def _real(op, rank, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  attrs = {"Treal": dtype, "Tcomplex": _COMPLEX[dtype]}

  def probe(shape, lengths, fed=None, **others):
    x = _numbers(random, shape, dtype)
    return Probe(op, [x, np.array(lengths, np.int32)], {**attrs, **others},
                 tolerance=_near(dtype, x), fed=fed)

  yield from _with_lengths(op, rank, name, probe, False)
  if rank == 1:
    yield Group(f"{name}/lengths", "Rows of many lengths.", [probe((n,), [n]) for n in _LENGTHS])


def _to_real(op, rank, dtype):
  name = f"ops/{op}/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  attrs = {"Treal": _PARTS[dtype], "Tcomplex": dtype}

  def probe(shape, lengths, fed=None):
    x = _numbers(random, shape, dtype)
    return Probe(op, [x, np.array(lengths, np.int32)], attrs, tolerance=_near(dtype, x), fed=fed)

  yield from _with_lengths(op, rank, name, probe, True)
  if rank == 1:
    yield Group(f"{name}/lengths", "Rows of many lengths.",
                [probe((n // 2 + 1,), [n]) for n in _LENGTHS])


def _with_lengths(op, rank, name, probe, is_half):
  yield Group(name, f"{op}, of all elements and of fewer.",
              [probe(s, n) for s in _SHAPES[rank] if 0 not in s[-rank:]
               for n in _lengths_of(s, rank, is_half)])
  shape = (4,) * rank
  wrong = [probe(shape, n, True) for n in ([9] * rank, [-1] * rank, [2] * (rank + 1), [])]
  wrong += [probe(shape, 2, True), probe((4,) * (rank - 1), [2] * rank, True)]
  yield Group(f"{name}/wrong", "Lengths that do not fit.", wrong)
