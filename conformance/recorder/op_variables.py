"""Scenarios for variables, as resources and as references."""

import numpy as np
import record
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker


def groups():
  """All scenarios, in a fixed order."""
  for dtype in dtypes_of("AssignVariableOp", "dtype"):
    yield _resource(dtype)
    yield _resource_shapes(dtype)
  for dtype in dtypes_of("AssignAddVariableOp", "dtype"):
    yield _resource_sums(dtype)
  for dtype in dtypes_of("Assign"):
    yield _reference(dtype)
    yield _reference_shapes(dtype)
  for dtype in dtypes_of("AssignAdd"):
    yield _reference_sums(dtype)
  yield _names(
      "ops/VarHandleOp/names", {
          "a": ("a", ""),
          "b": ("b", ""),
          "c": ("a", ""),
          "d": ("s", ""),
          "e": ("s", ""),
          "f": ("s", "other"),
          "g": ("s", "other")
      })
  # TensorFlow takes an empty shared_name as a name: all such handles are one variable.
  yield _names("differs/VarHandleOp/empty-names", {"a": ("", ""), "b": ("", ""), "c": ("a", "")})
  yield _wrong_dtype()
  yield _reference_names()
  yield _order()


def _handle(g, dtype, shape=None, name="v", shared="v", container=""):
  return g.add("VarHandleOp",
               name=name,
               dtype=dtype,
               shape=tf.TensorShape(shape),
               shared_name=shared,
               container=container)


def _resource(dtype):
  make = Maker(f"ops/VarHandleOp/{dtype.name}", dtype)
  g = GraphMaker()
  _handle(g, dtype)
  g.add("ReadVariableOp", "v", name="read", dtype=dtype)
  g.add("VarIsInitializedOp", "v", name="ready")
  g.add("AssignVariableOp", "v", g.placeholder("x", dtype), name="assign", dtype=dtype)
  g.add("DestroyResourceOp", "v", name="destroy", ignore_lookup_error=False)
  g.add("DestroyResourceOp", "v", name="destroy_if_there", ignore_lookup_error=True)
  for t in (tf.int32, tf.int64):
    g.add("VariableShape", "v", name=f"shape_{t.name}", out_type=t)
  g.add("ReadVariableOp", "v", name="read_after", control=["assign"], dtype=dtype)
  g.add("VarIsInitializedOp", "v", name="ready_after", control=["destroy"])
  steps = [
      record.Step(["ready"]),
      record.Step(["read"]),
      record.Step(["shape_int32"]),
      record.Step([], targets=["destroy"]),
      record.Step([], targets=["destroy_if_there"])
  ]
  for shape in ((2,), (), (2, 0), (1, 3)):
    steps += [
        record.Step(["read_after"], {"x": make.values(shape)}),
        record.Step(["read", "ready", "shape_int32", "shape_int64"])
    ]
  steps += [
      record.Step(["ready_after"]),
      record.Step(["read"]),
      record.Step([], targets=["destroy"])
  ]
  return Scenario(f"ops/VarHandleOp/{dtype.name}", f"The life of a {dtype.name} variable.", g.graph,
                  steps)


def _resource_shapes(dtype):
  make = Maker(f"ops/AssignVariableOp/{dtype.name}", dtype)
  g = GraphMaker()
  _handle(g, dtype, [2])
  g.add("ReadVariableOp", "v", name="read", dtype=dtype)
  g.add("AssignVariableOp", "v", g.placeholder("x", dtype), name="assign", dtype=dtype)
  g.add("AssignVariableOp", "v", "x", name="check", dtype=dtype, validate_shape=True)
  steps = []
  for shape in ((2,), (3,), (), (2, 1)):
    for target in ("check", "assign"):
      steps += [record.Step([], {"x": make.values(shape)}, [target]), record.Step(["read"])]
  return Scenario(f"ops/AssignVariableOp/{dtype.name}",
                  f"Assigning other shapes to a {dtype.name} variable.", g.graph, steps)


