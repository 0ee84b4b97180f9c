"""Scenarios for random numbers by the state of a generator, which is a variable.

Left out: states of more than three for RngReadAndSkip, which end TensorFlow's process, and
NonDeterministicInts but for its errors, since nobody can tell what it gives.
"""

import numpy as np
import op_tolerance
import record
from op_probe import Group
from op_probe import Probe
from op_probe import StepMaker
from op_probe import tf

_FLOATS = (tf.half, tf.bfloat16, tf.float32, tf.float64)
_WHOLES = (tf.int32, tf.int64, tf.uint32, tf.uint64)
_SHAPES = ((3,), (), (0,), (2, 3), (5, 1, 2), (33,))
# Of which the counter carries, and is all that there is.
_STATES = ([1, 2, 3], [-1, -1, 5], [-2, 2**62, -7], [2**63 - 1, -2**63, 2**40], [1, 2, 3, 4, 5])
_NO_STATES = ([1, 2], [], [[1, 2, 3]], 1)


def groups():
  """All scenarios, in a fixed order."""
  for op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"):
    for dtype in _FLOATS:
      yield _draws(op, dtype)
  for dtype in _WHOLES:
    yield _draws("StatefulUniformFullInt", dtype)
  for dtype in (tf.int32, tf.int64):
    yield _ints(dtype)
  for dtype in (tf.half, tf.float32, tf.float64):
    for output in (dtype, tf.int32, tf.int64):
      yield _binomial(dtype, output)
  yield _skip("RngSkip", tf.int64, np.int64, (1, 10, -10, 2**56, 2**62 + 3, 0))
  yield _skip("RngReadAndSkip", tf.int32, np.uint64, (1, 10, 2**64 - 1, 2**56, 2**63 + 3, 0))
  yield Group("ops/NonDeterministicInts", "No numbers at all, and shapes that are none.",
              [Probe("NonDeterministicInts", [np.array(s, np.int64)],
                     {"dtype": dtype, "shape_dtype": tf.int64}, fed=True)
               for dtype in _WHOLES for s in ([0], [2, 0], [-1], [[1]], 3)])


class _Generator(StepMaker):
  """A graph with a state, and steps that set it, change it and read it."""

  def __init__(self, algorithm=tf.int64):
    super().__init__()
    self.g.add("VarHandleOp", name="v", dtype=tf.int64, shape=tf.TensorShape(None), shared_name="v")
    self.g.placeholder("state", tf.int64)
    # Computed: the memory of what is fed may not be aligned, which some kernels ask for.
    computed = self.g.add("AddV2", "state", self.g.const(np.array(0, np.int64)), T=tf.int64)
    self.g.add("AssignVariableOp", "v", computed, name="set", dtype=tf.int64)
    self.g.add("ReadVariableOp", "v", name="read", dtype=tf.int64)
    self.g.placeholder("alg", algorithm)
    self._algorithm = algorithm.as_numpy_dtype

  def set(self, state):
    self.steps.append(record.Step([], {"state": np.array(state, np.int64)}, ["set"]))

  def run(self, alg=1, fetches=(), targets=(), tolerance=record.EXACT, **feeds):
    feeds["alg"] = np.array(alg, self._algorithm)
    tolerances = {fetch: tolerance for fetch in fetches}
    self.steps.append(record.Step(list(fetches), feeds, list(targets), tolerance=tolerances))
    self.steps.append(record.Step(["read"]))

  def refuse(self, state=(1, 2, 3), **step):
    self.set(state)
    self.run(**step)


def _shape(dims):
  return np.array(dims, np.int64)


def _draws(op, dtype):
  v = _Generator()
  v.g.add(op, "v", "alg", v.g.placeholder("shape", tf.int64), name="draw", dtype=dtype,
          shape_dtype=tf.int64)
  tolerance = record.EXACT if "Uniform" in op else op_tolerance.transcendental(dtype)
  draw = {"fetches": ["draw"], "tolerance": tolerance}
  v.run(shape=_shape((2,)), **draw)
  for state in _STATES:
    v.set(state)
    for shape in _SHAPES:
      v.run(shape=_shape(shape), **draw)
  v.run(alg=3, shape=_shape((700,)), **draw)
  for alg in (0, 2, 4, -1, [1]):
    v.refuse(alg=alg, shape=_shape((2,)), **draw)
    v.refuse(alg=alg, shape=_shape((0,)), **draw)
  for shape in ([-1], 3, [[2]]):
    v.refuse(shape=_shape(shape), **draw)
  for state in _NO_STATES:
    v.refuse(state, shape=_shape((2,)), **draw)
    v.refuse(state, shape=_shape((0,)), **draw)
  return v.scenario(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}, draw by draw.")


