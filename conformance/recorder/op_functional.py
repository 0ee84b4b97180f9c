"""Scenarios of the ops that take functions, each as it is in a graph, and of what a predicate may be."""

import numpy as np
import op_values
import record
from op_probe import Scenario
from op_probe import tf

_PREDICATES = {
    "bool": (True, False),
    "int32": (np.int32(0), np.int32(-3)),
    "int64": (np.int64(0), np.int64(7)),
    "float32": (np.float32(0), np.float32(0.5), np.float32("nan")),
    "float64": (np.float64(-0.), np.float64(2)),
    "uint8": (np.uint8(0), np.uint8(1)),
    "string": (np.array(b"", object), np.array(b"no", object)),
    "vector": (np.int32([0]), np.int32([])),
    "strings": (np.array([b""], object), np.array([], object)),
}


def groups():
  """All scenarios, in a fixed order."""
  for op in ("If", "StatelessIf"):
    for name, values in _PREDICATES.items():
      yield _branch(op, name, values)
  for op in ("Case", "StatelessCase"):
    yield _case(op)
  for op in ("While", "StatelessWhile"):
    for dtype in (tf.int32, tf.float32, tf.complex64):
      yield _while(op, dtype)
    yield _conditions(op)
    yield _shapes(op)
  yield _for()
  for op in ("PartitionedCall", "StatefulPartitionedCall", "RemoteCall"):
    yield _call(op)
  yield _gradient()
  yield _pieces()


def _scenario(name, about, build, steps):
  """build() makes nodes in a graph of its own; what it fetches has names."""

  def graph():
    with tf.Graph().as_default() as made:
      build()
    return made.as_graph_def(add_shapes=False)

  return Scenario(name, about, None, steps, build=lambda: (graph(), steps))


def _function(body, *specs):
  return tf.function(body).get_concrete_function(*specs)


def _spec(dtype, shape=None):
  return tf.TensorSpec(shape, dtype)


def _fed(name, dtype, shape=None):
  return tf.compat.v1.placeholder(dtype, shape, name=name)


def _out(name, *values):
  for i, value in enumerate(values):
    tf.identity(value, name=name if i == 0 else f"{name}{i}")


def _branch(op, name, values):
  dtype = tf.as_dtype(record.as_array(values[0]).dtype) if "string" not in name else tf.string

  def build():
    x, p = _fed("x", tf.float32), _fed("p", dtype)
    then = _function(lambda v: (v * 2., tf.shape(v)), _spec(tf.float32))
    other = _function(lambda v: (v - 1., tf.constant([7])), _spec(tf.float32))
    _out("y", *getattr(tf.raw_ops, op)(cond=p, input=[x], Tout=[tf.float32, tf.int32],
                                       then_branch=then, else_branch=other))

  steps = [record.Step(["y", "y1"], {"p": p, "x": np.float32([1, -2])}) for p in values]
  return _scenario(f"ops/{op}/{name}", f"{op} by a predicate: {name}.", build, steps)


def _case(op):

  def build():
    x, i = _fed("x", tf.float32), _fed("i", tf.int32)
    branches = [_function(body, _spec(tf.float32)) for body in (lambda v: -v, lambda v: v * v,
                                                                lambda v: v + 10.)]
    _out("y", *getattr(tf.raw_ops, op)(branch_index=i, input=[x], Tout=[tf.float32],
                                       branches=branches))

  steps = [record.Step(["y"], {"i": np.int32(i), "x": np.float32([3, -1])})
           for i in (0, 1, 2, 3, -1, 2**31 - 1, -2**31)]
  steps.append(record.Step(["y"], {"i": np.int32([0]), "x": np.float32(1)}))
  return _scenario(f"ops/{op}/branches", f"{op}: an index out of range takes the last.", build, steps)


def _while(op, dtype):

  def build():
    n, x = _fed("n", tf.int32, []), _fed("x", dtype)
    specs = (_spec(tf.int32, []), _spec(dtype), _spec(tf.int32, []))
    cond = _function(lambda i, v, most: i < most, *specs)
    body = _function(lambda i, v, most: (i + 1, v + v, most), *specs)
    _out("y", *getattr(tf.raw_ops, op)(input=[tf.constant(0), x, n], cond=cond, body=body))

  steps = [record.Step(["y", "y1"], {"n": np.int32(n), "x": op_values.array([1, -2], dtype)})
           for n in (0, 1, 5, -1)]
  return _scenario(f"ops/{op}/{dtype.name}", f"{op} over a {dtype.name} variable.", build, steps)


