"""Scenarios for the control ops with every dtype, and for the ops at a graph's edge."""

import numpy as np
import op_values
import record
from op_probe import DTYPES
from op_probe import GraphMaker
from op_probe import Group
from op_probe import Probe
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_shape import Maker

_SHAPES = ((), (3,), (0,), (2, 1, 2))
_REF_DTYPES = tuple(d for d in DTYPES if d != tf.string) + (tf.string,)


def groups():
  """All groups and scenarios, in a fixed order."""
  for dtype in DTYPES:
    yield _diamond(dtype)
    yield _three_way_merge(dtype)
    for parallel in (1, 2, 32):
      yield _loop(dtype, parallel)
    yield _edges(dtype)
    yield _assert(dtype)
    yield _const_forms(dtype)
  for dtype in dtypes_of("RefSwitch"):
    yield _ref_diamond(dtype)
    yield _ref_loop(dtype)
    yield _ref_select(dtype)
  yield from _to_bool()
  yield from _predicates()
  yield _triggers()


def _diamond(dtype):
  """Switch and Merge around nothing."""
  make = Maker(f"ops/Switch/{dtype.name}", dtype)
  g = GraphMaker()
  x, p = g.placeholder("x", dtype), g.placeholder("p", tf.bool)
  g.add("Switch", x, p, name="switch", T=dtype)
  g.add("Merge", "switch", "switch:1", name="merge", T=dtype, N=2)
  steps = []
  for i, shape in enumerate(_SHAPES):
    feeds = {"x": make.values(shape), "p": np.array(bool(i % 2))}
    steps.append(record.Step(["merge", "merge:1", f"switch:{i % 2}"], feeds))
    steps.append(record.Step([f"switch:{1 - i % 2}"], feeds))
  return Scenario(f"ops/Switch/{dtype.name}/diamond",
                  f"Switch and Merge of {dtype.name}; the other output is dead.", g.graph, steps)


def _three_way_merge(dtype):
  make = Maker(f"ops/Merge/{dtype.name}", dtype)
  g = GraphMaker()
  x, p, q = g.placeholder("x", dtype), g.placeholder("p", tf.bool), g.placeholder("q", tf.bool)
  g.add("Switch", x, p, name="s", T=dtype)
  g.add("Switch", "s:1", q, name="t", T=dtype)
  g.add("Merge", "t:1", "s", "t", name="merge", T=dtype, N=3)
  g.add("Merge", "t:1", "t", name="part", T=dtype, N=2)
  g.add("Merge", "s", name="one", T=dtype, N=1)
  steps = [
      record.Step(fetches, {
          "x": make.values((2,)),
          "p": np.array(a),
          "q": np.array(b)
      })
      for a in (False, True)
      for b in (False, True)
      for fetches in (["merge", "merge:1"], ["part:1", "part"], ["one", "one:1"])
  ]
  return Scenario(f"ops/Merge/{dtype.name}/three",
                  f"A Merge of three {dtype.name} inputs, one live.", g.graph, steps)


def _loop(dtype, parallel):
  """A counter, a carried value, and an invariant, through all five primitives."""
  make = Maker(f"ops/Enter/{dtype.name}/{parallel}", dtype)
  g = GraphMaker()
  n, a, b = g.placeholder("n", tf.int32), g.placeholder("a", dtype), g.placeholder("b", dtype)
  enter = lambda source, t, name, constant=False: g.add("Enter",
                                                        source,
                                                        name=name,
                                                        T=t,
                                                        frame_name="f",
                                                        is_constant=constant,
                                                        parallel_iterations=parallel)
  enter(g.const(np.int32(0)), tf.int32, "i0")
  enter(n, tf.int32, "limit", True)
  enter(a, dtype, "a0")
  enter(b, dtype, "b_in", True)
  g.add("Merge", "i0", "i_next", name="i", T=tf.int32, N=2)
  g.add("Merge", "a0", "a_next", name="value", T=dtype, N=2)
  g.add("LoopCond", g.add("Less", "i", "limit", T=tf.int32), name="cond")
  g.add("Switch", "i", "cond", name="i_switch", T=tf.int32)
  g.add("Switch", "value", "cond", name="a_switch", T=dtype)
  g.add("Identity", "i_switch:1", name="pivot", T=tf.int32)
  g.add("Add", "i_switch:1", g.const(np.int32(1), control=["pivot"]), name="add", T=tf.int32)
  g.add("NextIteration", "add", name="i_next", T=tf.int32)
  zero = g.const(np.int32(0), control=["pivot"])
  first = g.add("Equal", "i_switch:1", zero, T=tf.int32)
  g.add("Select", first, "a_switch:1", "b_in", name="pick", T=dtype)
  g.add("NextIteration", "pick", name="a_next", T=dtype)
  g.add("Exit", "i_switch", name="i_out", T=tf.int32)
  g.add("Exit", "a_switch", name="a_out", T=dtype)
  steps = [
      record.Step(["i_out", "a_out"], {
          "n": np.int32(trips),
          "a": make.values(shape),
          "b": make.values(shape)
      }) for trips in (0, 1, 2, 5) for shape in ((), (2,))
  ]
  return Scenario(f"ops/Enter/{dtype.name}/loop-p{parallel}",
                  f"A loop that carries {dtype.name}, with parallel_iterations {parallel}.",
                  g.graph, steps)