def _resource_sums(dtype):
  make = Maker(f"ops/AssignAddVariableOp/{dtype.name}", dtype)
  g = GraphMaker()
  _handle(g, dtype)
  g.add("AssignVariableOp", "v", g.placeholder("x", dtype), name="assign", dtype=dtype)
  g.add("AssignAddVariableOp", "v", g.placeholder("y", dtype), name="add", dtype=dtype)
  g.add("AssignSubVariableOp", "v", "y", name="sub", dtype=dtype)
  for op in ("add", "sub"):
    g.add("ReadVariableOp", "v", name=f"read_{op}", control=[op], dtype=dtype)
  g.add("ReadVariableOp", "v", name="read", dtype=dtype)
  steps = [record.Step(["read_add"], {"y": make.values(())})]
  for shape in ((), (3,), (2, 2)):
    steps.append(record.Step([], {"x": make.values(shape)}, ["assign"]))
    steps += [
        record.Step([f"read_{op}"], {"y": make.values(shape)}) for op in ("add", "sub", "add")
    ]
    steps += [record.Step(["read_add"], {"y": make.values((5,))}), record.Step(["read"])]
  return Scenario(f"ops/AssignAddVariableOp/{dtype.name}",
                  f"Adding to and subtracting from a {dtype.name} variable.", g.graph, steps)


def _reference(dtype):
  make = Maker(f"ops/VariableV2/{dtype.name}", dtype)
  g = GraphMaker()
  g.add("VariableV2", name="v", dtype=dtype, shape=tf.TensorShape([2]))
  g.add("IsVariableInitialized", "v", name="ready", dtype=dtype)
  g.add("Assign", "v", g.placeholder("x", dtype), name="assign", T=dtype)
  g.add("Assign", "v", "x", name="any_shape", T=dtype, validate_shape=False, use_locking=False)
  g.add("Identity", "v", name="read", T=dtype)
  g.add("Identity", "v", name="read_after", control=["assign"], T=dtype)
  g.add("RefIdentity", "v", name="same", T=dtype)
  steps = [record.Step(["ready"]), record.Step(["read"]), record.Step(["v"]), record.Step(["same"])]
  for shape in ((2,), (3,), (), (0,)):
    x = {"x": make.values(shape)}
    steps += [
        record.Step(["assign"], x),
        record.Step(["read"]),
        record.Step(["any_shape"], x),
        record.Step(["v", "read", "ready", "same"]),
        record.Step(["read_after"], x)
    ]
  return Scenario(f"ops/VariableV2/{dtype.name}", f"The life of a {dtype.name} reference variable.",
                  g.graph, steps)


def _reference_shapes(dtype):
  make = Maker(f"ops/Variable/{dtype.name}", dtype)
  g = GraphMaker()
  for name, shape in (("scalar", []), ("matrix", [2, 2])):
    g.add("Variable", name=name, dtype=dtype, shape=tf.TensorShape(shape))
    g.add("Assign", name, g.placeholder(f"{name}_x", dtype), name=f"{name}_assign", T=dtype)
    g.add("Shape", name, name=f"{name}_shape", T=dtype)
  steps = [
      record.Step(["matrix_assign"], {"matrix_x": make.values((2, 2))}),
      record.Step(["scalar_assign"], {"scalar_x": make.values(())}),
      record.Step(["matrix_shape", "scalar_shape", "scalar", "matrix"]),
      record.Step(["matrix_assign"], {"matrix_x": make.values((4,))}),
      record.Step(["matrix"])
  ]
  return Scenario(f"ops/Variable/{dtype.name}", f"The old Variable op with {dtype.name}.", g.graph,
                  steps)


def _reference_sums(dtype):
  make = Maker(f"ops/AssignAdd/{dtype.name}", dtype)
  g = GraphMaker()
  g.add("VariableV2", name="v", dtype=dtype, shape=tf.TensorShape([3]))
  g.add("Assign", "v", g.placeholder("x", dtype), name="assign", T=dtype)
  for locking in (False, True):
    g.add("AssignAdd",
          "v",
          g.placeholder(f"y{int(locking)}", dtype),
          name=f"add{int(locking)}",
          T=dtype,
          use_locking=locking)
    g.add("AssignSub",
          f"add{int(locking)}",
          f"y{int(locking)}",
          name=f"sub{int(locking)}",
          T=dtype,
          use_locking=locking)
  steps = [
      record.Step(["add0"], {"y0": make.values((3,))}),
      record.Step(["assign"], {"x": make.values((3,))})
  ]
  for k in ("0", "1"):
    y = {f"y{k}": make.values((3,))}
    steps += [
        record.Step(["add" + k], y),
        record.Step(["v"]),
        record.Step(["sub" + k], y),
        record.Step(["v"]),
        record.Step(["add" + k], {f"y{k}": make.values((2,))}),
        record.Step(["add" + k], {f"y{k}": make.values(())}),
        record.Step(["v"])
    ]
  return Scenario(f"ops/AssignAdd/{dtype.name}",
                  f"AssignAdd and AssignSub of a {dtype.name} variable give it back.", g.graph,
                  steps)


