"""How near an answer must be, by op and dtype.

Elementwise IEEE arithmetic is exact. Where TensorFlow approximates, or may add in another order,
the bound is a few roundings of the dtype.
"""

import numpy as np
import record

tf = record.tf

_EPSILON = {tf.half: 2.0**-10, tf.bfloat16: 2.0**-7, tf.float32: 2.0**-23, tf.float64: 2.0**-52,
            tf.complex64: 2.0**-23, tf.complex128: 2.0**-52}

# Exact, but 0 and -0 are one value: which of the two zeros Maximum and the like return depends in
# TensorFlow on whether the element was in a vector register.
ANY_ZERO = record.Tolerance(absolute=1e-300)


def epsilon(dtype):
  """The distance from 1 to the next number; 0 for integers."""
  return _EPSILON.get(dtype, 0.0)


def transcendental(dtype):
  """exp, log, sin, ...: ulps for real numbers, a share of the largest part for complex ones."""
  if dtype.is_complex:
    return rounded(dtype)
  return record.ulps(2 if dtype in (tf.half, tf.bfloat16) else 4)


def rounded(dtype, roundings=8):
  """A few roundings of the largest element; for formulas that cancel."""
  def bound(value):
    size = np.abs(value.astype(np.complex128)).ravel() if value.size else np.zeros(0)
    size = size[np.isfinite(size)]
    largest = float(size.max()) if size.size else 0.0
    return record.Tolerance(ulps=4, absolute=roundings * epsilon(dtype) * largest)
  return bound


def summed(dtype, magnitude, roundings=8):
  """A sum in any order; magnitude: the sum of the magnitudes of the terms, at most."""
  if not epsilon(dtype):
    return record.EXACT
  magnitude = float(magnitude) if np.isfinite(magnitude) else 0.0
  return record.Tolerance(ulps=4, absolute=roundings * epsilon(dtype) * magnitude)