def _ints(dtype):
  v = _Generator()
  v.g.add("StatefulUniformInt", "v", "alg", v.g.placeholder("shape", tf.int64),
          v.g.placeholder("low", dtype), v.g.placeholder("high", dtype), name="draw", dtype=dtype,
          shape_dtype=tf.int64)
  info = np.iinfo(dtype.as_numpy_dtype)

  def feeds(low, high, shape=(3,)):
    low, high = (np.array(x, dtype.as_numpy_dtype) for x in (low, high))
    return {"fetches": ["draw"], "low": low, "high": high, "shape": _shape(shape)}

  v.set([1, 2, 3])
  for bounds in ((0, 5), (-7, -3), (info.min, info.max), (info.max - 1, info.max)):
    for shape in _SHAPES:
      v.run(**feeds(*bounds, shape))
  for low, high in ((5, 5), (5, 2), ([0], 5), (0, [5])):
    v.refuse(**feeds(low, high))
    v.refuse(**feeds(low, high, (0,)))
  return v.scenario(f"ops/StatefulUniformInt/{dtype.name}", "Integers of ranges, draw by draw.")


def _binomial(dtype, output):
  v = _Generator()
  v.g.add("StatefulRandomBinomial", "v", "alg", v.g.placeholder("shape", tf.int32),
          v.g.placeholder("counts", dtype), v.g.placeholder("probs", dtype), name="draw", S=tf.int32,
          T=dtype, dtype=output)

  def feeds(shape, counts, probs):
    counts, probs = (np.array(x, dtype.as_numpy_dtype) for x in (counts, probs))
    # TensorFlow's process ends at a shape of int64.
    shape = np.array(shape, np.int32)
    return {"fetches": ["draw"], "shape": shape, "counts": counts, "probs": probs}

  draws = (((3,), 9, 0.25), ((0,), 9, 0.25), ((4, 2), [9, 3], 0.25), ((5, 2), [9, 3], [0.25, 0.75]),
           ((7, 2, 3), [[9], [40]], [0.25, 0.5, 0.75]), ((9,), 50, 0.5), ((2, 0), np.zeros(0), 0.5))
  for state in _STATES[:3]:
    v.set(state)
    for draw in draws:
      v.run(**feeds(*draw))
  for alg in (0, 2, 3, 4, [1]):
    v.refuse(alg=alg, **feeds((3,), 9, 0.25))
  for draw in (((2,), [[9, 3]], 0.5), ((2,), [9, 3, 4], [0.25, 0.5]), ((-1,), 9, 0.25), (3, 9, 0.25)):
    v.refuse(**feeds(*draw))
  for state in _NO_STATES:
    v.refuse(state, **feeds((3,), 9, 0.25))
  return v.scenario(f"ops/StatefulRandomBinomial/{dtype.name}-{output.name}",
                    f"Counts of {output.name}, by {dtype.name}.")


def _skip(op, algorithm, delta, distances):
  v = _Generator(algorithm)
  v.g.add(op, "v", "alg", v.g.placeholder("delta", tf.dtypes.as_dtype(delta)), name="skip")
  does = {"fetches": ["skip"]} if op == "RngReadAndSkip" else {"targets": ["skip"]}
  v.run(delta=delta(1), **does)
  for state in _STATES[:4]:
    v.set(state)
    for distance in distances:
      v.run(delta=delta(distance), **does)
  v.run(alg=3, delta=delta(5), **does)
  for alg in (0, 2, 4, -1, [1]):
    v.refuse(alg=alg, delta=delta(1), **does)
  v.refuse(delta=np.array([1], delta), **does)
  for state in _NO_STATES:
    v.refuse(state, delta=delta(1), **does)
  return v.scenario(f"ops/{op}", "A state that is moved, and where it then stands.")