def _names(case, names):
  """Which nodes are one variable; names: node -> (shared_name, container)."""
  g = GraphMaker()
  for i, (name, (shared, container)) in enumerate(names.items()):
    _handle(g, tf.int32, [], name, shared, container)
    g.add("AssignVariableOp", name, g.const(np.int32(i + 1)), name=f"set_{name}", dtype=tf.int32)
    g.add("ReadVariableOp", name, name=f"read_{name}", dtype=tf.int32)
    g.add("VarIsInitializedOp", name, name=f"ready_{name}")
  ready = [f"ready_{n}" for n in names]
  steps = [record.Step(ready)]
  for name in [n for n in ("a", "d", "g", "b") if n in names]:
    steps += [record.Step([], targets=[f"set_{name}"]), record.Step(ready)]
  steps += [record.Step([f"read_{n}"]) for n in names]
  return Scenario(case, "A variable is known by container and shared_name, or node name.", g.graph,
                  steps)


def _wrong_dtype():
  g = GraphMaker()
  _handle(g, tf.float32)
  g.add("AssignVariableOp", "v", g.const(np.float32(1)), name="set", dtype=tf.float32)
  g.add("ReadVariableOp", "v", name="read", dtype=tf.float32)
  g.add("ReadVariableOp", "again", name="read_again", dtype=tf.int32)
  g.add("VarHandleOp", name="again", dtype=tf.int32, shape=tf.TensorShape([]), shared_name="v")
  g.add("AssignVariableOp", "again", g.const(np.int32(1)), name="set_again", dtype=tf.int32)
  steps = [
      record.Step([], targets=["set"]),
      record.Step(["read"]),
      record.Step(["read_again"]),
      record.Step([], targets=["set_again"]),
      record.Step(["read"])
  ]
  return Scenario("ops/VarHandleOp/dtypes", "One variable under two dtypes.", g.graph, steps)


def _reference_names():
  g = GraphMaker()
  names = {"a": ("", ""), "b": ("", ""), "c": ("s", ""), "d": ("s", ""), "e": ("s", "other")}
  for i, (name, (shared, container)) in enumerate(names.items()):
    g.add("VariableV2",
          name=name,
          dtype=tf.int32,
          shape=tf.TensorShape([]),
          shared_name=shared,
          container=container)
    g.add("Assign", name, g.const(np.int32(i + 1)), name=f"set_{name}", T=tf.int32)
    g.add("IsVariableInitialized", name, name=f"ready_{name}", dtype=tf.int32)
  ready = [f"ready_{n}" for n in names]
  steps = [record.Step(ready)]
  for name in ("a", "c", "e"):
    steps += [record.Step([f"set_{name}"]), record.Step(ready)]
  steps += [record.Step([n]) for n in names]
  return Scenario("ops/VariableV2/names", "Which VariableV2 nodes are one variable.", g.graph,
                  steps)


def _order():
  """Reads and writes of one variable ordered by control edges."""
  g = GraphMaker()
  _handle(g, tf.int32)
  g.add("AssignVariableOp", "v", g.const(np.int32(1)), name="set", dtype=tf.int32)
  before = "set"
  for i in range(6):
    read = g.add("ReadVariableOp", "v", name=f"r{i}", control=[before], dtype=tf.int32)
    double = g.add("Mul", read, g.const(np.int32(3)), name=f"m{i}", T=tf.int32)
    op = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")[i % 3]
    before = g.add(op, "v", double, name=f"w{i}", dtype=tf.int32)
  g.add("ReadVariableOp", "v", name="last", control=[before], dtype=tf.int32)
  reads = [f"r{i}" for i in range(6)] + ["last"]
  return Scenario("ops/VarHandleOp/order", "Control edges order reads and writes.", g.graph,
                  [record.Step(reads), record.Step(reads)])
