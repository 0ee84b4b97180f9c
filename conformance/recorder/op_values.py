"""Input values by dtype: plain ones, special ones, and random ones.

Subnormal numbers are left out on purpose: TensorFlow flushes them to zero.
"""

import adapter  # isort: skip
import numpy as np
import quiet

tf = quiet.tf


def array(values, dtype):
  """An array of `dtype` from Python values (text for tf.string)."""
  if dtype == tf.string:
    plain = np.asarray(values, dtype=object)
    out = np.empty(plain.shape, dtype=object)
    out.reshape(-1)[:] = [v if isinstance(v, bytes) else str(v).encode() for v in plain.reshape(-1)]
    return out
  return np.asarray(values).astype(dtype.as_numpy_dtype)


def empty(shape, dtype):
  return np.zeros(shape, object if dtype == tf.string else dtype.as_numpy_dtype)


def plain(shape, dtype, random):
  """Small numbers that sums and products of a few keep exact; both signs where there are."""
  shape = tuple(shape)
  size = int(np.prod(shape))
  if dtype == tf.string:
    flat = [b"s%d" % i if i % 3 else b"" for i in random.randint(0, 9, size)]
  elif dtype == tf.bool:
    flat = random.rand(size) < 0.5
  elif dtype.is_complex:
    flat = random.randint(-3, 4, size) + 1j * random.randint(-3, 4, size)
  elif dtype.is_unsigned:
    flat = random.randint(0, 8, size)
  elif dtype.is_integer:
    flat = random.randint(-7, 8, size)
  else:
    flat = random.randint(-16, 17, size) / 4.0
  return array(flat, dtype).reshape(shape) if size else empty(shape, dtype)


def nonzero(shape, dtype, random):
  """plain() without zeros."""
  values = plain(shape, dtype, random)
  values[values == 0] = 1
  return values


def wide(shape, dtype, random):
  """Random numbers over the dtype's range (integers) or over a few decades (floats)."""
  size = int(np.prod(shape))
  if dtype in (tf.string, tf.bool):
    return plain(shape, dtype, random)
  if dtype.is_integer:
    info = np.iinfo(dtype.as_numpy_dtype)
    flat = [
        int(random.randint(0, 2**31)) * 2**33 + int(random.randint(0, 2**31)) * 4 +
        int(random.randint(0, 4)) for _ in range(size)
    ]
    flat = np.array([info.min + v % (int(info.max) - int(info.min) + 1) for v in flat],
                    dtype=object)
    return array(flat, dtype).reshape(shape)
  decades = 1 if dtype in (tf.half, tf.bfloat16) else 3

  def draw():
    return random.randn(size) * 10.0**random.randint(-decades, decades + 1, size)

  flat = draw() + 1j * draw() if dtype.is_complex else draw()
  return array(flat, dtype).reshape(shape)


def special(dtype):
  """A vector of the dtype's corner values."""
  if dtype == tf.string:
    return array([b"", b"a", b"b", b"ab", b"\x00", b"\xff\xfe", "é"], dtype)
  if dtype == tf.bool:
    return array([False, True], dtype)
  if dtype.is_integer:
    info = np.iinfo(dtype.as_numpy_dtype)
    values = [0, 1, 2, 3, 7, int(info.max), int(info.max) - 1]
    if info.min < 0:
      values += [-1, -2, -3, -7, int(info.min), int(info.min) + 1]
    return array(np.array(values, dtype=object), dtype)
  real = _special_real(dtype.real_dtype)
  if not dtype.is_complex:
    return array(real, dtype)
  pairs = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 2), (-3, 0.5), (2, -2), (-0.25, -4)]
  return array([complex(*p) for p in pairs], dtype)


def finite(dtype):
  """special() without infinities and NaN."""
  values = special(dtype)
  if dtype.is_floating:
    return values[np.isfinite(values.astype(np.float64))]
  return values


def _special_real(dtype):
  largest = {
      tf.half: 65504.0,
      tf.bfloat16: 3.3895314e38,
      tf.float32: 3.4028235e38,
      tf.float64: 1.7976931348623157e308
  }[dtype]
  smallest = {
      tf.half: 2.0**-14,
      tf.bfloat16: 2.0**-126,
      tf.float32: 2.0**-126,
      tf.float64: 2.0**-1022
  }[dtype]
  return [
      0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 7.75, -50.0, largest, -largest, smallest * 4,
      np.inf, -np.inf, np.nan
  ]
