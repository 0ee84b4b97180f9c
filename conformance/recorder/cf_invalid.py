"""Graphs that TensorFlow refuses, with the code of its error; and what it accepts beside them."""

import numpy as np
from cf_raw import Loop
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import record
from op_probe import tf

_I = {"T": tf.int32}


def groups():
  """All scenarios, in a fixed order."""
  for name, (about, fetches, build) in _GRAPHS.items():
    g = GraphMaker()
    g.placeholder("n", tf.int32)
    g.placeholder("p", tf.bool)
    build(g)
    feeds = {"n": np.int32(3), "p": np.array(True)}
    steps = [record.Step([f], feeds, missing_names=name.startswith("missing")) for f in fetches]
    place = "differs/cf" if name in _ACCEPTED_BY_TENSORFLOW else "cf"
    yield Scenario(f"{place}/invalid/{name}", about, g.graph, steps)


def _enter(g, source, name, frame="f", **attrs):
  return g.add("Enter", source, name=name, frame_name=frame, **_I, **attrs)


def _mixed_frames(g):
  _enter(g, "n", "in")
  g.add("Add", "in", "n", name="bad", **_I)
  g.add("Exit", "bad", name="out", **_I)
  g.add("Identity", "n", name="fine", **_I)


def _mixed_by_control(g):
  _enter(g, "n", "in")
  g.add("Identity", "n", name="outside", control=["in"], **_I)
  g.add("Identity", "in", name="inside", control=["n"], **_I)
  g.add("Exit", "inside", name="out", **_I)


def _two_frames(g):
  _enter(g, "n", "a", "f")
  _enter(g, "n", "b", "g")
  g.add("Add", "a", "b", name="sum", **_I)
  g.add("Exit", "sum", name="out", **_I)


def _mismatched_parents(g):
  _enter(g, "n", "outer", "f")
  _enter(g, "outer", "inner", "g")
  _enter(g, "n", "other", "g")
  g.add("Exit", "inner", name="out_inner", **_I)
  g.add("Exit", "out_inner", name="out", **_I)
  g.add("Exit", "other", name="out_other", **_I)
  g.add("Add", "out", "out_other", name="both", **_I)


def _no_frame_name(g):
  _enter(g, "n", "in", "")
  g.add("Exit", "in", name="out", **_I)


def _exit_at_root(g):
  g.add("Exit", "n", name="out", **_I)


def _next_at_root(g):
  g.add("NextIteration", "n", name="out", **_I)


def _cycle(g):
  g.add("Add", "n", "b", name="a", **_I)
  g.add("Identity", "a", name="b", **_I)
  g.add("Identity", "n", name="fine", **_I)


def _merge_cycle(g):
  g.add("Merge", "n", "b", name="a", N=2, **_I)
  g.add("Identity", "a", name="b", **_I)


def _root_loop(g):
  """A cycle through NextIteration in the root frame."""
  g.add("Merge", "n", "next", name="m", N=2, **_I)
  g.add("Switch", "m", g.add("Less", "m", g.const(np.int32(5)), **_I), name="s", **_I)
  g.add("NextIteration", g.add("Add", "s:1", g.const(np.int32(1)), **_I), name="next", **_I)
  g.add("Identity", "s", name="out", **_I)


def _two_loop_conds(g):
  Loop(g)
  g.add("LoopCond", "test", name="another")
  g.add("Switch", "i", "another", name="other_switch", **_I)
  g.add("Exit", "other_switch", name="other_out", **_I)


def _unknown_input(g):
  g.add("Identity", "nowhere", name="bad", **_I)
  g.add("Identity", "n", name="fine", **_I)


def _unknown_control(g):
  g.add("Identity", "n", name="bad", control=["nowhere"], **_I)


def _bad_slot(g):
  g.add("Identity", "n:1", name="bad", **_I)


def _wrong_dtype(g):
  g.add("Identity", "p", name="bad", **_I)


def _wrong_predicate(g):
  g.add("Switch", "n", "n", name="bad", **_I)


def _too_few(g):
  g.add("Add", "n", name="bad", **_I)


def _too_many(g):
  g.add("Neg", "n", "n", name="bad", **_I)


def _no_attr(g):
  g.add("Identity", "n", name="bad")


def _attr_kind(g):
  g.add("Identity", "n", name="bad", T=3)


def _attr_dtype(g):
  g.add("LogicalNot", "p", name="fine")
  g.add("Neg", "p", name="bad", T=tf.bool)


def _extra_attr(g):
  g.add("Identity", "n", name="fine", extra="kept", _hidden=3, **_I)


def _merge_of_none(g):
  g.add("Merge", name="bad", N=0, **_I)


def _merge_count(g):
  g.add("Merge", "n", name="bad", N=2, **_I)


def _twice(g):
  g.add("Neg", "n", name="same", **_I)
  g.add("Identity", "n", name="same", **_I)


def _empty_name(g):
  node = g.graph.node.add(op="NoOp")
  del node
  g.add("Identity", "n", name="fine", **_I)


