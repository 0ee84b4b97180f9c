"""Scenarios for what changes variables in part, and what trains them, whole or by rows.

What TensorFlow's process dies of is left out: integers divided by zero, a training op on a variable
of another dtype, batches of ResourceGather that do not fit. So are indices that name nothing, with
updates of another shape: TensorFlow looks at the shape of some of them only. And so are steps of
AdagradDA that are numbered 0 or less, where TensorFlow's form for rows divides by the number.
"""

import numpy as np
import op_tolerance
import record
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import StepMaker
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

# Op: variables, then inputs with the values of the scalars (None: the gradient), and a flag.
_TRAININGS = {
    "GradientDescent": (1, (0.5, None), None),
    "Momentum": (2, (0.5, None, 0.75), "use_nesterov"),
    "KerasMomentum": (2, (0.5, None, 0.75), "use_nesterov"),
    "Adam": (3, (0.5, 0.25, 0.5, 0.75, 0.5, 0.25, None), "use_nesterov"),
    "AdamWithAmsgrad": (4, (0.5, 0.25, 0.5, 0.75, 0.5, 0.25, None), None),
    "Adagrad": (2, (0.5, None), "update_slots"),
    "AdagradV2": (2, (0.5, 0.25, None), "update_slots"),
    "RMSProp": (3, (0.5, 0.75, 0.5, 0.25, None), None),
    "CenteredRMSProp": (4, (0.5, 0.75, 0.5, 32.0, None), None),
    "Adadelta": (3, (0.5, 0.75, 0.25, None), None),
    "AdaMax": (3, (0.25, 0.5, 0.75, 0.5, 0.25, None), None),
    "AddSign": (2, (0.5, 0.75, 0.25, 0.5, None), None),
    "PowerSign": (2, (0.5, 0.75, 0.25, 0.5, None), None),
    "AdagradDA": (3, (None, 0.5, 0.25, 0.75, np.int64(3)), None),
    "Ftrl": (3, (None, 0.5, 0.25, 0.75, -0.5), "multiply_linear_by_lr"),
    "FtrlV2": (3, (None, 0.5, 0.25, 0.75, 0.125, -0.5), "multiply_linear_by_lr"),
    "ProximalGradientDescent": (1, (0.5, 0.25, 0.75, None), None),
    "ProximalAdagrad": (2, (0.5, 0.25, 0.75, None), None),
}
_BY_HANDLE_ONLY = ("KerasMomentum", "AdamWithAmsgrad")
_SPARSE = ("Momentum", "KerasMomentum", "Adagrad", "AdagradV2", "RMSProp", "CenteredRMSProp",
           "Adadelta", "AdagradDA", "Ftrl", "FtrlV2", "ProximalGradientDescent", "ProximalAdagrad")
# Other scalars than the above, by their places among the inputs behind the variables.
_OTHER_SCALARS = {
    "AdagradDA": ({2: 0.0}, {2: -1.0}, {2: 4.0}, {1: -0.5}),
    "Ftrl": ({4: -1.0}, {4: 0.0}, {4: -0.75}, {2: 0.0}, {2: 8.0}),
    "FtrlV2": ({5: -1.0}, {2: 0.0}, {2: 8.0}, {4: 0.0}),
    "ProximalGradientDescent": ({1: 0.0}, {1: 8.0}, {1: -1.0}, {0: -0.5}),
    "ProximalAdagrad": ({1: 0.0}, {1: 8.0}, {2: 0.0}),
    "PowerSign": ({1: -2.0}, {2: 0.0}),
}
# What is refused, of all forms or of the sparse ones alone.
_REFUSED = {"ProximalAdagrad": ({0: 0.0}, {0: -1.0}, {1: -1.0}, {2: -1.0}, {1: np.nan})}
_REFUSED_ROWS = {
    "Ftrl": ({1: 0.0}, {1: -1.0}, {2: -1.0}, {3: -1.0}, {4: 0.5}, {3: np.nan}, {4: np.nan}),
    "FtrlV2": ({1: 0.0}, {2: -1.0}, {3: -1.0}, {4: -1.0}, {5: 0.5}, {4: np.nan}),
    **_REFUSED,
}
_ROWS = ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
_SLICES = ("Update", "Add", "Sub", "Min", "Max")


