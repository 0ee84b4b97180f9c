"""Groups for random ops that draw by trial: gamma, Poisson and binomial numbers.

An alpha of which numbers can be subnormal is left out, because TensorFlow flushes these.
Parameters that TensorFlow never finds a number for (a count or rate that is NaN, or too large for
the dtype) are left out.
"""

import numpy as np
import op_tolerance
import op_values
import record
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf

_SEED = np.array([1, 2], np.int64)
_SEEDS = ((0, 0), (0, 7), (-1, -2), (2**40 + 3, -2**50), (2**63 - 1, -2**63))
_WRONG_SEEDS = (1, [1], [1, 2, 3], [[1, 2]])
_WRONG_SHAPES = ([-1], [2, -3], 3, [[2]], [2**62, 4])
# Shapes, and those of the parameters: the same, an end, nothing, no end, none at all.
_FITTING = (((3,), (3,)), ((4, 3), (3,)), ((2, 2, 3), (2, 3)), ((5,), ()), ((3, 1), (3, 1)),
            ((2, 0), (0,)), ((), ()), ((0,), ()), ((0, 3), (3,)), ((1, 1), ()))
_UNFIT = (((3,), (2,)), ((3,), (1,)), ((), (1,)), ((3, 2), (3,)), ((2, 2), (0,)), ((2,), (1, 2)),
          ((0,), (2,)))

_ALPHAS = (1.0, 0.5, 2.0, 30.0, 0.2, 1.5, 1000.0, 0.0, 0.999)
_ODD_ALPHAS = (-0.5, np.inf, -0.0, np.nan, -1.0)
_RATES = (3.0, 0.5, 10.0, 100.0, 9.0, 0.0, 30.0, 1000.0, 11.0)
_ODD_RATES = (-1.0, -np.inf, np.inf, 1e-7, 50000.0)
_KEYS = (([1], [0, 1], 1), ([2**64 - 1], [2**64 - 1, 5], 1), ([7], [2**64 - 2, 2**64 - 1], 3))
_WRONG_KEYS = ((1, [1, 2], 1), ([1, 2], [1, 2], 1), ([1], 1, 1), ([1], [[1, 2]], 1),
               ([1], [1, 2], [1]), ([1], [1, 2], 0), ([1], [1, 2], 2))


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("StatelessRandomGammaV2", "dtype"):
    if dtype != tf.bfloat16:  # has a kernel, and no definition
      yield from _gammas(dtype)
  for dtype in dtypes_of("RandomGamma"):
    if dtype != tf.bfloat16:
      yield from _own_gammas(dtype)
  for rate in dtypes_of("StatelessRandomPoisson", "Rtype"):
    for dtype in dtypes_of("StatelessRandomPoisson", "dtype"):
      yield from _poissons(rate, dtype)
      yield from _own_poissons(rate, dtype)
  for number in dtypes_of("StatelessRandomBinomial", "T"):
    for dtype in dtypes_of("StatelessRandomBinomial", "dtype"):
      yield from _binomials(number, dtype)


def _index(shape):
  """A shape as int64 if its rank is odd or int32 does not hold it, else as int32."""
  large = np.size(shape) and np.max(shape) > 2**31
  return np.array(shape, np.int64 if large or np.size(shape) % 2 else np.int32)


def _filled(values, shape):
  """The values again and again, in this shape."""
  return np.resize(np.array(values, np.float64), shape)


def _type_of(array):
  return tf.dtypes.as_dtype(array.dtype)


def _gamma(op, shape, alpha, source, dtype, fed=None):
  """source: what stands for the seed."""
  shape = _index(shape)
  attrs = {"dtype": dtype}
  if op.endswith("V2"):
    attrs |= {"T": _type_of(shape), "Tseed": _type_of(source[0])}
  else:
    attrs["shape_dtype"] = _type_of(shape)
  return Probe(op, [shape, *source, op_values.array(alpha, dtype)], attrs,
               tolerance=op_tolerance.transcendental(dtype), fed=fed)


