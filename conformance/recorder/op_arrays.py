"""Scenarios for TensorArrays and stacks outside of loops."""

import numpy as np
import record
from op_probe import DTYPES
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker


def groups():
  """All scenarios, in a fixed order."""
  for dtype in dtypes_of("TensorArrayWriteV3"):
    yield _write_read(dtype)
    yield _whole(dtype)
    yield _pieces(dtype)
  for dtype in dtypes_of("AssignAdd"):
    yield _gradient(dtype)
  for clear in (False, True):
    yield _read_twice(clear)
  for dtype in DTYPES:
    yield _stack(dtype)
  yield _stack_errors()


class Array:
  """A TensorArray in a graph, with its flow threaded through the calls."""

  def __init__(self, g, dtype, size, name="ta", **attrs):
    self.g, self.dtype, self.handle = g, dtype, name
    g.add("TensorArrayV3", size, name=name, dtype=dtype, **attrs)
    self.flow = f"{name}:1"

  def write(self, index, value, name=None):
    self.flow = self.g.add("TensorArrayWriteV3",
                           self.handle,
                           index,
                           value,
                           self.flow,
                           name=name,
                           T=self.dtype)
    return self.flow

  def read(self, index, name, control=()):
    return self.g.add("TensorArrayReadV3",
                      self.handle,
                      index,
                      self.flow,
                      name=name,
                      control=control,
                      dtype=self.dtype)

  def gather(self, indices, name, **attrs):
    return self.g.add("TensorArrayGatherV3",
                      self.handle,
                      indices,
                      self.flow,
                      name=name,
                      dtype=self.dtype,
                      **attrs)

  def scatter(self, indices, value):
    self.flow = self.g.add("TensorArrayScatterV3",
                           self.handle,
                           indices,
                           value,
                           self.flow,
                           T=self.dtype)

  def concat(self, name, **attrs):
    return self.g.add("TensorArrayConcatV3",
                      self.handle,
                      self.flow,
                      name=name,
                      dtype=self.dtype,
                      **attrs)

  def split(self, value, lengths):
    self.flow = self.g.add("TensorArraySplitV3",
                           self.handle,
                           value,
                           lengths,
                           self.flow,
                           T=self.dtype)

  def size(self, name):
    return self.g.add("TensorArraySizeV3", self.handle, self.flow, name=name)

  def gradient(self, source="g", flow=None):
    """The gradient array; its accumulations go to the same places."""
    other = object.__new__(Array)
    name = self.g.add("TensorArrayGradV3", self.handle, flow or self.flow, source=source)
    other.g, other.dtype, other.handle, other.flow = self.g, self.dtype, name, f"{name}:1"
    return other


def integers(g, *values):
  """An int32 Const: a scalar of one value, else a vector."""
  return g.const(np.array(values if len(values) != 1 else values[0], np.int32))


def _write_read(dtype):
  make = Maker(f"ops/TensorArrayV3/{dtype.name}", dtype)
  g = GraphMaker()
  ta = Array(g, dtype, integers(g, 4), clear_after_read=False)
  x, i = g.placeholder("x", dtype), g.placeholder("i", tf.int32)
  ta.write(integers(g, 2), x, "first")
  ta.write(integers(g, 0), g.const(make.values(()) if dtype != tf.string else make.values(())),
           "second")
  ta.read(i, "read")
  ta.size("size")
  steps = []
  for shape in ((), (2,), (2, 0), (1, 2, 1)):
    x = {"x": make.values(shape)}
    steps += [record.Step(["read"], {**x, "i": np.int32(i)}) for i in (2, 0, 1, 4, -1)]
  steps += [
      record.Step(["size"], {"x": make.values(())}),
      record.Step(["second"], {"x": make.values(())})
  ]
  return Scenario(f"ops/TensorArrayV3/{dtype.name}/write-read",
                  f"Writing and reading {dtype.name}.", g.graph, steps)


