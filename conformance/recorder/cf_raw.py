"""Hand-written graphs of the primitives: loops as nobody's library builds them.

Every kind of node in a loop drives a counter by a control edge; loops without LoopCond, with two
frames, with Exits in branches, that share a frame; frames that are no loops; feeds in odd places.
"""

import numpy as np
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import record
from op_probe import tf

PARALLEL = (1, 2, 10, 32)
_TRIPS = (0, 1, 2, 5)


def groups():
  """All scenarios, in a fixed order."""
  for parallel in PARALLEL:
    for source in _SOURCES:
      if source != "next" or parallel > max(_TRIPS):
        # Where the window of iterations fills up, TensorFlow loses the loop of a NextIteration with
        # a control edge, most of the time.
        yield _effect(source, parallel)
    yield _effect_on_constants(parallel)
    yield _no_loop_cond(parallel)
    yield _early_exit(parallel)
    yield _exit_never_live(parallel)
    yield _dead_loop(parallel)
    yield _dead_loop_in_loop(parallel)
    yield _two_exits(parallel)
    yield _switch_in_body(parallel)
    yield _merge_of_three(parallel)
    yield _late_invariant(parallel)
    yield _shared_frame(parallel)
    yield _carried_predicate(parallel)
    yield _dead_variable(parallel)
    yield _frame_chain(parallel)
  yield _frames_without_loops()
  yield _nested_frames()
  yield _feeds_around()


class Loop:
  """`while i < n: i += 1`, with names to hang things on: i0, limit, i, test, cond, switch, pivot,
  add, next, out. Extra variables come by variable()."""

  def __init__(self,
               g,
               limit="n",
               frame="f",
               parallel=10,
               prefix="",
               start=None,
               loop_cond=True,
               control=()):
    self.g, self.frame, self.parallel, self.prefix = g, frame, parallel, prefix
    start = start or g.const(np.int32(0), name=self.name("zero"))
    self.enter(start, "i0", tf.int32, control=control)
    self.enter(limit, "limit", tf.int32, constant=True)
    self.add("Merge", "i0", "next", name="i", T=tf.int32, N=2)
    self.add("Less", "i", "limit", name="test", T=tf.int32)
    if loop_cond:
      self.add("LoopCond", "test", name="cond")
    self.cond = self.name("cond" if loop_cond else "test")
    g.add("Switch", self.name("i"), self.cond, name=self.name("switch"), T=tf.int32)
    self.add("Identity", "switch:1", name="pivot", T=tf.int32)
    g.const(np.int32(1), name=self.name("one"), control=[self.name("pivot")])
    self.add("Add", "switch:1", "one", name="add", T=tf.int32)
    self.add("NextIteration", "add", name="next", T=tf.int32)
    self.add("Exit", "switch", name="out", T=tf.int32)

  def name(self, short):
    return self.prefix + short

  def add(self, op, *inputs, name, control=(), **attrs):
    """A node whose inputs are short names of this loop."""
    return self.g.add(op,
                      *(self.name(i) for i in inputs),
                      name=self.name(name),
                      control=control,
                      **attrs)

  def enter(self, source, name, dtype, constant=False, control=()):
    return self.g.add("Enter",
                      source,
                      name=self.name(name),
                      T=dtype,
                      frame_name=self.frame,
                      control=control,
                      is_constant=constant,
                      parallel_iterations=self.parallel)

  def variable(self, source, name, body):
    """A carried int32: Merge NAME, Switch NAME_s, NextIteration of body(NAME_s:1), Exit NAME_out.

    body takes the name of the value and gives the name of the next.
    """
    self.enter(source, f"{name}_in", tf.int32)
    self.add("Merge", f"{name}_in", f"{name}_next", name=name, T=tf.int32, N=2)
    self.g.add("Switch", self.name(name), self.cond, name=self.name(f"{name}_s"), T=tf.int32)
    new = body(self.name(f"{name}_s:1"))
    self.g.add("NextIteration", new, name=self.name(f"{name}_next"), T=tf.int32)
    self.add("Exit", f"{name}_s", name=f"{name}_out", T=tf.int32)


def new_graph():
  """A graph with the placeholder n."""
  g = GraphMaker()
  g.placeholder("n", tf.int32)
  return g


