"""Groups for connectionist temporal classification.

Left out: labels of which all are blank, for which TensorFlow writes outside of its memory. Its
exponentials are those of float in double, too. Of texts that are equally likely TensorFlow takes
any, so that a search has scores of which few sums are equal. Sequences outside of the output, which
EditDistance calls an internal error, or writes elsewhere.
"""

import numpy as np
import record
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_sets import sparse
from op_shape import Maker

_DTYPES = (tf.float32, tf.float64)
_NEAR = record.Tolerance(ulps=4, absolute=2e-5)


def groups():
  """All groups, in a fixed order."""
  for dtype in _DTYPES:
    yield from _loss(dtype)
    yield from _greedy(dtype)
    yield from _beam(dtype)
  for dtype in dtypes_of("EditDistance"):
    yield from _distance(dtype)


def _scores(dtype, shape):
  random = np.random.RandomState(seed_of(f"{dtype.name}{shape}"))
  return (random.randint(-16, 17, shape) / 8.0).astype(dtype.as_numpy_dtype)


def _loss(dtype):
  name = f"ops/CTCLoss/{dtype.name}"

  def probe(shape, labels, lengths, collapse=False, merge=True, ignore=False, places=None, fed=None):
    if places is None:
      places = [[b, i] for b, row in enumerate(labels) for i in range(len(row))]
      labels = [label for row in labels for label in row]
    return Probe("CTCLoss", [_scores(dtype, shape), np.array(places, np.int64),
                             np.array(labels, np.int32), np.array(lengths, np.int32)],
                 {"T": dtype, "preprocess_collapse_repeated": collapse,
                  "ctc_merge_repeated": merge, "ignore_longer_outputs_than_inputs": ignore},
                 outputs=2, tolerance=_NEAR, fed=fed)

  good = (((5, 1, 4), [[0, 1, 2]], [5]), ((6, 2, 3), [[0, 0, 1], [1]], [6, 3]),
          ((4, 3, 5), [[3], [2, 2], [0, 1]], [1, 3, 4]), ((3, 1, 3), [[0, 2]], [3]),
          ((9, 1, 3), [[0, 1, 0, 1]], [9]), ((2, 1, 3), [[1, 1]], [2]))
  yield Group(name, f"CTCLoss of {dtype.name}.",
              [probe(*p, collapse=c, merge=m) for p in good for c in (False, True)
               for m in (False, True)] +
              [probe((3, 2, 4), [[0, 1, 2, 0], [1]], [3, 2], ignore=True),
               probe((2, 1, 3), [1], [2], places=[[0, 5]])])
  wrong = (((2, 1, 3), [[1, 0, 1]], [2]), ((2, 2, 3), [[1], []], [2, 2]), ((2, 1, 3), [[-1]], [2]),
           ((2, 1, 3), [[2, 1]], [2]), ((2, 1, 3), [[1]], [3]), ((2, 1, 3), [[1]], [-1]),
           ((2, 1, 3), [[1]], [1, 1]), ((2, 3), [[1]], [2]), ((2, 1, 3), [[1]], 2))
  yield Group(f"{name}/wrong", f"CTCLoss of {dtype.name} of labels or lengths that do not fit.",
              [probe(*p, fed=True) for p in wrong] +
              [probe((2, 1, 3), v, [2], places=p, fed=True)
               for v, p in (([1], [[1, 0]]), ([1, 1], [[0, 1], [0, 0]]), ([1], [[0, 0, 0]]),
                            ([1, 1], [[0, 0]]), ([1], [0, 0]), ([1], [[0, -1]]))])


def _greedy(dtype):
  name = f"ops/CTCGreedyDecoder/{dtype.name}"

  def probe(shape, lengths, merge=False, blank=-1, fed=None):
    return Probe("CTCGreedyDecoder", [_scores(dtype, shape), np.array(lengths, np.int32)],
                 {"T": dtype, "merge_repeated": merge, "blank_index": blank}, outputs=4,
                 tolerance=_NEAR, fed=fed)

  good = (((5, 1, 4), [5]), ((6, 3, 2), [6, 3, 0]), ((12, 2, 3), [12, 7]), ((1, 1, 1), [1]),
          ((3, 1, 3), [-1]))
  yield Group(name, f"CTCGreedyDecoder of {dtype.name}.",
              [probe(*p, m) for p in good for m in (False, True)] +
              [probe((12, 2, 3), [12, 7], True, b) for b in (0, 1, -3)])
  wrong = (((3, 1, 3), [4]), ((3, 1, 3), [1, 1]), ((0, 1, 3), [0]), ((3, 3), [1]),
           ((3, 1, 3), 1))
  yield Group(f"{name}/wrong", f"CTCGreedyDecoder of {dtype.name} of lengths that do not fit.",
              [probe(*p, fed=True) for p in wrong] +
              [probe((3, 1, 3), [3], False, b, fed=True) for b in (3, -4)])