def _whole(dtype):
  """Scatter and Gather."""
  make = Maker(f"ops/TensorArrayScatterV3/{dtype.name}", dtype)
  g = GraphMaker()
  ta = Array(g, dtype, g.placeholder("n", tf.int32), clear_after_read=False, dynamic_size=False)
  ta.scatter(g.placeholder("where", tf.int32), g.placeholder("x", dtype))
  ta.gather(g.placeholder("which", tf.int32), "gather")
  ta.read(integers(g, 0), "read")

  def step(n, where, shape, which, fetches=("gather",)):
    return record.Step(list(fetches), {
        "n": np.int32(n),
        "where": np.int32(where),
        "x": make.values(shape),
        "which": np.int32(which)
    })

  steps = [
      step(3, [0, 1, 2], (3,), [2, 0]),
      step(3, [2, 0, 1], (3, 2), [0, 1, 2, 2], ("gather", "read")),
      step(3, [1], (1, 2), [1]),
      step(3, [0, 1, 2], (3, 0), [0, 1]),
      step(2, [0, 1], (2, 1, 2), [1, 0]),
      step(2, [0, 0], (2,), [0]),
      step(2, [0, 2], (2,), [0]),
      step(2, [0], (2,), [0]),
      step(2, [0], (), [0]),
      step(2, [0, 1], (2,), [0, 2]),
      step(2, [0], (1,), [1]),
      step(2, [0, 1], (2,), [[0, 1]]),
      step(0, [], (0, 2), []),
      step(2, [0, 1], (2, 3), [])
  ]
  return Scenario(f"ops/TensorArrayScatterV3/{dtype.name}", f"Scatter and Gather of {dtype.name}.",
                  g.graph, steps)


def _pieces(dtype):
  """Split and Concat."""
  make = Maker(f"ops/TensorArraySplitV3/{dtype.name}", dtype)
  g = GraphMaker()
  ta = Array(g, dtype, g.placeholder("n", tf.int32), clear_after_read=False)
  ta.split(g.placeholder("x", dtype), g.placeholder("lengths", tf.int64))
  if dtype not in (tf.resource, tf.variant):
    ta.concat("concat")
  ta.read(integers(g, 1), "read")

  def step(n, shape, lengths, fetches):
    return record.Step(fetches, {
        "n": np.int32(n),
        "x": make.values(shape),
        "lengths": np.array(lengths, np.int64)
    })

  steps = [
      step(2, (5,), [2, 3], ["concat", "concat:1", "read"]),
      step(2, (3, 2), [2, 1], ["concat", "read"]),
      step(3, (3, 2), [1, 2, 0], ["read", "concat:1"]),
      step(2, (2, 1, 2), [1, 1], ["concat", "concat:1"]),
      step(2, (5,), [2, 2], ["concat"]),
      step(2, (5,), [1, 2, 2], ["concat"]),
      step(3, (5,), [2, 3], ["concat"]),
      step(1, (), [1], ["concat"]),
      step(2, (4,), [[2, 2]], ["concat"])
  ]
  # A negative length is left out: TensorFlow's process dies of it.
  return Scenario(f"ops/TensorArraySplitV3/{dtype.name}", f"Split and Concat of {dtype.name}.",
                  g.graph, steps)


def _gradient(dtype):
  """The gradient array sums what is written twice."""
  make = Maker(f"ops/TensorArrayGradV3/{dtype.name}", dtype)
  g = GraphMaker()
  ta = Array(g, dtype, integers(g, 3), clear_after_read=False)
  x = g.placeholder("x", dtype)
  for i in range(3):
    ta.write(integers(g, i), x)
  ta.flow = g.add("Identity", ta.flow, T=tf.float32)
  grad = ta.gradient()
  for i, value in ((0, "y"), (0, "x"), (2, "y"), (0, "y")):
    if value == "y" and i == 0 and not any(n.name == "y" for n in g.graph.node):
      g.placeholder("y", dtype)
    grad.write(integers(g, i), value)
  for i in range(3):
    grad.read(integers(g, i), f"g{i}")
  again = ta.gradient("g", grad.flow)
  again.read(integers(g, 2), "same")
  other = ta.gradient("h")
  other.read(integers(g, 0), "other")
  steps = [
      record.Step(["g0", "g2"], {
          "x": make.values(s),
          "y": make.values(s)
      }) for s in ((), (2,), (1, 3))
  ]
  feeds = {"x": make.values((2,)), "y": make.values((2,))}
  steps += [record.Step([f], feeds) for f in ("g1", "same", "other")]
  steps.append(record.Step(["g0"], {"x": make.values((2,)), "y": make.values((3,))}))
  return Scenario(f"ops/TensorArrayGradV3/{dtype.name}",
                  f"The gradient array of {dtype.name} sums.", g.graph, steps)