def groups():
  """All scenarios, in a fixed order."""
  for op in _TRAININGS:
    for form in ("Apply", "ResourceApply"):
      if form != "Apply" or op not in _BY_HANDLE_ONLY:
        for dtype in dtypes_of(form + op):
          yield _training(form + op, op, dtype)
        yield _training_errors(form + op, op)
  for op in _SPARSE:
    for form in ("SparseApply", "ResourceSparseApply"):
      if form + op != "SparseApplyKerasMomentum":
        for dtype in dtypes_of(form + op):
          yield _training_of_rows(form + op, op, dtype)
        yield _errors_of_rows(form + op, op)
  for name in _ROWS:
    if name not in ("Update", "Add", "Sub"):  # op_references has them
      for dtype in _numbers(f"Scatter{name}"):
        yield _rows(f"Scatter{name}", dtype)
    for dtype in _numbers(f"ResourceScatter{name}", "dtype"):
      yield _rows(f"ResourceScatter{name}", dtype)
  for name in _SLICES:
    for form in ("ScatterNd", "ResourceScatterNd"):
      for dtype in _numbers(form + name):
        yield _slices(form + name, dtype)
  for op in ("ResourceScatterAdd", "ResourceScatterNdAdd"):
    yield _half_made(op)
  for dtype in dtypes_of("ResourceGather", "dtype"):
    yield _gather(dtype)
  for dtype in (tf.int32, tf.int64):
    yield _count(dtype)
  for dtype in (tf.float32, tf.int64, tf.string, tf.bool):
    yield _temporary(dtype)
  yield _temporary_errors()


def _numbers(op, attr="T"):
  """The dtypes to probe: TensorFlow's sums of bool are its own, and Min takes few by definition."""
  found = [d for d in dtypes_of(op, attr) if d != tf.bool or op.endswith("Update")]
  if op in ("ScatterMin", "ScatterMax"):
    found = [d for d in found if d in (tf.half, tf.bfloat16, tf.float32, tf.float64, tf.int32,
                                       tf.int64)]
  return found


class Variables(StepMaker):
  """A graph with variables v0, v1, … by reference or by handle."""

  def __init__(self, dtype, by_handle, count=1):
    super().__init__()
    self.dtype, self.by_handle = dtype, by_handle
    for i in range(count):
      x = self.g.placeholder(f"x{i}", dtype)
      if by_handle:
        self.g.add("VarHandleOp", name=f"v{i}", dtype=dtype, shape=tf.TensorShape(None),
                   shared_name=f"v{i}")
        self.g.add("AssignVariableOp", f"v{i}", x, name=f"set{i}", dtype=dtype)
        self.g.add("ReadVariableOp", f"v{i}", name=f"read{i}", dtype=dtype)
      else:
        self.g.add("VariableV2", name=f"v{i}", dtype=dtype, shape=tf.TensorShape(None))
        self.g.add("Assign", f"v{i}", x, name=f"set{i}", T=dtype, validate_shape=False)
        self.g.add("Identity", f"v{i}", name=f"read{i}", T=dtype)

  def set(self, *values):
    feeds = {f"x{i}": v for i, v in enumerate(values)}
    self.run([f"set{i}" for i in range(len(values))], feeds)

  def run(self, targets, feeds=None):
    self.steps.append(record.Step([], feeds or {}, list(targets)))

  def read(self, count=1, tolerance=record.EXACT):
    self.steps.append(record.Step([f"read{i}" for i in range(count)], tolerance=tolerance))


def _train(v, full, op, name, flag=None):
  """The node of the op with its inputs as placeholders."""
  count, inputs, flag_name = _TRAININGS[op]
  sources, attrs = [], {} if flag is None else {flag_name: flag}
  for i, x in enumerate(inputs):
    dtype = tf.int64 if isinstance(x, np.int64) else v.dtype
    sources.append(v.g.placeholder(f"{name}_{i}", dtype))
    if x is None and "Sparse" in full:
      sources.append(v.g.placeholder(f"{name}_rows", tf.int64))
      attrs["Tindices"] = tf.int64
  v.g.add(full, *[f"v{i}" for i in range(count)], *sources, name=name, T=v.dtype, **attrs)