def _counter(g, name="v"):
  g.add("VarHandleOp", name=name, dtype=tf.int32, shape=tf.TensorShape([]), shared_name=name)
  g.add("AssignVariableOp", name, g.const(np.int32(0)), name=f"{name}_zero", dtype=tf.int32)
  g.add("ReadVariableOp", name, name=f"{name}_read", dtype=tf.int32)


def _counting_steps(effects, fetches, trips=_TRIPS):
  steps = []
  for n in trips:
    steps += [
        record.Step([], targets=["v_zero"]),
        record.Step(fetches, {"n": np.int32(n)}, effects),
        record.Step(["v_read"])
    ]
  return steps


def raw(name, about, g, steps):
  return Scenario(f"cf/raw/{name}", about, g.graph, steps)


_SOURCES = ("i0", "i", "test", "cond", "switch", "pivot", "one", "add", "next", "out", "leave",
            "none")


def _effect(source, parallel):
  """How often an effect runs that waits for one node of a loop."""
  g = new_graph()
  _counter(g)
  loop = Loop(g, parallel=parallel)
  g.add("Identity", "switch", name="leave", T=tf.int32)
  if source == "out":
    g.add("AssignAddVariableOp",
          "v",
          g.const(np.int32(1)),
          name="effect",
          control=["out"],
          dtype=tf.int32)
  else:
    loop.enter("v", "v_in", tf.resource, constant=True)
    loop.enter(g.const(np.int32(1)), "by", tf.int32, constant=True)
    g.add("AssignAddVariableOp",
          "v_in",
          "by",
          name="effect",
          control=[] if source == "none" else [source],
          dtype=tf.int32)
  return raw(f"effects/{source}-p{parallel}", f"An effect with a control edge from {source}.", g,
              _counting_steps(["effect"], ["out"]))


def _effect_on_constants(parallel):
  """Control edges from constant Enters, and from a node fed by them alone."""
  g = new_graph()
  _counter(g)
  loop = Loop(g, parallel=parallel)
  loop.enter("v", "v_in", tf.resource, constant=True)
  loop.enter(g.const(np.int32(1)), "by", tf.int32, constant=True)
  g.add("Neg", "by", name="neg", T=tf.int32)
  g.add("Neg", "neg", name="pos", T=tf.int32)
  g.add("AssignAddVariableOp", "v_in", "pos", name="effect", control=["by", "neg"], dtype=tf.int32)
  return raw(f"effects/constants-p{parallel}", "An effect on loop invariants.", g,
              _counting_steps(["effect"], ["out"]))


def _no_loop_cond(parallel):
  g = new_graph()
  loop = Loop(g, parallel=parallel, loop_cond=False)
  loop.variable(g.const(np.int32(5)), "a", lambda a: g.add("Add", a, "switch:1", T=tf.int32))
  return raw(f"no-loop-cond-p{parallel}", "The Switches take the test itself.", g,
              [record.Step(["out", "a_out"], {"n": np.int32(n)}) for n in _TRIPS])


def _early_exit(parallel):
  """An Exit behind a Switch of the body, live in one iteration: i == 2."""
  g = new_graph()
  loop = Loop(g, parallel=parallel)
  loop.enter(g.placeholder("k", tf.int32), "k_in", tf.int32, constant=True)
  g.add("Equal", "switch:1", "k_in", name="found", T=tf.int32)
  g.add("Mul", "switch:1", "switch:1", name="square", T=tf.int32)
  g.add("Switch", "square", "found", name="pick", T=tf.int32)
  g.add("Exit", "pick:1", name="found_out", T=tf.int32)
  g.add("Identity", "found_out", name="found_value", T=tf.int32)
  steps = [
      record.Step(f, {
          "n": np.int32(n),
          "k": np.int32(2)
      }) for n in (0, 2, 3, 5) for f in (["out"], ["found_value"], ["out", "found_out"])
  ]
  return raw(f"early-exit-p{parallel}", "An Exit that is live in one iteration only, or in none.",
              g, steps)


