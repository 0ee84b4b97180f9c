"""Scenarios of reference variables that are counted and scattered into, and a few ops that only
pass on what they get."""

import numpy as np
import op_values
import record
from op_probe import Group
from op_probe import GraphMaker
from op_probe import Probe
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf


def groups():
  """All groups and scenarios, in a fixed order."""
  for dtype in dtypes_of("CountUpTo"):
    yield _count(dtype)
  for op in ("ScatterUpdate", "ScatterAdd", "ScatterSub"):
    for dtype in dtypes_of(op):
      for index in (tf.int32, tf.int64):
        yield _scatter(op, dtype, index)
  for dtype in (tf.float32, tf.int32, tf.bool, tf.string):
    yield _pass_on(dtype)
  yield _placeholder()
  for dtype in (tf.float32, tf.int32):
    yield _array_gradient(dtype)


def _variable(g, dtype, value):
  g.add("VariableV2", name="v", dtype=dtype, shape=tf.TensorShape(value.shape), container="",
        shared_name="")
  g.add("Assign", "v", g.const(value, name="start"), name="set", T=dtype)
  g.add("Identity", "v", name="now", T=dtype)


def _count(dtype):
  g = GraphMaker()
  _variable(g, dtype, op_values.array(5, dtype))
  g.add("CountUpTo", "v", name="count", T=dtype, limit=7)
  counts = [record.Step(["count"]) for _ in range(4)]
  steps = counts[:1] + [record.Step([], targets=["set"])] + counts + [record.Step(["now"])]
  return Scenario(f"ops/CountUpTo/{dtype.name}", "Counting up to a limit, and no further.", g.graph,
                  steps)


def _scatter(op, dtype, index):
  """Each refused step is followed by a new start: TensorFlow may have written part of it."""
  name = f"ops/{op}/{dtype.name}/{index.name}"
  random = np.random.RandomState(seed_of(name))
  values = lambda *shape: op_values.plain(shape, dtype, random)
  places = lambda flat: op_values.array(flat, index)
  g = GraphMaker()
  _variable(g, dtype, values(4, 2))
  g.placeholder("at", index)
  g.placeholder("by", dtype)
  g.add(op, "v", "at", "by", name="scatter", T=dtype, Tindices=index)
  start = record.Step([], targets=["set"])
  scatter = lambda at, by: record.Step(["scatter"], {"at": places(at), "by": by})
  steps = [scatter([0], values(1, 2)), start]
  for at, by in (([2, 0], values(2, 2)), ([[1], [3]], values(2, 1, 2)), (1, values(2)),
                 (np.zeros(0), values(0, 2)), ([0, 3], values())):
    steps += [scatter(at, by), record.Step(["now"])]
  if op != "ScatterUpdate":
    steps.append(scatter([1, 1, 1], values(3, 2)))
  for at, by in (([4], values(1, 2)), ([-1], values(1, 2)), ([0], values(2, 2)), ([0], values(1, 3)),
                 ([[0]], values(1, 2))):
    steps += [scatter(at, by), start]
  return Scenario(name, f"{op} into the rows of a {dtype.name} variable.", g.graph, steps)


def _pass_on(dtype):
  name = f"ops/PreventGradient/{dtype.name}"
  random = np.random.RandomState(seed_of(name))
  return Group(name, f"PreventGradient passes {dtype.name} on.", [
      Probe("PreventGradient", [op_values.plain(shape, dtype, random)], {"T": dtype, "message": "m"})
      for shape in ((), (3,), (2, 3), (0, 2))
  ])


def _placeholder():
  g = GraphMaker()
  g.graph.versions.producer = 22  # TensorFlow takes it in old graphs alone
  g.add("PlaceholderV2", name="x", dtype=tf.float32, shape=tf.TensorShape([None, 2]))
  g.add("Neg", "x", name="minus", T=tf.float32)
  fed = [record.Step(["minus"], {"x": np.ones(shape, np.float32)})
         for shape in ((1, 2), (0, 2), (2,), (2, 3))]
  return Scenario("ops/PlaceholderV2/fed", "A PlaceholderV2 is fed what fits its shape.", g.graph,
                  fed + [record.Step(["minus"])])


def _array_gradient(dtype):
  """The gradient array of an array, with more dimensions in front of each element."""
  g = GraphMaker()
  value = op_values.array([[1, 2], [3, 4]], dtype)
  g.add("TensorArrayV3", g.const(np.int32(2), name="size"), name="array", dtype=dtype,
        element_shape=tf.TensorShape(None), dynamic_size=False, clear_after_read=True,
        identical_element_shapes=False, tensor_array_name="")
  g.add("TensorArrayScatterV3", "array", g.const(np.int32([0, 1]), name="places"),
        g.const(value, name="value"), "array:1", name="scatter", T=dtype)
  g.add("TensorArrayGradWithShape", "array", "scatter", g.const(np.int32([3]), name="front"),
        name="grad", source="gradients")
  g.add("TensorArrayWriteV3", "grad", g.const(np.int32(0), name="first"),
        g.const(op_values.array([[1, 2]] * 3, dtype), name="part"), "grad:1", name="write", T=dtype)
  g.add("TensorArrayReadV3", "grad", "first", "write", name="read", dtype=dtype)
  g.add("TensorArraySizeV3", "grad", "grad:1", name="length")
  g.add("TensorArrayWriteV3", "grad", "first", g.const(op_values.array([1, 2], dtype), name="bare"),
        "grad:1", name="unfit", T=dtype)
  steps = [record.Step(["length"]), record.Step(["read"]), record.Step(["unfit"])]
  return Scenario(f"ops/TensorArrayGradWithShape/{dtype.name}",
                  "A gradient array whose elements have dimensions in front.", g.graph, steps)