def _read_twice(clear):
  g = GraphMaker()
  ta = Array(g, tf.float32, integers(g, 2), clear_after_read=clear)
  ta.write(integers(g, 0), g.const(np.float32([1, 2])))
  ta.read(integers(g, 0), "once")
  ta.read(integers(g, 0), "twice", control=["once"])
  ta.gather(integers(g, 0, 0), "both")
  return Scenario(f"ops/TensorArrayReadV3/clear-{clear}", "Reading one element twice.", g.graph,
                  [record.Step(["once"]),
                   record.Step(["once", "twice"]),
                   record.Step(["both"])])


def _stack(dtype):
  make = Maker(f"ops/StackV2/{dtype.name}", dtype)
  g = GraphMaker()
  g.add("StackV2", integers(g, -1), name="stack", elem_type=dtype, stack_name="s")
  before = []
  for i in range(3):
    before = [
        g.add("StackPushV2",
              "stack",
              g.placeholder(f"x{i}", dtype),
              name=f"push{i}",
              control=before,
              T=dtype,
              swap_memory=i == 1)
    ]
  for i in range(4):
    before = [g.add("StackPopV2", "stack", name=f"pop{i}", control=before, elem_type=dtype)]
  g.add("StackCloseV2", "stack", name="close", control=["pop1"])
  g.add("StackPopV2", "stack", name="pop_closed", control=["close"], elem_type=dtype)
  feeds = {f"x{i}": make.values(s) for i, s in enumerate(((), (2,), (0, 3)))}
  steps = [
      record.Step(f, feeds) for f in (["push0", "push1", "push2"], ["pop0", "pop1", "pop2"],
                                      ["pop2"], ["pop3"], ["pop_closed"])
  ]
  steps.append(record.Step(["pop0"], feeds, ["close"]))
  return Scenario(f"ops/StackV2/{dtype.name}", f"Last in, first out, of {dtype.name}.", g.graph,
                  steps)


def _stack_errors():
  g = GraphMaker()
  g.add("StackV2", g.placeholder("size", tf.int32), name="stack", elem_type=tf.int32)
  before = []
  for i in range(3):
    before = [
        g.add("StackPushV2", "stack", integers(g, i), name=f"push{i}", control=before, T=tf.int32)
    ]
  g.add("StackPopV2", "stack", name="pop", elem_type=tf.int32)
  g.add("StackPushV2", "stack", g.const(np.float32(1)), name="wrong_push", T=tf.float32)
  g.add("StackPopV2", "stack", name="wrong_pop", control=["push0"], elem_type=tf.float32)
  g.add("StackV2", g.const(np.int32([1, 2])), name="bad", elem_type=tf.int32)
  g.add("StackPopV2", "bad", name="bad_pop", elem_type=tf.int32)
  g.add("StackV2", "size", name="other", elem_type=tf.int32)
  g.add("StackPopV2", "other", name="pop_other", control=["push0"], elem_type=tf.int32)
  steps = [
      record.Step([f], {"size": np.int32(n)})
      for n in (-1, 0, 1, 2, 3)
      for f in ("push0", "push1", "push2", "pop", "wrong_push", "wrong_pop", "pop_other")
  ]
  steps.append(record.Step(["bad_pop"]))
  return Scenario("ops/StackV2/errors", "Stacks overflow, run empty, and hold one dtype.", g.graph,
                  steps)