def _exit_never_live(parallel):
  """A dead Exit leaves when the frame ends; a Merge outside takes the other input."""
  g = new_graph()
  loop = Loop(g, parallel=parallel)
  never = g.add("Less", "switch:1", "limit", name="always", T=tf.int32)
  g.add("Switch", "switch:1", never, name="pick", T=tf.int32)
  g.add("Exit", "pick", name="never_out", T=tf.int32)
  g.add("Switch", g.const(np.int32(7)), g.const(np.array(True)), name="taken", T=tf.int32)
  g.add("Merge", "never_out", "taken:1", name="merge", T=tf.int32, N=2)
  del loop
  return raw(f"exit-never-live-p{parallel}",
              "An Exit that is never live is dead at the frame's end.", g, [
                  record.Step(f, {"n": np.int32(n)})
                  for n in _TRIPS
                  for f in (["never_out"], ["merge", "merge:1"], ["merge:1", "out"])
              ])


def _dead_loop(parallel):
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", g.const(np.int32(0)), "p", name="gate", T=tf.int32)
  g.add("Switch", "n", "p", name="gate_n", T=tf.int32)
  loop = Loop(g, limit="gate_n:1", start="gate:1", parallel=parallel)
  loop.variable("gate:1", "a", lambda a: g.add("Add", a, "switch:1", T=tf.int32))
  g.add("Merge", "out", "gate", name="merge", T=tf.int32, N=2)
  g.add("Merge", "gate", "a_out", name="merge_a", T=tf.int32, N=2)
  return raw(f"dead-loop-p{parallel}", "A loop whose Enters are dead.", g, [
      record.Step(f, {
          "n": np.int32(n),
          "p": np.array(p)
      })
      for n in (0, 1, 4)
      for p in (True, False)
      for f in (["merge", "merge:1", "merge_a"], ["out"], ["a_out"])
  ])


def _dead_loop_in_loop(parallel):
  """In odd iterations of the outer loop the inner loop is dead."""
  g = new_graph()
  loop = Loop(g, parallel=parallel)

  def body(a):
    two = g.const(np.int32(2), control=["pivot"])
    odd = g.add("Equal", g.add("FloorMod", "switch:1", two, T=tf.int32), "one", T=tf.int32)
    gate = g.add("Switch", a, odd, name="gate", T=tf.int32)
    zero = g.const(np.int32(0), control=[g.add("Identity", gate, name="even", T=tf.int32)])
    inner = Loop(g, limit="even", frame="g", prefix="j_", start=zero, parallel=parallel)
    inner.variable("even", "b", lambda b: g.add("Add", b, "j_one", T=tf.int32))
    return g.add("Merge", "gate:1", "j_b_out", name="joined", T=tf.int32, N=2)

  loop.variable(g.const(np.int32(3)), "a", body)
  return raw(f"dead-inner-loop-p{parallel}", "An inner loop that is dead in some iterations.", g,
              [record.Step(["out", "a_out"], {"n": np.int32(n)}) for n in (0, 1, 2, 4)])


def _two_exits(parallel):
  g = new_graph()
  Loop(g, parallel=parallel)
  g.add("Exit", "switch", name="again", T=tf.int32)
  g.add("Neg", "switch", name="negative", T=tf.int32)
  g.add("Exit", "negative", name="third", T=tf.int32)
  return raw(f"exits-p{parallel}", "Several Exits of one value, one behind an op.", g, [
      record.Step(f, {"n": np.int32(n)})
      for n in _TRIPS
      for f in (["out", "again", "third"], ["third"], ["again"])
  ])


def _switch_in_body(parallel):
  """a = a + i for even i, a * 2 for odd i; the Switch's two outputs joined again."""
  g = new_graph()
  loop = Loop(g, parallel=parallel)

  def body(a):
    two = g.const(np.int32(2), control=["pivot"])
    odd = g.add("Equal", g.add("FloorMod", "switch:1", two, T=tf.int32), "one", T=tf.int32)
    g.add("Switch", a, odd, name="sa", T=tf.int32)
    g.add("Switch", "switch:1", odd, name="si", T=tf.int32)
    g.add("Add", "sa", "si", name="even", T=tf.int32)
    g.add("Add", "sa:1", "sa:1", name="odd", T=tf.int32)
    return g.add("Merge", "even", "odd", name="joined", T=tf.int32, N=2)

  loop.variable(g.placeholder("x", tf.int32), "a", body)
  return raw(f"switch-in-body-p{parallel}", "A branch in a loop, by hand.", g,
              [record.Step(["a_out"], {
                  "n": np.int32(n),
                  "x": np.int32(4)
              }) for n in (0, 1, 2, 7)])


