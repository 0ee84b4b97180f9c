"""What the control-flow corpus is written with.

A scenario is a function that builds a v1 graph in the default graph and returns its steps:

  def build():
    x = feed("x", tf.int32)
    out("y", tf.cond(x > 0, lambda: x + 1, lambda: -x))
    return [step(["y"], x=3), step(["y"], x=-3)]

  yield scenario("cond/small", "A branch.", build)
"""

import numpy as np
import record
from op_probe import Scenario

tf = record.tf
v1 = tf.compat.v1

NEAR = record.Tolerance(ulps=8, relative=1e-5, absolute=1e-6)


def scenario(name, about, build, devices=()):
  """The scenario of build(), which is called with control flow v1 when the case is recorded."""

  def graph_and_steps():
    steps = []
    graph = record.build_graph(lambda: steps.extend(build()))
    return graph, steps

  full_name = name if name.startswith("differs/") else f"cf/{name}"
  return Scenario(full_name, about, None, None, graph_and_steps, devices)


def feed(name, dtype, shape=()):
  return v1.placeholder(dtype, shape, name=name)


def out(name, value):
  """Names a tensor so that a step can fetch it."""
  named = tf.identity(value, name=name)
  if not named.op.name.endswith(name):
    raise ValueError(f"the name {name} is taken")
  return named


def step(fetches, *targets, near=False, **feeds):
  """A step; feeds by placeholder name, Python numbers become int32, float32 or bool."""
  return record.Step(list(fetches), {
      k: number(v) for k, v in feeds.items()
  },
                     list(targets),
                     tolerance=NEAR if near else record.EXACT)


def number(value):
  """int32, float32 and bool instead of numpy's own choice for Python numbers."""
  if isinstance(value, np.ndarray) or isinstance(value, np.generic):
    return np.asarray(value)
  array = np.asarray(value)
  return array.astype({"i": np.int32, "f": np.float32, "b": np.bool_}[array.dtype.kind])


def counter(name, resource=True, dtype=tf.int32):
  """A scalar variable that starts at 0; run the target `NAME_init` first."""
  v = v1.get_variable(name, [],
                      dtype,
                      v1.zeros_initializer(),
                      use_resource=resource,
                      trainable=False)
  tf.group(v.initializer, name=f"{name}_init")
  return v
