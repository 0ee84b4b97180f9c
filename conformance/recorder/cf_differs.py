"""Graphs on which the standard departs from TensorFlow on purpose, as TensorFlow answers them.

They are evidence, not expectations: an engine that keeps to the standard fails some of them.
"""

import numpy as np
from cf_raw import Loop
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import record
from op_probe import tf


def groups():
  """All scenarios, in a fixed order."""
  yield _fetches_in_a_loop()
  yield _feeds_in_a_loop()
  yield _control_into_header()
  yield _starved()


def _fetches_in_a_loop():
  g = GraphMaker()
  g.placeholder("n", tf.int32)
  Loop(g)
  names = ("i0", "limit", "i", "test", "cond", "switch", "switch:1", "pivot", "one", "add", "next")
  return Scenario("differs/cf/fetch-in-a-loop", "TensorFlow lets a loop's inside be fetched, once.",
                  g.graph, [record.Step([f], {"n": np.int32(n)}) for f in names for n in (0, 1)])


def _feeds_in_a_loop():
  g = GraphMaker()
  g.placeholder("n", tf.int32)
  Loop(g)
  return Scenario("differs/cf/feed-in-a-loop", "TensorFlow's answer to feeds inside of a loop.",
                  g.graph, [
                      record.Step(["out"], {
                          "n": np.int32(3),
                          f: np.int32(1)
                      }) for f in ("one", "i0", "limit", "pivot")
                  ])


def _control_into_header():
  """A dead loop whose header Merge has a control input that comes last."""
  g = GraphMaker()
  g.placeholder("p", tf.bool)
  g.placeholder("n", tf.int32)
  g.add("Switch", "n", "p", name="gate", T=tf.int32)
  loop = Loop(g, limit="gate:1", start="gate:1")
  slow = "n"
  for _ in range(50):
    slow = g.add("Neg", slow, T=tf.int32)
  loop.enter(slow, "slow_in", tf.int32)
  next(node for node in g.graph.node if node.name == "i").input.append("^slow_in")
  g.add("Merge", "out", "gate", name="merge", T=tf.int32, N=2)
  return Scenario(
      "differs/cf/control-into-header", "A dead loop's Exit is lost.", g.graph,
      [record.Step(["merge"], {
          "n": np.int32(3),
          "p": np.array(p)
      }) for p in (True, False)])


def _starved():
  """An Add whose inputs arrive in two iterations, so that it never fires."""
  g = GraphMaker()
  g.placeholder("n", tf.int32)
  g.add("Enter", "n", name="in", T=tf.int32, frame_name="f")
  g.add("NextIteration", "in", name="next", T=tf.int32)
  g.add("Add", "next", "in", name="sum", T=tf.int32)
  g.add("Exit", "sum", name="out", T=tf.int32)
  return Scenario("differs/cf/starved", "An op whose inputs come in two iterations.", g.graph,
                  [record.Step(["out"], {"n": np.int32(3)})])
