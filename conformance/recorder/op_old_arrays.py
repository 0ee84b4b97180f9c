"""Scenarios of TensorArrays and stacks by the ops that old graphs have for them."""

import numpy as np
import op_values
import record
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import tf


def groups():
  """All scenarios, in a fixed order."""
  for version in ("", "V2"):
    for dtype in (tf.float32, tf.int32, tf.string):
      yield _array(version, dtype)
    yield _gradient(version)
  for dtype in (tf.float32, tf.int32):
    yield _packed(dtype)
    yield _stack(dtype)


class _Array:
  """An array by the ops of a version, whose flow is threaded through the calls."""

  def __init__(self, g, version, dtype, size=3):
    self.g, self.version, self.dtype = g, version, dtype
    g.graph.versions.producer = 15  # TensorFlow takes these ops in old graphs alone
    attrs = {} if version == "" else {"element_shape": tf.TensorShape(None)}
    self.handle = g.add("TensorArray" + version, g.const(np.int32(size)), name="array", dtype=dtype,
                        dynamic_size=False, clear_after_read=False, tensor_array_name="", **attrs)
    self.flow = g.const(np.float32(0))

  def call(self, op, *inputs, name=None, **attrs):
    return self.g.add(f"TensorArray{op}{self.version}", self.handle, *inputs, self.flow, name=name, **attrs)

  def write(self, index, value, name=None):
    self.flow = self.call("Write", self.g.const(np.int32(index)), self.g.const(value), name=name, T=self.dtype)


def _array(version, dtype):
  g = GraphMaker()
  values = lambda *flat: op_values.array(list(flat), dtype)
  array = _Array(g, version, dtype)
  for i in range(3):
    array.write(i, values(i, 1))
  steps = [record.Step([array.call("Read", g.const(np.int32(i)), name=f"read{i}", dtype=dtype)])
           for i in (0, 2, 3, -1)]
  steps.append(record.Step([array.call("Gather", g.const(np.int32([2, 0])), name="gathered", dtype=dtype)]))
  steps.append(record.Step([array.call("Concat", name="all", dtype=dtype), "all:1"]))
  steps.append(record.Step([array.call("Size", name="size")]))
  g.add("TensorArrayClose" + version, array.handle, name="close", control=["size"])
  steps.append(record.Step(["size"], targets=["close"]))
  return Scenario(f"ops/TensorArray{version}/{dtype.name}", "An array that is written and read.", g.graph, steps)


def _parts(version):
  g = GraphMaker()
  array = _Array(g, version, tf.float32)
  value = g.const(np.float32([[1, 2], [3, 4], [5, 6]]))
  array.flow = array.call("Scatter", g.const(np.int32([0, 2, 1])), value, name="scattered", T=tf.float32)
  return g, array


def _gradient(version):
  g, array = _parts(version)
  grad = g.add("TensorArrayGrad" + version, array.handle, array.flow, name="grad", source="gradients")
  flow = array.flow
  for i, value in enumerate(([1, 2], [10, 20])):
    flow = g.add("TensorArrayWrite" + version, grad, g.const(np.int32(1)), g.const(np.float32(value)), flow,
                 name=f"write{i}", T=tf.float32)
  g.add("TensorArrayRead" + version, grad, g.const(np.int32(1)), flow, name="sum", dtype=tf.float32)
  g.add("TensorArrayRead" + version, grad, g.const(np.int32(0)), flow, name="none", dtype=tf.float32)
  g.add("TensorArraySplit" + version, array.handle, g.const(np.float32(np.ones(4))), g.const(np.int64([1, 3])),
        array.flow, name="split", T=tf.float32)
  steps = [record.Step(["sum"]), record.Step(["none"]), record.Step(["split"])]
  return Scenario(f"ops/TensorArrayGrad{version}/sums", "What is written to a gradient array is added.", g.graph,
                  steps)


def _packed(dtype):
  g = GraphMaker()
  array = _Array(g, "", dtype)
  value = op_values.array([[1, 2], [3, 4], [5, 6]], dtype)
  array.flow = array.call("Unpack", g.const(value), name="unpacked", T=dtype)
  steps = [record.Step([array.call("Pack", name="packed", dtype=dtype, element_shape=tf.TensorShape(None))])]
  return Scenario(f"ops/TensorArrayPack/{dtype.name}", "An array from a tensor and back.", g.graph, steps)


def _stack(dtype):
  g = GraphMaker()
  g.add("Stack", name="stack", elem_type=dtype, stack_name="s")
  before = "stack"
  for i in range(2):
    before = g.add("StackPush", "stack", g.const(op_values.array([i, 1], dtype)), name=f"push{i}",
                   control=[before], T=dtype, swap_memory=False)
  for i in range(3):
    before = g.add("StackPop", "stack", name=f"pop{i}", control=[before], elem_type=dtype)
  g.add("StackClose", "stack", name="close", control=["pop1"])
  steps = [record.Step(["pop0", "pop1"]), record.Step(["pop2"]), record.Step(["pop0"], targets=["close"])]
  return Scenario(f"ops/StackPop/{dtype.name}", "A stack gives what came last.", g.graph, steps)