def _edges(dtype):
  """Placeholder, PlaceholderWithDefault and Const as sources, fed and not."""
  make = Maker(f"ops/Placeholder/{dtype.name}", dtype)
  other = tf.int32 if dtype != tf.int32 else tf.float32
  g = GraphMaker()
  g.placeholder("free", dtype)
  g.placeholder("vector", dtype, [None])
  g.placeholder("pair", dtype, [2])
  g.const(make.values((2,)), name="const")
  g.add("PlaceholderWithDefault",
        "const",
        name="default",
        dtype=dtype,
        shape=tf.TensorShape([None]))
  g.add("Identity", "const", name="copy", T=dtype)
  feed = lambda name, shape, t=None: {name: (Maker("x", t) if t else make).values(shape)}
  steps = [
      record.Step(["free"]),
      record.Step(["free"], feed("free", (2, 1))),
      record.Step(["free"], feed("free", (2,), other)),
      record.Step(["vector"], feed("vector", (3,))),
      record.Step(["vector"], feed("vector", (3, 1))),
      record.Step(["pair"], feed("pair", (2,))),
      record.Step(["pair"], feed("pair", (3,))),
      record.Step(["default"]),
      record.Step(["default", "copy"], feed("default", (4,))),
      record.Step(["default"], feed("default", (2, 2))),
      record.Step(["copy", "default"]),
      record.Step(["copy", "default"], feed("const", (2,))),
      record.Step(["copy", "const"], feed("copy", (2,)))
  ]
  return Scenario(f"ops/Placeholder/{dtype.name}",
                  f"{dtype.name} enters a graph by feeds, defaults and constants.", g.graph, steps)


def _assert(dtype):
  make = Maker(f"ops/Assert/{dtype.name}", dtype)
  g = GraphMaker()
  p, x = g.placeholder("p", tf.bool), g.placeholder("x", dtype)
  said = g.const(np.array([b"x is wrong"], object))
  for summarize in (1, 3, -1):
    g.add("Assert",
          p,
          said,
          x,
          name=f"check{summarize + 1}",
          T=[tf.string, dtype],
          summarize=summarize)
  g.add("Identity", x, name="after", control=["check2"], T=dtype)
  values = make.values((5,))
  steps = [
      record.Step([], {
          "p": np.array(ok),
          "x": values
      },
                  targets=[f"check{s}"],
                  message_contains="" if ok else "assertion failed")
      for ok in (True, False)
      for s in (2, 4, 0)
  ]
  steps += [record.Step(["after"], {"p": np.array(ok), "x": values}) for ok in (True, False)]
  steps += [
      record.Step(["after"], {
          "p": np.array([True]),
          "x": values
      }),
      record.Step(["after"], {
          "p": np.array([True, True]),
          "x": values
      })
  ]
  return Scenario(f"ops/Assert/{dtype.name}", f"Assert with data of {dtype.name}.", g.graph, steps)


def _const_forms(dtype):
  """The ways a TensorProto writes its values."""
  make = Maker(f"ops/Const/{dtype.name}", dtype)
  g = GraphMaker()
  for i, shape in enumerate(_SHAPES + ((1,), (40,), (2, 2, 2, 2, 1))):
    g.const(make.values(shape), name=f"plain{i}")
  g.const(op_values.special(dtype), name="special")
  for name, written in (("splat", 1), ("prefix", 2), ("nothing", 0)):
    node = g.graph.node.add(name=name, op="Const")
    node.attr["dtype"].type = dtype.as_datatype_enum
    proto = node.attr["value"].tensor
    values = [] if not written else make.values((written,))
    proto.CopyFrom(_listed(values, dtype))
    del proto.tensor_shape.dim[:]
    proto.tensor_shape.dim.add().size = 5
  names = [n.name for n in g.graph.node]
  return Scenario(f"ops/Const/{dtype.name}", f"Const of {dtype.name} in every encoding.", g.graph,
                  [record.Step([name]) for name in names])