def _bad_name(g):
  g.add("Identity", "n", name="not a name", **_I)


def _data_after_control(g):
  node = g.graph.node.add(name="bad", op="Add")
  node.input.extend(["^p", "n", "n"])
  node.attr["T"].type = 3


def _const_dtype(g):
  g.add("Const", name="bad", dtype=tf.float32, value=np.array(1, np.int32))


def _const_values(g):
  node = g.graph.node.add(name="bad", op="Const")
  node.attr["dtype"].type = 3
  tensor = node.attr["value"].tensor
  tensor.dtype = 3
  tensor.tensor_shape.dim.add().size = 2
  tensor.int_val.extend([1, 2, 3])


def _const_content(g):
  node = g.graph.node.add(name="bad", op="Const")
  node.attr["dtype"].type = 3
  tensor = node.attr["value"].tensor
  tensor.dtype = 3
  tensor.tensor_shape.dim.add().size = 2
  tensor.tensor_content = b"12345"


def _negative_dim(g):
  node = g.graph.node.add(name="bad", op="Const")
  node.attr["dtype"].type = 3
  tensor = node.attr["value"].tensor
  tensor.dtype = 3
  tensor.tensor_shape.dim.add().size = -2


def _colons(g):
  g.add("Switch", "n", "p", name="s", **_I)
  g.add("Identity", "s:0", name="fine", **_I)
  g.add("Identity", "s:1", name="also", **_I)
  g.add("Identity", "s:01", name="odd", **_I)


def _order(g):
  """A node may come before its inputs."""
  g.add("Identity", "later", name="early", **_I)
  g.add("Neg", "n", name="later", **_I)


# The standard refuses these.
_ACCEPTED_BY_TENSORFLOW = ("next-at-root",)

_GRAPHS = {
    "mixed-frames": ("Data from two frames.", ["out", "fine"], _mixed_frames),
    "mixed-by-control": ("A control edge crosses frames.", ["outside", "out"], _mixed_by_control),
    "two-frames": ("Data from two sister frames.", ["out"], _two_frames),
    "mismatched-parents": ("One frame name under two parents.", ["both"], _mismatched_parents),
    "no-frame-name": ("An Enter without a frame name.", ["out"], _no_frame_name),
    "cycle": ("A cycle without NextIteration.", ["a", "fine"], _cycle),
    "merge-cycle": ("A cycle through Merge, without NextIteration.", ["a"], _merge_cycle),
    "two-loop-conds": ("Two LoopConds in one frame.", ["other_out", "out"], _two_loop_conds),
    "unknown-input": ("An input that is not there.", ["bad", "fine"], _unknown_input),
    "unknown-control": ("A control input that is not there.", ["bad"], _unknown_control),
    "bad-slot": ("An output that the node lacks.", ["bad"], _bad_slot),
    "wrong-dtype": ("An input of another dtype.", ["bad"], _wrong_dtype),
    "wrong-predicate": ("A predicate that is no bool.", ["bad"], _wrong_predicate),
    "too-few": ("Too few inputs.", ["bad"], _too_few),
    "too-many": ("Too many inputs.", ["bad"], _too_many),
    "no-attr": ("An attr is missing.", ["bad"], _no_attr),
    "attr-kind": ("An attr of another kind.", ["bad"], _attr_kind),
    "attr-dtype": ("A dtype that the op does not take.", ["bad"], _attr_dtype),
    "extra-attr": ("Attrs that the op does not have.", ["fine"], _extra_attr),
    "merge-of-none": ("A Merge of nothing.", ["bad"], _merge_of_none),
    "merge-count": ("A Merge with fewer inputs than N.", ["bad"], _merge_count),
    "twice": ("Two nodes of one name.", ["same"], _twice),
    "empty-name": ("A node without a name.", ["fine"], _empty_name),
    "bad-name": ("A name with spaces.", ["not a name"], _bad_name),
    "data-after-control": ("A data input after a control input.", ["bad"], _data_after_control),
    "const-dtype": ("A Const whose value has another dtype.", ["bad"], _const_dtype),
    "const-values": ("A Const with too many values.", ["bad"], _const_values),
    "const-content": ("A Const with too few bytes.", ["bad"], _const_content),
    "negative-dim": ("A Const of negative size.", ["bad"], _negative_dim),
    "colons": ("Ways to name an output.", ["fine", "also", "odd"], _colons),
    "order": ("A node before its inputs.", ["early"], _order),
    "missing-fetch": ("A fetch that is not there.", ["nowhere"], lambda g: None),
    "missing-slot": ("A fetch of an output that is not there.", ["n:1"], lambda g: None),
    "exit-at-root": ("An Exit in the root frame.", ["out"], _exit_at_root),
    "next-at-root": ("A NextIteration in the root frame.", ["out"], _next_at_root),
    "root-loop": ("A loop in the root frame.", ["out"], _root_loop),
}