def _key(key, counter, alg):
  return [np.array(key, np.uint64), np.array(counter, np.uint64), np.array(alg, np.int32)]


def _gammas(dtype):
  for op, source in (("StatelessRandomGammaV2", [_SEED]), ("StatelessRandomGammaV3",
                                                           _key(*_KEYS[0]))):

    def probe(shape, alpha, source=source, fed=None, op=op):
      return _gamma(op, shape, alpha, source, dtype, fed)

    probes = [probe(s, _filled(_ALPHAS, p)) for s, p in _FITTING]
    probes += [probe((40,), a) for a in _ALPHAS]
    probes += [probe((20, len(_ODD_ALPHAS)), _ODD_ALPHAS)]
    if op.endswith("V2"):
      probes += [probe((5,), 2.5, [np.array(s, np.int64)]) for s in _SEEDS]
      probes += [probe((5,), 2.5, [np.array([3, -4], np.int32)])]
      wrong = [probe(s, 1.5, [np.array(seed, np.int64)], True) for seed in _WRONG_SEEDS
               for s in ((2,), (0,))]
    else:
      probes += [probe((5,), 2.5, _key(*k)) for k in _KEYS]
      wrong = [probe(s, 1.5, _key(*k), True) for k in _WRONG_KEYS for s in ((2,), (0,))]
    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}, shapes and parameters.", probes)
    wrong += [probe(s, 1.5, fed=True) for s in _WRONG_SHAPES]
    wrong += [probe(s, _filled(_ALPHAS, p), fed=True) for s, p in _UNFIT]
    yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of shapes and sources that are none.", wrong)


def _own(op, shape, parameters, seeds, attrs, tolerance=record.EXACT, fed=None):
  """A draw from the node's own stream."""
  shape = _index(shape)
  return Probe(op, [shape, parameters], {"S": _type_of(shape), "seed": seeds[0], "seed2": seeds[1],
                                         **attrs}, tolerance=tolerance, fed=fed)


_FOR_EACH = (((3,), (2,)), ((), (3,)), ((), ()), ((2, 2), (1, 3)), ((0,), (2,)), ((2,), (0,)),
             ((0,), (0,)))


def _own_gammas(dtype):
  def probe(shape, alpha, seeds=(3, 7), fed=None):
    return _own("RandomGamma", shape, op_values.array(alpha, dtype), seeds, {"T": dtype},
                op_tolerance.transcendental(dtype), fed)

  probes = [probe(s, _filled(_ALPHAS, p)) for s, p in _FOR_EACH]
  probes += [probe((40,), a) for a in _ALPHAS]
  probes += [probe((5,), 2.5, s) for s in _SEEDS[1:]]
  yield Group(f"ops/RandomGamma/{dtype.name}", f"Gamma numbers of {dtype.name}.", probes)
  yield Group(f"ops/RandomGamma/{dtype.name}/wrong", "Gamma numbers of shapes that are none.",
              [probe(s, 1.5, fed=True) for s in _WRONG_SHAPES])


def _own_poissons(rate, dtype):
  def probe(shape, lam, seeds=(3, 7), fed=None):
    return _own("RandomPoissonV2", shape, op_values.array(lam, rate), seeds,
                {"R": rate, "dtype": dtype}, fed=fed)

  name = f"ops/RandomPoissonV2/{rate.name}-{dtype.name}"
  probes = [probe(s, _filled(_RATES, p)) for s, p in _FOR_EACH]
  probes += [probe((40,), r) for r in _RATES]
  probes += [probe((5,), 20, s) for s in _SEEDS[1:]]
  yield Group(name, f"Counts as {dtype.name} of rates of {rate.name}.", probes)
  yield Group(f"{name}/wrong", "Counts of shapes that are none.",
              [probe(s, 2, fed=True) for s in _WRONG_SHAPES])