def _training_feeds(op, name, dtype, gradient, rows=None, scalars=None):
  """The inputs' values; scalars: those that are others than usual, by number."""
  feeds = {} if rows is None else {f"{name}_rows": np.array(rows, np.int64)}
  for i, x in enumerate(_TRAININGS[op][1]):
    x = (scalars or {}).get(i, x)
    if not isinstance(x, np.int64):
      x = gradient if x is None else np.array(x, dtype.as_numpy_dtype)
    feeds[f"{name}_{i}"] = np.asarray(x)
  return feeds


def _nodes(v, full, op):
  """Adds the op as it is, and with its flag the other way."""
  flag = _TRAININGS[op][2]
  nodes = {"train": None} if flag is None else {"train": None, "flagged": flag != "update_slots"}
  for node, value in nodes.items():
    _train(v, full, op, node, value)
  return list(nodes)


def _start(v, make, count, shape):
  """Sets the variables, but for the first one to what is positive."""
  values = [make.values(shape)]
  values += [np.abs(make.values(shape)).astype(v.dtype.as_numpy_dtype) + 1 for _ in range(count - 1)]
  v.set(*[np.asarray(x, v.dtype.as_numpy_dtype) for x in values])


def _training(full, op, dtype):
  name = f"ops/{full}/{dtype.name}"
  make = Maker(name, dtype)
  count = _TRAININGS[op][0]
  v = Variables(dtype, full.startswith("Resource"), count)
  nodes = _nodes(v, full, op)
  near = op_tolerance.summed(dtype, 8, 32)
  for shape in ((), (3,), (2, 0), (2, 1, 2)):
    _start(v, make, count, shape)
    for node in nodes:
      v.run([node], _training_feeds(op, node, dtype, make.values(shape)))
      v.read(count, near)
  for scalars in _OTHER_SCALARS.get(op, ()):
    _start(v, make, count, (7,))
    for node in nodes:
      v.run([node], _training_feeds(op, node, dtype, make.values((7,)), scalars=scalars))
      v.read(count, near)
  return v.scenario(name, f"{full} of {dtype.name}.")


def _training_errors(full, op):
  dtype = tf.float32
  count, inputs, _ = _TRAININGS[op]
  v = Variables(dtype, full.startswith("Resource"), count)
  _train(v, full, op, "train")
  two, three = np.float32([1, 2]), np.float32([1, 2, 3])
  feeds = _training_feeds(op, "train", dtype, two)
  v.run(["train"], feeds)
  # TensorFlow reads beside a last variable of these that is of another shape.
  for i in range(count - 1 if op in ("Adadelta", "AdamWithAmsgrad") else count):
    values = [two] * count
    values[i] = three
    v.set(*values)
    v.run(["train"], feeds)
    v.read(count)
  v.set(*[two] * count)
  v.run(["train"], _training_feeds(op, "train", dtype, three))
  for i, x in enumerate(inputs):
    # TensorFlow takes any shape for this one.
    is_sign_decay = op in ("AddSign", "PowerSign") and i == 2
    if x is not None and not is_sign_decay:
      v.run(["train"], {**feeds, f"train_{i}": feeds[f"train_{i}"][None]})
  for scalars in _REFUSED.get(op, ()):
    v.run(["train"], _training_feeds(op, "train", dtype, two, scalars=scalars))
  v.read(count)
  return v.scenario(f"ops/{full}/errors", f"What {full} refuses.")


def _training_of_rows(full, op, dtype):
  name = f"ops/{full}/{dtype.name}"
  make = Maker(name, dtype)
  count = _TRAININGS[op][0]
  v = Variables(dtype, full.startswith("Resource"), count)
  nodes = _nodes(v, full, op)
  near = op_tolerance.summed(dtype, 8, 64)
  shapes = [((4,), [2, 0]), ((3, 5), [2, 0]), ((3, 2, 2), [1]), ((4, 3), [1, 1, 3]), ((3, 2), [])]
  cases = [(*case, {}) for case in shapes]
  cases += [((4, 3), [3, 1], scalars) for scalars in _OTHER_SCALARS.get(op, ())]
  for shape, rows, scalars in cases:
    _start(v, make, count, shape)
    for node in nodes:
      gradient = make.values((len(rows), *shape[1:]))
      v.run([node], _training_feeds(op, node, dtype, gradient, rows, scalars))
      v.read(count, near)
  return v.scenario(name, f"{full} of {dtype.name}.")


