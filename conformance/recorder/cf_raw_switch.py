"""Hand-written graphs of Switch and Merge outside of loops: inputs, feeds, control edges."""

import numpy as np
from cf_raw import new_graph
from cf_raw import raw
from op_probe import record
from op_probe import tf


def groups():
  """All scenarios, in a fixed order."""
  yield _pending_counts()
  yield _both_outputs_fed()
  yield _merge_control()
  yield _switch_of_itself()


def _pending_counts():
  """Merges and ops with many inputs and many control inputs."""
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", "n", "p", name="s", T=tf.int32)
  for count in range(1, 12):
    names = [g.add("Identity", "s:1" if i % 2 else "s", T=tf.int32) for i in range(count)]
    live = [g.add("Identity", "n", T=tf.int32) for i in range(count)]
    g.add("Merge", "s:1", "s", name=f"merge{count}", control=names, T=tf.int32, N=2)
    g.add("Identity", "n", name=f"live{count}", control=live, T=tf.int32)
    g.add("Identity", "n", name=f"maybe{count}", control=names[1::2] or live, T=tf.int32)
    g.add("AddN", *live, name=f"sum{count}", T=tf.int32, N=count)
    dead = g.add("Switch", "s:1", "p", name=f"never{count}", T=tf.int32)
    g.add("Merge",
          *([dead] * (count - 1)),
          "s:1",
          "s",
          name=f"wide{count}",
          T=tf.int32,
          N=count + 1)
  steps = []
  for p in (True, False):
    feeds = {"n": np.int32(3), "p": np.array(p)}
    for count in range(1, 12):
      names = [
          f"merge{count}", f"merge{count}:1", f"live{count}", f"sum{count}", f"wide{count}",
          f"wide{count}:1"
      ]
      steps += [record.Step(names, feeds), record.Step([f"maybe{count}"], feeds)]
  return raw("pending-counts", "One to eleven inputs of every kind.", g, steps)


def _both_outputs_fed():
  """Feeding a Switch's outputs, its predicate, and what a branch made."""
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", "n", "p", name="s", T=tf.int32)
  g.add("Neg", "s", name="else", T=tf.int32)
  g.add("Square", "s:1", name="then", T=tf.int32)
  g.add("Merge", "else", "then", name="merge", T=tf.int32, N=2)
  g.add("Identity", g.const(np.int32(1)), name="after_then", control=["then"], T=tf.int32)
  n, t, f = {"n": np.int32(5)}, {"p": np.array(True)}, {"p": np.array(False)}
  fed = lambda **v: {k.replace("__", ":"): np.int32(x) for k, x in v.items()}
  return raw("feeds-of-a-switch", "A feed is live whatever branch its node is in.", g, [
      record.Step(["then"], {
          **n,
          **f,
          **fed(s__1=9)
      }),
      record.Step(["else"], {
          **n,
          **t,
          **fed(s=9)
      }),
      record.Step(["else"], {
          **n,
          **f,
          **fed(s__1=9)
      }),
      record.Step(["merge"], {
          **n,
          **t,
          **fed(s__1=9)
      }),
      record.Step(["after_then"], {
          **n,
          **f,
          **fed(then=1)
      }),
      record.Step(["after_then"], {
          **n,
          **t,
          **fed(then=1)
      }),
      record.Step(["merge"], {**fed(merge=1)}),
      record.Step(["merge:1"], {
          **n,
          **t,
          **fed(merge=1)
      }),
      record.Step(["then", "else"], fed(s=2, s__1=3)),
      record.Step(["s"], {
          **n,
          **t,
          **fed(s=4)
      }),
      record.Step(["s:1"], {
          **n,
          **t,
          **fed(s=4)
      })
  ])


def _merge_control():
  """Merges with dead and live control inputs, against an Identity with the same."""
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", "n", "p", name="s", T=tf.int32)
  g.add("Identity", "s", name="on_false", T=tf.int32)
  g.add("Identity", "s:1", name="on_true", T=tf.int32)
  for name, control in (("f", ["on_false"]), ("t", ["on_true"]), ("ft", ["on_false",
                                                                         "on_true"]), ("s", ["s"])):
    g.add("Merge", "n", name=f"merge_{name}", control=control, T=tf.int32, N=1)
    g.add("Identity", "n", name=f"identity_{name}", control=control, T=tf.int32)
    g.add("Merge", "s", "s:1", name=f"two_{name}", control=control, T=tf.int32, N=2)
    g.add("Merge", "s:1", name=f"dead_{name}", control=control, T=tf.int32, N=1)
  return raw("merge-control", "A Merge ignores the deadness of control inputs.", g, [
      record.Step([f"{kind}_{name}"], {
          "n": np.int32(5),
          "p": np.array(p)
      })
      for p in (True, False)
      for name in ("f", "t", "ft", "s")
      for kind in ("merge", "identity", "two", "dead")
  ])


def _switch_of_itself():
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", "p", "p", name="s", T=tf.bool)
  g.add("Switch", "s:1", "s:1", name="t", T=tf.bool)
  g.add(
      "LogicalNot",
      "s",
      name="not",
  )
  g.add("Switch", "not", "not", name="u", T=tf.bool)
  g.add("Merge", "t:1", "u:1", name="merge", T=tf.bool, N=2)
  g.add("Merge", "t", "u", name="nothing", T=tf.bool, N=2)
  return raw("switch-of-itself", "A Switch whose data is its predicate.", g, [
      record.Step([f], {"p": np.array(p)})
      for p in (True, False)
      for f in ("s", "s:1", "t:1", "t", "u:1", "u", "merge", "merge:1", "nothing")
  ])