def _listed(values, dtype):
  import readable
  from tensorflow.core.framework import tensor_pb2
  proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
  if len(values):
    field = readable._FIELDS[dtype]
    getattr(proto, field).extend(readable._flat_values(np.asarray(values), dtype))
  return proto


def _variable(g, dtype, shape, name="v"):
  g.add("VariableV2", name=name, dtype=dtype, shape=tf.TensorShape(shape))
  g.add("Assign", name, g.placeholder(f"{name}_value", dtype), name=f"{name}_init", T=dtype)
  return name


def _ref_diamond(dtype):
  make = Maker(f"ops/RefSwitch/{dtype.name}", dtype)
  g = GraphMaker()
  _variable(g, dtype, [2])
  p = g.placeholder("p", tf.bool)
  g.add("RefSwitch", "v", p, name="switch", T=dtype)
  g.add("RefIdentity", "switch:1", name="then", T=dtype)
  g.add("RefMerge", "switch", "then", name="merge", T=dtype, N=2)
  g.add("Assign", "switch:1", g.placeholder("new", dtype), name="assign", T=dtype)
  g.add("RefMerge", "switch", "assign", name="merge_assigned", T=dtype, N=2)
  g.add("Identity", "v", name="read", T=dtype)
  new = make.values((2,))
  steps = [record.Step(["read"]), record.Step([], {"v_value": make.values((2,))}, ["v_init"])]
  for p in (False, True):
    feeds = {"p": np.array(p), "new": new}
    steps += [
        record.Step(["merge", "merge:1"], feeds),
        record.Step(["merge_assigned", "merge_assigned:1"], feeds),
        record.Step(["read"])
    ]
  steps.append(record.Step(["then"], {"p": np.array(False)}))
  return Scenario(f"ops/RefSwitch/{dtype.name}",
                  f"A {dtype.name} variable through a branch by reference.", g.graph, steps)


def _ref_loop(dtype):
  make = Maker(f"ops/RefEnter/{dtype.name}", dtype)
  g = GraphMaker()
  _variable(g, dtype, [2])
  n = g.placeholder("n", tf.int32)
  frame = {"frame_name": "f", "parallel_iterations": 1}
  g.add("Enter", g.const(np.int32(0)), name="i0", T=tf.int32, **frame)
  g.add("Enter", n, name="limit", T=tf.int32, is_constant=True, **frame)
  g.add("Enter", g.placeholder("new", dtype), name="new_in", T=dtype, is_constant=True, **frame)
  g.add("RefEnter", "v", name="v0", T=dtype, **frame)
  g.add("Merge", "i0", "i_next", name="i", T=tf.int32, N=2)
  g.add("RefMerge", "v0", "v_next", name="vm", T=dtype, N=2)
  g.add("LoopCond", g.add("Less", "i", "limit", T=tf.int32), name="cond")
  g.add("Switch", "i", "cond", name="is", T=tf.int32)
  g.add("RefSwitch", "vm", "cond", name="vs", T=dtype)
  one = g.const(np.int32(1), control=[g.add("Identity", "is:1", T=tf.int32)])
  g.add("NextIteration", g.add("Add", "is:1", one, T=tf.int32), name="i_next", T=tf.int32)
  g.add("Assign", "vs:1", "new_in", name="assign", T=dtype)
  g.add("RefNextIteration", "assign", name="v_next", T=dtype)
  g.add("RefExit", "vs", name="v_out", T=dtype)
  g.add("Exit", "is", name="i_out", T=tf.int32)
  g.add("Identity", "v", name="read", T=dtype)
  steps = [record.Step([], {"v_value": make.values((2,))}, ["v_init"])]
  for trips in (0, 1, 3):
    steps += [
        record.Step(["v_out", "i_out"], {
            "n": np.int32(trips),
            "new": make.values((2,))
        }),
        record.Step(["read"])
    ]
  return Scenario(f"ops/RefEnter/{dtype.name}", f"A {dtype.name} variable carried by reference.",
                  g.graph, steps)