def _errors_of_rows(full, op):
  """Nothing is read after rows that are not there: TensorFlow has changed those before them."""
  dtype = tf.float32
  count, inputs, _ = _TRAININGS[op]
  v = Variables(dtype, full.startswith("Resource"), count)
  _train(v, full, op, "train")
  whole, gradient = np.ones((3, 2), np.float32), np.ones((2, 2), np.float32)

  def refuse(gradient=gradient, rows=(2, 0), scalars=None):
    v.run(["train"], _training_feeds(op, "train", dtype, gradient, rows, scalars))

  refuse()  # without a value
  for i in range(count):
    values = [whole] * count
    values[i] = np.ones((4, 2), np.float32)
    if i > 0:
      v.set(*values)
      refuse()
  v.set(*[whole] * count)
  for rows in ([0], [[0, 1]], [0, 1, 2]):
    refuse(rows=rows)
  refuse(np.ones((2, 3), np.float32))
  feeds = _training_feeds(op, "train", dtype, gradient, (2, 0))
  for i, x in enumerate(inputs):
    if x is not None:
      v.run(["train"], {**feeds, f"train_{i}": feeds[f"train_{i}"][None]})
  for scalars in _REFUSED_ROWS.get(op, ()):
    refuse(scalars=scalars)
  v.read(count)
  for rows in ([3, 0], [-1, 0], [0, 3]):
    refuse(rows=rows)
  return v.scenario(f"ops/{full}/errors", f"What {full} refuses.")


def _rows(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)
  by_handle = op.startswith("Resource")
  v = Variables(dtype, by_handle)
  index = make.index()
  v.g.placeholder("i", index)
  v.g.placeholder("u", dtype)
  attrs = {"dtype" if by_handle else "T": dtype}
  v.g.add(op, "v0", "i", "u", name="change", Tindices=index, **attrs)

  def change(indices, updates, fails=False):
    if op.endswith("Div") and dtype != tf.string:
      updates = np.where(updates == 0, np.ones((), updates.dtype), updates)
    v.run(["change"], {"i": np.array(indices, index.as_numpy_dtype), "u": updates})
    if not fails:  # TensorFlow leaves some rows changed
      v.read(tolerance=op_tolerance.rounded(dtype) if op.endswith("Div") else record.EXACT)

  v.run(["change"], {"i": np.array([0], index.as_numpy_dtype), "u": make.values((1,))})
  for shape in ((4,), (3, 2), (2, 1, 2)):
    v.set(make.values(shape))
    change([1, 0, 1], make.values((3,) + shape[1:]))
    change([[1, 0]], make.values((1, 2) + shape[1:]))
    change(1, make.values(shape[1:]))
    change([0, 1], make.values(()))
    change([], make.values((0,) + shape[1:]))
    change([0, 4], make.values((2,) + shape[1:]), fails=True)
    change([-1], make.values((1,) + shape[1:]), fails=True)
    change([0], make.values((2,) + shape[1:]), fails=True)
  v.set(make.values(()))
  change([0], make.values((1,)), fails=True)
  return v.scenario(name, f"{op} of {dtype.name}.")


def _slices(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)
  v = Variables(dtype, op.startswith("Resource"))
  index = make.index()
  v.g.placeholder("i", index)
  v.g.placeholder("u", dtype)
  for policy in ("", "ERROR", "IGNORE"):
    v.g.add(op, "v0", "i", "u", name=f"change{policy}", T=dtype, Tindices=index,
            bad_indices_policy=policy)

  def change(indices, shape, policy="", index_shape=None, fails=False):
    indices = np.array(indices, index.as_numpy_dtype)
    if index_shape is not None:
      indices = indices.reshape(index_shape)
    v.run([f"change{policy}"], {"i": indices, "u": make.values(shape)})
    if not fails:
      v.read()

  v.run(["change"], {"i": np.array([[0]], index.as_numpy_dtype), "u": make.values((1,))})
  v.set(make.values((3, 2)))
  change([[0], [2]], (2, 2))
  change([[0, 1], [0, 1], [2, 0]], (3,))
  change([[[1], [0]]], (1, 2, 2))
  change([], (0, 2), index_shape=(0, 1))
  for indices in ([[0], [7]], [[-1], [1]]):
    change(indices, (2, 2), "IGNORE")
  change([[0], [1]], (1, 2), fails=True)
  change([[0], [1]], (2, 3), fails=True)
  change([[1, 1, 1]], (1,), fails=True)
  for policy in ("", "ERROR"):
    for indices in ([[0], [7]], [[-1], [1]]):
      change(indices, (2, 2), policy, fails=True)
  return v.scenario(name, f"{op} of {dtype.name}.")