def _merge_of_three(parallel):
  """The header Merge has two NextIterations, one live in each iteration."""
  g = new_graph()
  loop = Loop(g, parallel=parallel)
  loop.enter(g.const(np.int32(10)), "a_in", tf.int32)
  g.add("Merge", "a_in", "next_even", "next_odd", name="a", T=tf.int32, N=3)
  g.add("Switch", "a", "cond", name="a_s", T=tf.int32)
  two = g.const(np.int32(2), control=["pivot"])
  odd = g.add("Equal", g.add("FloorMod", "switch:1", two, T=tf.int32), "one", T=tf.int32)
  g.add("Switch", "a_s:1", odd, name="split", T=tf.int32)
  g.add("NextIteration", g.add("Neg", "split", T=tf.int32), name="next_even", T=tf.int32)
  g.add("NextIteration", g.add("Add", "split:1", "one", T=tf.int32), name="next_odd", T=tf.int32)
  g.add("Exit", "a_s", name="a_out", T=tf.int32)
  return raw(f"merge-three-p{parallel}", "Two back edges into one Merge, one live at a time.", g,
              [record.Step(["a_out"], {"n": np.int32(n)}) for n in _TRIPS])


def _late_invariant(parallel):
  """A constant Enter that waits for another loop's result."""
  g = new_graph()
  first = Loop(g, frame="early", prefix="e_", parallel=parallel)
  loop = Loop(g, parallel=parallel)
  loop.enter("e_out", "late", tf.int32, constant=True)
  loop.variable(g.const(np.int32(1)), "a", lambda a: g.add("Add", a, "late", T=tf.int32))
  del first
  return raw(f"late-invariant-p{parallel}", "An invariant that arrives late.", g,
              [record.Step(["a_out", "out"], {"n": np.int32(n)}) for n in _TRIPS])


def _shared_frame(parallel):
  """Two loops in one frame, each with its own test; no LoopCond in the second."""
  g = new_graph()
  g.placeholder("m", tf.int32)
  Loop(g, parallel=parallel)
  Loop(g, limit="m", prefix="j_", parallel=parallel, loop_cond=False)
  return raw(f"shared-frame-p{parallel}",
              "Two loops that share a frame have their own trip counts.", g, [
                  record.Step(f, {
                      "n": np.int32(n),
                      "m": np.int32(m)
                  })
                  for n, m in ((2, 6), (6, 2), (0, 3), (3, 0))
                  for f in (["out", "j_out"], ["j_out"])
              ])


def _carried_predicate(parallel):
  """The predicate is itself a loop variable, computed one iteration ahead."""
  g = new_graph()
  enter = {"frame_name": "f", "parallel_iterations": parallel}
  zero = g.const(np.int32(0))
  g.add("Enter", "n", name="limit", T=tf.int32, is_constant=True, **enter)
  g.add("Enter", zero, name="i0", T=tf.int32, **enter)
  g.add("Enter", g.add("Less", zero, "n", T=tf.int32), name="p0", T=tf.bool, **enter)
  g.add("Merge", "i0", "i_next", name="i", T=tf.int32, N=2)
  g.add("Merge", "p0", "p_next", name="p", T=tf.bool, N=2)
  g.add("LoopCond", "p", name="cond")
  g.add("Switch", "i", "cond", name="switch", T=tf.int32)
  one = g.const(np.int32(1), control=[g.add("Identity", "switch:1", T=tf.int32)])
  g.add("Add", "switch:1", one, name="add", T=tf.int32)
  g.add("NextIteration", "add", name="i_next", T=tf.int32)
  g.add("NextIteration", g.add("Less", "add", "limit", T=tf.int32), name="p_next", T=tf.bool)
  g.add("Exit", "switch", name="out", T=tf.int32)
  g.add("Switch", "p", "cond", name="p_switch", T=tf.bool)
  g.add("Exit", "p_switch", name="p_out", T=tf.bool)
  return raw(f"carried-predicate-p{parallel}", "A loop that tests at its end.", g,
              [record.Step(["out", "p_out"], {"n": np.int32(n)}) for n in _TRIPS])


