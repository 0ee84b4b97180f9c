"""What a TensorArray refuses, one rule a scenario."""

import numpy as np
import record
from op_arrays import Array
from op_arrays import integers
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import tf


def groups():
  """All scenarios, in a fixed order."""
  for name, build, fetches, about, attrs in _RULES:
    yield _scenario(name, build, fetches, about, attrs)


def _scenario(name, build, fetches, about, attrs):
  g = GraphMaker()
  size = g.placeholder("n", tf.int32)
  build(g, Array(g, tf.float32, size, **attrs))
  fed = {"two": np.float32([1, 2]), "one": np.float32(1)} if build is _shapes else {}
  steps = [record.Step(f, {"n": np.int32(n), **fed}) for f in fetches for n in (3, 1, 0)]
  return Scenario(f"ops/TensorArrayV3/rules/{name}", about, g.graph, steps)


def _one(g):
  return g.const(np.float32(1))


def _vector(g):
  return g.const(np.float32([1, 2]))


def _write_twice(g, ta):
  ta.write(integers(g, 0), _one(g), "first")
  ta.write(integers(g, 0), _one(g), "second")


def _write_after_read(g, ta):
  ta.write(integers(g, 0), _one(g))
  read = ta.read(integers(g, 0), "read")
  g.add("TensorArrayWriteV3",
        ta.handle,
        integers(g, 0),
        _one(g),
        ta.flow,
        name="write",
        control=[read],
        T=tf.float32)


def _closed(g, ta):
  ta.write(integers(g, 0), _one(g), "first")
  g.add("TensorArrayCloseV3", ta.handle, name="close", control=["first"])
  uses = (("read", "TensorArrayReadV3", [integers(g, 0), ta.flow], {"dtype": tf.float32}),
          ("size", "TensorArraySizeV3", [ta.flow], {}),
          ("write", "TensorArrayWriteV3", [integers(g, 0), _one(g), ta.flow], {"T": tf.float32}))
  for name, op, inputs, attrs in uses:
    g.add(op, ta.handle, *inputs, name=name, control=["close"], **attrs)
  g.add("NoOp", name="twice", control=["close"])


def _grows(g, ta):
  ta.write(integers(g, 4), _one(g), "far")
  ta.size("size")
  ta.read(integers(g, 4), "read")
  ta.read(integers(g, 2), "hole")
  ta.gather(g.const(np.int32([4])), "gather")


def _shapes(g, ta):
  # Fed, since TensorFlow would not load the graph if it knew the shapes.
  ta.write(integers(g, 0), g.placeholder("two", tf.float32), "vector")
  ta.write(integers(g, 1), g.placeholder("one", tf.float32), "scalar")
  ta.size("size")


def _wrong_dtype(g, ta):
  g.add("TensorArrayWriteV3",
        ta.handle,
        integers(g, 0),
        g.const(np.int32(1)),
        ta.flow,
        name="write",
        T=tf.int32)
  ta.write(integers(g, 0), _one(g))
  g.add("TensorArrayReadV3", ta.handle, integers(g, 0), ta.flow, name="read", dtype=tf.int32)


def _unequal_pieces(g, ta):
  ta.write(integers(g, 0), _vector(g))
  ta.write(integers(g, 1), g.const(np.float32([1, 2, 3])))
  ta.write(integers(g, 2), _vector(g))
  ta.concat("concat")
  ta.gather(integers(g, 0, 1), "gather")
  ta.gather(integers(g, 0, 2), "alike")


def _holes(g, ta):
  ta.write(integers(g, 1), _vector(g))
  ta.gather(integers(g, 0, 1), "gather")
  ta.read(integers(g, 0), "read")
  ta.concat("concat")


def _not_a_scalar(g, ta):
  ta.write(g.const(np.int32([0])), _one(g), "write")
  g.add("TensorArrayReadV3",
        ta.handle,
        g.const(np.int32([0])),
        "ta:1",
        name="read",
        dtype=tf.float32)


_FULL = {"element_shape": tf.TensorShape([2])}
_PARTIAL = {"element_shape": tf.TensorShape([None])}
_SHAPE = "Elements keep to the declared shape."
_HOLES = "Reading what was never written."
_GROWS = "Only a dynamic array grows."
_GROWN = (["far"], ["size"], ["read"], ["hole"], ["gather"])

# (name, build, fetches, about, attrs of the array)
_RULES = (
    ("write-twice", _write_twice, (["first"], ["second"]), "An element is written once.", {}),
    ("write-after-read", _write_after_read, (["read"], ["read", "write"]),
     "No write after a read.", {"clear_after_read": False}),
    ("closed", _closed, (["read"], ["size"], ["write"]), "A closed array is no array.", {}),
    ("dynamic-False", _grows, _GROWN, _GROWS, {"dynamic_size": False}),
    ("dynamic-True", _grows, _GROWN, _GROWS, {"dynamic_size": True}),
    ("shape-full", _shapes, (["vector"], ["scalar"], ["size"]), _SHAPE, _FULL),
    ("shape-partial", _shapes, (["vector"], ["scalar"], ["size"]), _SHAPE, _PARTIAL),
    ("shape-identical", _shapes, (["vector"], ["scalar"], ["size"]), _SHAPE,
     {"identical_element_shapes": True}),
    ("holes-none", _holes, (["gather"], ["read"], ["concat"]), _HOLES, {}),
    ("holes-full", _holes, (["gather"], ["read"], ["concat"]), _HOLES, _FULL),
    ("dtype", _wrong_dtype, (["write"], ["read"]), "Elements have the array's dtype.", {}),
    ("unequal", _unequal_pieces, (["concat"], ["gather"], ["alike"]),
     "Concat takes unequal pieces, Gather does not.", {"clear_after_read": False}),
    ("index", _not_a_scalar, (["write"], ["read"]), "An index is a scalar.", {}),
)