def _half_made(op):
  """An update of which one part cannot be made."""
  v = Variables(tf.float32, True)
  nd = "Nd" in op
  i = v.g.const(np.int32([[0], [7]] if nd else [0, 7]))
  attrs = {"T" if nd else "dtype": tf.float32}
  v.g.add(op, "v0", i, v.g.const(np.float32([[1, 2], [3, 4]])), name="change", Tindices=tf.int32,
          **attrs)
  v.set(np.float32([[5, 6]]))
  v.run(["change"])
  v.read()
  return v.scenario(f"differs/{op}/half-made",
                    "A failed update changes nothing; TensorFlow leaves a part of it.")


def _gather(dtype):
  name = f"ops/ResourceGather/{dtype.name}"
  make = Maker(name, dtype)
  v = Variables(dtype, True)
  index = make.index()
  v.g.placeholder("i", index)
  v.g.add("ResourceGather", "v0", "i", name="rows", dtype=dtype, Tindices=index)
  v.g.add("ResourceGather", "v0", "i", name="batch", dtype=dtype, Tindices=index, batch_dims=1)
  v.g.add("ResourceGatherNd", "v0", "i", name="slices", dtype=dtype, Tindices=index)

  def fetch(node, indices):
    v.steps.append(record.Step([node], {"i": np.array(indices, index.as_numpy_dtype)}))

  fetch("rows", [0])
  fetch("slices", [0])
  v.set(make.values((2, 3)))
  for indices in ([1, 0, 1], 1, [[0], [1]], [], [2], [-1]):
    fetch("rows", indices)
  for indices in ([[0, 2], [1, 1]], [[1], [0]], [0], [0, 3], [[0, 0, 0]]):
    fetch("slices", indices)
  fetch("batch", [[0, 2], [1, 1]])
  v.set(make.values(()))
  fetch("rows", [0])
  return v.scenario(name, f"ResourceGather and ResourceGatherNd of {dtype.name}.")


def _count(dtype):
  v = Variables(dtype, True)
  v.g.add("ResourceCountUpTo", "v0", name="count", limit=3, T=dtype)
  up = record.Step(["count"])
  v.steps.append(up)
  v.set(np.array(1, dtype.as_numpy_dtype))
  v.steps += [up, up, up]
  v.read()
  v.set(np.array([1], dtype.as_numpy_dtype))
  v.steps.append(up)
  return v.scenario(f"ops/ResourceCountUpTo/{dtype.name}", "Counts up to its limit.")


def _temporary(dtype):
  make = Maker(f"ops/TemporaryVariable/{dtype.name}", dtype)
  g = GraphMaker()
  x = g.placeholder("x", dtype)
  g.add("TemporaryVariable", name="v", dtype=dtype, shape=tf.TensorShape([2]), var_name="t")
  g.add("Assign", "v", x, name="assign", T=dtype)
  g.add("DestroyTemporaryVariable", "assign", name="last", T=dtype, var_name="t")
  g.add("DestroyTemporaryVariable", "assign", name="other", T=dtype, var_name="u")
  steps = [
      record.Step([f], {"x": make.values(s)}) for s in ((2,), (3,)) for f in ("last", "assign")
  ]
  steps += [record.Step(["other"], {"x": make.values((2,))}), steps[0]]
  return Scenario(f"ops/TemporaryVariable/{dtype.name}", f"A {dtype.name} variable of a step.",
                  g.graph, steps)


def _temporary_errors():
  g = GraphMaker()
  for name, shape in (("a", [2]), ("b", [2]), ("c", [None])):
    g.add("TemporaryVariable", name=name, dtype=tf.float32, shape=tf.TensorShape(shape),
          var_name="same" if name != "c" else "")
    g.add("Assign", name, g.const(np.float32([1, 2])), name=f"set_{name}", T=tf.float32)
  return Scenario("ops/TemporaryVariable/errors", "Two of one name, and one of no size.", g.graph,
                  [record.Step([f"set_{n}"]) for n in "abc"] + [record.Step(["set_a", "set_b"])])