def _conditions(op):
  """What counts as true when it is no bool."""

  def build():
    x = _fed("x", tf.float32)
    for name, cond in (("number", lambda v: tf.reduce_sum(v)),
                       ("rows", lambda v: tf.gather(v, tf.where(tf.reshape(v, [-1]) > 0.)[:, 0])),
                       ("text", lambda v: tf.strings.substr("aaa", 0, tf.cast(v[0], tf.int32)))):
      _out(name, *getattr(tf.raw_ops, op)(input=[x], cond=_function(cond, _spec(tf.float32)),
                                          body=_function(lambda v: v - 1., _spec(tf.float32))))

  steps = [record.Step([name], {"x": np.float32(x)})
           for name, x in (("number", [2]), ("number", [0]), ("rows", [3, 1]), ("rows", [-1]),
                           ("text", [2]), ("text", [0]))]
  return _scenario(f"ops/{op}/conditions", f"{op}: numbers, lists and texts as conditions.", build,
                   steps)


def _shapes(op):
  """A variable that grows, and a body whose result does not fit the next condition."""

  def build():
    x = _fed("x", tf.float32)
    grow = _function(lambda v: tf.concat([v, v], 0), _spec(tf.float32))
    few = _function(lambda v: tf.size(v) < 10, _spec(tf.float32))
    _out("y", *getattr(tf.raw_ops, op)(input=[x], cond=few, body=grow))

  steps = [record.Step(["y"], {"x": np.float32(x)}) for x in ([1, 2, 3], [5], np.zeros(12), 1)]
  return _scenario(f"ops/{op}/shapes", f"{op}: the shape of a variable changes.", build, steps)


def _for():

  def build():
    a, b, d = (_fed(name, tf.int32, []) for name in "abd")
    x = _fed("x", tf.float32)
    body = _function(lambda i, v: v * 2. + tf.cast(i, tf.float32), _spec(tf.int32, []), _spec(tf.float32))
    _out("y", *tf.raw_ops.For(start=a, limit=b, delta=d, input=[x], body=body))

  steps = [record.Step(["y"], {"a": np.int32(a), "b": np.int32(b), "d": np.int32(d),
                               "x": np.float32([1, -1])})
           for a, b, d in ((0, 3, 1), (0, 0, 1), (5, 0, -2), (0, 7, 3), (3, 0, 1), (0, 3, -1), (0, 3, 0))]
  return _scenario("ops/For/bounds", "For: where it starts, ends, and how it steps.", build, steps)


def _call(op):

  def build():
    x, y = _fed("x", tf.float32), _fed("y", tf.int32)
    f = _function(lambda a, b: (a * 3., tf.size(a) + b), _spec(tf.float32), _spec(tf.int32))
    given = {"target": tf.constant("/job:localhost/replica:0/task:0/device:CPU:0")} if op == "RemoteCall" else {}
    _out("z", *getattr(tf.raw_ops, op)(args=[x, y], Tout=[tf.float32, tf.int32], f=f, **given))

  steps = [record.Step(["z", "z1"], {"x": np.float32(x), "y": np.int32(y)})
           for x, y in (([1, 2], 3), (4, [1, 1]), (np.zeros((0, 2)), 0))]
  return _scenario(f"ops/{op}/call", f"{op} of a function of two results.", build, steps)


def _gradient():

  def build():
    x, dy = _fed("x", tf.float32), _fed("dy", tf.float32)
    f = _function(lambda v: v * v * v, _spec(tf.float32))
    _out("dx", *tf.raw_ops.SymbolicGradient(input=[x, dy], Tout=[tf.float32], f=f))

  steps = [record.Step(["dx"], {"x": np.float32(x), "dy": np.float32(dy)},
                       tolerance=record.Tolerance(ulps=8))
           for x, dy in (([1, -2, 0.5], [1, 1, 2]), (3, -1))]
  return _scenario("ops/SymbolicGradient/cube", "The gradient of a function, by its name.", build, steps)


def _pieces():

  def build():
    _out("device", tf.raw_ops.DeviceIndex(device_names=["GPU", "CPU"]))
    _out("nowhere", tf.raw_ops.DeviceIndex(device_names=["TPU"]))
    then = _function(lambda: (tf.constant(1.),))
    other = _function(lambda: tf.raw_ops.FakeParam(dtype=tf.float32, shape=[2]))
    p = _fed("p", tf.bool, [])
    _out("y", *tf.raw_ops.StatelessIf(cond=p, input=[], Tout=[tf.float32], then_branch=then,
                                      else_branch=other))

  steps = [record.Step(["device", "nowhere"]), record.Step(["y"], {"p": np.bool_(True)})]
  return _scenario("ops/DeviceIndex/pieces", "What TensorFlow's functional library makes besides.", build,
                   steps)