def _poissons(rate, dtype):
  def probe(shape, lam, seed=_SEED, fed=None):
    shape = _index(shape)
    return Probe("StatelessRandomPoisson", [shape, seed, op_values.array(lam, rate)],
                 {"T": _type_of(shape), "Tseed": _type_of(seed), "Rtype": rate, "dtype": dtype},
                 fed=fed)

  name = f"ops/StatelessRandomPoisson/{rate.name}-{dtype.name}"
  probes = [probe(s, _filled(_RATES, p)) for s, p in _FITTING]
  probes += [probe((40,), r) for r in _RATES]
  odd = _ODD_RATES if rate.is_floating else (-1, 50000)
  probes += [probe((20, len(odd)), odd)]
  if rate.size == 8 and dtype.size == 8:
    probes.append(probe((5, 2), (1e12, 9e18)))
  probes += [probe((5,), 20, np.array(s, np.int64)) for s in _SEEDS]
  yield Group(name, f"Counts as {dtype.name} of rates of {rate.name}.", probes)
  wrong = [probe(s, 2, np.array(seed, np.int64), True) for seed in _WRONG_SEEDS
           for s in ((2,), (0,))]
  wrong += [probe(s, 2, fed=True) for s in _WRONG_SHAPES]
  wrong += [probe(s, _filled(_RATES, p), fed=True) for s, p in _UNFIT]
  yield Group(f"{name}/wrong", "Counts of shapes and seeds that are none.", wrong)


def _binomial(shape, counts, probs, number, dtype, seed=_SEED, fed=None):
  shape = _index(shape)
  return Probe("StatelessRandomBinomial",
               [shape, seed, op_values.array(counts, number), op_values.array(probs, number)],
               {"S": _type_of(shape), "Tseed": _type_of(seed), "T": number, "dtype": dtype},
               fed=fed)


# A few, many; on both sides of 1/2, and of 10 that are expected.
_EVENTS = ((20, 0.3), (100, 0.7), (1000, 0.5), (5, 0.999), (33, 0.31), (33, 0.3), (2, 0.1),
           (2000, 0.004), (2000, 0.996), (0, 0.5), (-1, 0.5), (5, 0), (5, 1), (5, -1), (5, 2),
           (2049, 0.00488), (30000, 0.9))
_PAIRS = (((), ()), ((3,), ()), ((), (3,)), ((2, 1), (3,)), ((2, 3), (1, 3)), ((1,), (1,)),
          ((0,), ()))


def _binomials(number, dtype):
  def probe(shape, counts, probs, seed=_SEED, fed=None):
    return _binomial(shape, counts, probs, number, dtype, seed, fed)

  counts, probs = zip(*_EVENTS)
  name = f"ops/StatelessRandomBinomial/{number.name}-{dtype.name}"
  probes = [probe(s, _filled(counts, p), _filled(probs, p)) for s, p in _FITTING]
  for c, p in _PAIRS:
    both = np.broadcast_shapes(c, p)
    probes += [probe((2, *both), _filled(counts, c), _filled(probs, p))]
  probes += [probe((40,), c, p) for c, p in _EVENTS]
  probes += [probe((5,), 30, 0.4, np.array(s, np.int64)) for s in _SEEDS]
  if dtype.is_floating:
    probes += [probe((3,), 6.5, 0.7), probe((2,), 5, np.nan)]
    probes += [probe((4,), np.inf, p) for p in (0.3, 0.8)]
  yield Group(name, f"Counts as {dtype.name} of events of {number.name}.", probes)
  wrong = [probe(s, 9, 0.5, np.array(seed, np.int64), True) for seed in _WRONG_SEEDS
           for s in ((2,), (0,))]
  wrong += [probe(s, 9, 0.5, fed=True) for s in _WRONG_SHAPES]
  wrong += [probe(s, _filled(counts, p), 0.5, fed=True) for s, p in _UNFIT]
  wrong += [probe((n,), [1, 2], [0.5, 0.5, 0.5], fed=True) for n in (3, 0)]
  yield Group(f"{name}/wrong", "Counts of shapes and seeds that are none.", wrong)