def _dead_variable(parallel):
  """One variable's Enter is dead: it is dead in every iteration; the others go on."""
  g = new_graph()
  g.placeholder("p", tf.bool)
  g.add("Switch", g.const(np.int32(1)), "p", name="gate", T=tf.int32)
  loop = Loop(g, parallel=parallel)
  loop.variable("gate:1", "a", lambda a: g.add("Add", a, "one", T=tf.int32))
  g.add("Merge", "a_out", "gate", name="merge", T=tf.int32, N=2)
  return raw(f"dead-variable-p{parallel}", "A loop with one dead variable.", g, [
      record.Step(f, {
          "n": np.int32(n),
          "p": np.array(p)
      }) for n in _TRIPS for p in (True, False) for f in (["out"], ["a_out"], ["merge", "merge:1"])
  ])


def _frame_chain(parallel):
  """One loop's Exit is the next loop's Enter, in frames of one name."""
  g = new_graph()
  Loop(g, parallel=parallel)
  inner = Loop(g, limit="n", frame="h", prefix="j_", start="out", parallel=parallel)
  inner.variable("out", "a", lambda a: a)
  g.add("Add", "j_out", "j_a_out", name="sum", T=tf.int32)
  return raw(f"chain-p{parallel}", "A loop after a loop.", g,
              [record.Step(["out", "j_out", "sum"], {"n": np.int32(n)}) for n in _TRIPS])


def _frames_without_loops():
  g = new_graph()
  for frame, parallel in (("a", 1), ("b", 7)):
    g.add("Enter",
          "n",
          name=f"in_{frame}",
          T=tf.int32,
          frame_name=frame,
          parallel_iterations=parallel)
    g.add("Enter",
          "n",
          name=f"const_{frame}",
          T=tf.int32,
          frame_name=frame,
          is_constant=True,
          parallel_iterations=parallel)
    g.add("Add", f"in_{frame}", f"const_{frame}", name=f"sum_{frame}", T=tf.int32)
    g.add("Exit", f"sum_{frame}", name=f"out_{frame}", T=tf.int32)
    g.add("Exit", f"const_{frame}", name=f"through_{frame}", T=tf.int32)
  g.add("Add", "out_a", "out_b", name="both", T=tf.int32)
  return raw("frames-without-loops", "Enter, an op, Exit: no loop is needed.", g, [
      record.Step(f, {"n": np.int32(n)})
      for n in (3, -1)
      for f in (["out_a"], ["both"], ["through_b"])
  ])


def _nested_frames():
  """Three frames deep without a loop; the inner constant Enter enters a constant."""
  g = new_graph()
  source = "n"
  for depth in range(3):
    source = g.add("Enter",
                   source,
                   name=f"in{depth}",
                   T=tf.int32,
                   frame_name=f"f{depth}",
                   is_constant=depth == 1)
  g.add("Neg", source, name="neg", T=tf.int32)
  source = "neg"
  for depth in range(3):
    source = g.add("Exit", source, name=f"out{depth}", T=tf.int32)
  return raw("nested-frames", "Frames in frames without a loop.", g,
              [record.Step(["out2"], {"n": np.int32(n)}) for n in (3, 0)])


def _feeds_around():
  """A fed Exit, a fed limit, a fed start: the loop is cut away or changed."""
  g = new_graph()
  Loop(g, start=g.placeholder("start", tf.int32))
  g.add("Identity", "out", name="after", T=tf.int32)
  g.add("Identity", "n", name="limit_copy", T=tf.int32)
  n, start = np.int32(4), np.int32(1)
  return raw("feeds-around", "Feeds at a loop's edge.", g, [
      record.Step(["after"], {
          "n": n,
          "start": start
      }),
      record.Step(["after"], {"out": np.int32(77)}),
      record.Step(["after", "out"], {"out": np.int32(77)}),
      record.Step(["after"], {"n": n}),
      record.Step(["after"], {
          "n": n,
          "start": np.int32(10)
      }),
      record.Step(["limit_copy"], {"n": n}),
      record.Step([], {
          "n": n,
          "start": start
      }, ["out"]),
      record.Step([], {
          "n": n,
          "start": start
      }, ["add", "next"])
  ])