def _ref_select(dtype):
  make = Maker(f"ops/RefSelect/{dtype.name}", dtype)
  g = GraphMaker()
  names = [_variable(g, dtype, [2], f"v{i}") for i in range(3)]
  g.add("RefSelect", g.placeholder("i", tf.int32), *names, name="select", T=dtype, N=3)
  g.add("Assign", "select", g.placeholder("new", dtype), name="assign", T=dtype)
  g.add("IsVariableInitialized", "select", name="ready", dtype=dtype)
  for name in names:
    g.add("Identity", name, name=f"read_{name}", T=dtype)
  steps = [
      record.Step(["ready"], {"i": np.int32(1)}),
      record.Step([], {f"{n}_value": make.values((2,)) for n in names},
                  [f"{n}_init" for n in names])
  ]
  steps += [record.Step(["select"], {"i": np.int32(i)}) for i in (0, 1, 2, 3, -1)]
  steps += [
      record.Step(["assign"], {
          "i": np.int32(1),
          "new": make.values((2,))
      }),
      record.Step([f"read_{n}" for n in names]),
      record.Step(["ready"], {"i": np.int32(2)}),
      record.Step(["select"], {"i": np.int32([1])})
  ]
  return Scenario(f"ops/RefSelect/{dtype.name}", f"One of three {dtype.name} variables, by index.",
                  g.graph, steps)


def _to_bool():
  for dtype in DTYPES:
    name = f"ops/ToBool/{dtype.name}"
    random = np.random.RandomState(seed_of(name))
    values = [*op_values.special(dtype), *op_values.plain((3,), dtype, random)]
    scalars = [op_values.array(v, dtype) for v in values]
    yield Group(name, f"ToBool of {dtype.name} scalars, and of other shapes by their size.",
                [Probe("ToBool", [v], {"T": dtype}) for v in scalars])
    yield Group(f"{name}/shapes", f"ToBool of {dtype.name} that is no scalar: is it empty?", [
        Probe("ToBool", [values], {"T": dtype})
        for shape in ((0,), (1,), (3,), (2, 0), (1, 1))
        for values in (op_values.plain(shape, dtype, random), _zeros(shape, dtype))
    ])


def _zeros(shape, dtype):
  zeros = op_values.empty(shape, dtype)
  if dtype == tf.string:
    zeros[...] = b""
  return zeros


def _predicates():
  """Predicates that are not scalars; TensorFlow's LoopCond does not look at a fed one."""
  shapes = ((), (1,), (2,), (0,))
  # A Switch is a target only, since its output 0 is dead.
  yield Group("ops/Switch/predicate", "Switch takes a scalar.", [
      Probe("Switch", [np.float32(1), np.ones(shape, bool)], {"T": tf.float32}, outputs=0, fed=fed)
      for shape in shapes for fed in (True, False)
  ])
  yield Group("ops/LoopCond/predicate", "LoopCond takes a scalar.",
              [Probe("LoopCond", [np.ones(shape, bool)], fed=False) for shape in shapes])
  yield Group("differs/LoopCond/predicate", "TensorFlow's LoopCond takes any shape that is fed.",
              [Probe("LoopCond", [np.ones(shape, bool)], fed=True) for shape in shapes])


def _triggers():
  g = GraphMaker()
  g.add("Switch", g.const(np.int32(7)), g.placeholder("p", tf.bool), name="s", T=tf.int32)
  g.add("Identity", "s:1", name="then", T=tf.int32)
  g.add("ControlTrigger", name="trigger", control=["then"])
  g.add("NoOp", name="nothing", control=["then"])
  for name in ("trigger", "nothing", "then", "s"):
    g.add("Identity", g.const(np.int32(1)), name=f"after_{name}", control=[name], T=tf.int32)
    g.add("Const",
          name=f"const_after_{name}",
          control=[name],
          dtype=tf.int32,
          value=np.array(2, np.int32))
  steps = [
      record.Step([f"{kind}after_{name}"], {"p": np.array(p)})
      for name in ("trigger", "nothing", "then", "s")
      for kind in ("", "const_")
      for p in (True, False)
  ]
  steps += [
      record.Step([], {"p": np.array(p)}, [t])
      for t in ("trigger", "nothing", "then")
      for p in (True, False)
  ]
  return Scenario("ops/ControlTrigger", "A ControlTrigger runs after dead nodes; a NoOp does not.",
                  g.graph, steps)