def _beam(dtype):
  name = f"ops/CTCBeamSearchDecoder/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def scores(*shape):
    return random.uniform(-3, 3, shape).astype(dtype.as_numpy_dtype)

  def probe(values, lengths, width=4, paths=2, merge=True, fed=None):
    return Probe("CTCBeamSearchDecoder", [values, np.array(lengths, np.int32)],
                 {"T": dtype, "beam_width": width, "top_paths": paths, "merge_repeated": merge},
                 outputs=3 * paths + 1, tolerance=_NEAR, fed=fed)

  yield Group(name, f"CTCBeamSearchDecoder of {dtype.name}.",
              [probe(scores(t, len(n), c), n, w, p, m)
               for t, n, c in ((2, [2], 2), (5, [5], 4), (6, [6, 3, 2], 3), (12, [12, 7], 3),
                               (20, [20, 11], 6))
               for w, p in ((1, 1), (3, 2), (10, 2), (500, 2)) for m in (False, True)
               if w >= p] +
              [probe(scores(3, 2, 3), [-1, 0], 3, 1), probe(scores(3, 1, 1), [3], 3, 1)])
  nan, inf = np.nan, np.inf
  special = np.array([[[nan, 1, 2]], [[inf, 1, 2]], [[-inf, -inf, -inf]]], dtype.as_numpy_dtype)
  impossible = np.array([[[-1, -2, -inf]], [[-3, -1, -2]], [[-1, -1.5, -2.25]]],
                        dtype.as_numpy_dtype)
  yield Group(f"{name}/special", f"CTCBeamSearchDecoder of {dtype.name} of no probabilities.",
              [probe(special[i:i + 1], [1], 3, 1) for i in range(3)] +
              [probe(special, [3], 3, 1), probe(impossible, [1], 3, 2)])
  wrong = (((3, 1, 3), [4]), ((3, 1, 3), [1, 1]), ((0, 1, 3), [0]), ((3, 3), [1]),
           ((3, 1, 3), 1))
  yield Group(f"{name}/wrong", f"CTCBeamSearchDecoder of {dtype.name} of what does not fit.",
              [probe(scores(*s), n, fed=True) for s, n in wrong] +
              [probe(scores(3, 1, 3), [3], 1, 2, fed=True),
               probe(scores(3, 1, 3), [0], 3, 2, fed=True)])


# Places and shapes of sequences: of two and three dimensions, some missing, in no order.
_SEQUENCES = (([[0, 0], [0, 1], [1, 0]], [2, 3]), ([[1, 2], [1, 4], [2, 0], [2, 1]], [3, 5]),
              ([[1, 1], [1, 0], [0, 7], [1, -2]], [2, 2]), ([], [1, 4]),
              ([[0, i] for i in range(9)], [1, 9]))
_DEEP = (([[0, 0, 1], [1, 1, 0], [1, 1, 2]], [2, 2, 3]), ([[0, 1, 0], [1, 1, 1]], [3, 2, 2]))
_NO_SEQUENCES = (([[0]], [2]), ([[0, 0, 0]], [2, 3]), ([0, 0], [2, 3]), ([[0, 0]], 2),
                 ([[0, 0]], [2, -3]), ([[0, 0]], [2**40, 2**40]))


def _distance(dtype):
  name = f"ops/EditDistance/{dtype.name}"
  make = Maker(name, dtype)

  def probe(hypothesis, truth, normalize=True, fed=None):
    return Probe("EditDistance", [*sparse(make, *hypothesis), *sparse(make, *truth)],
                 {"T": dtype, "normalize": normalize}, fed=fed)

  pairs = [(a, b) for a in _SEQUENCES for b in _SEQUENCES] + [_DEEP, _DEEP[::-1]]
  yield Group(name, f"EditDistance of sequences of {dtype.name}.",
              [probe(a, b, n) for a, b in pairs for n in (True, False)])
  yield Group(f"{name}/wrong", f"EditDistance of {dtype.name} of what does not fit.",
              [probe(_SEQUENCES[0], p, fed=True) for p in _NO_SEQUENCES] +
              [probe(p, _SEQUENCES[0], fed=True) for p in _NO_SEQUENCES] +
              [probe(_SEQUENCES[0], _DEEP[0], fed=True),
               probe(([], [0, 3]), ([], [0, 2]), fed=True)])
