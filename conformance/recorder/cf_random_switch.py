"""Random graphs of Switch, Merge and ordinary ops, with no structure at all.

Which tensors are live is known while a graph is drawn: with k fed predicates, a tensor's liveness
is the set of the 2^k assignments under which it is live. A Merge takes only inputs whose sets do
not meet, so no two are ever live together. Every step fetches live tensors together, and some dead
ones alone (each an error).
"""

import numpy as np
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import record
from op_probe import seed_of
from op_probe import tf

GRAPHS = 220


def groups():
  """All scenarios, in a fixed order."""
  for number in range(GRAPHS):
    name = f"cf/random/switches/{number:03d}"
    yield Scenario(name,
                   "Random Switches and Merges.",
                   None,
                   None,
                   lambda name=name: Writer(name).write())


class Writer:
  """Draws one graph. `_values`: tensor -> set of assignments where it is live;
  `_nodes`: the same for nodes, as a control edge sees them."""

  def __init__(self, name):
    self._random = np.random.RandomState(seed_of(name))
    self._predicates = self._random.randint(1, 5)
    self._all = frozenset(range(2**self._predicates))
    self._g = GraphMaker()
    self._values, self._nodes = {}, {}

  def write(self):
    g = self._g
    for k in range(self._predicates):
      g.placeholder(f"p{k}", tf.bool)
    self._source(g.placeholder("x", tf.int32))
    self._source(g.const(np.int32(3), name="three"))
    for number in range(self._random.randint(8, 40)):
      self._node(f"n{number}")
    return g.graph, self._steps()

  def _source(self, name):
    self._values[name] = self._nodes[name] = self._all

  def _where(self, k):
    return frozenset(a for a in self._all if a >> k & 1)

  def _tensor(self):
    names = list(self._values)
    # Newer tensors are likelier: deeper graphs.
    return names[max(self._random.randint(len(names)), self._random.randint(len(names)))]

  def _control(self):
    """Control inputs, and where all of them are live."""
    live, names = self._all, []
    if self._random.rand() < 0.3:
      for _ in range(self._random.randint(1, 4)):
        name = list(self._nodes)[self._random.randint(len(self._nodes))]
        if name not in names:
          names.append(name)
          live = live & self._nodes[name]
    return names, live

  def _node(self, name):
    kind = self._random.choice(["switch"] * 4 + ["merge"] * 4 + ["op"] * 3 + ["trigger", "const"])
    getattr(self, "_" + kind)(name)

  def _switch(self, name):
    data, k = self._tensor(), self._random.randint(self._predicates)
    control, allowed = self._control()
    live = self._values[data] & allowed
    self._g.add("Switch", data, f"p{k}", name=name, control=control, T=tf.int32)
    self._nodes[name] = live
    self._values[name] = live - self._where(k)
    self._values[f"{name}:1"] = live & self._where(k)

  def _merge(self, name):
    inputs, live = [], frozenset()
    for _ in range(self._random.randint(2, 12)):
      candidate = self._tensor()
      if not (self._values[candidate] & live) and candidate not in inputs:
        inputs.append(candidate)
        live = live | self._values[candidate]
    self._random.shuffle(inputs)
    inputs = inputs[:5]
    live = frozenset().union(*(self._values[i] for i in inputs))
    control, _ = self._control()  # their deadness is ignored
    self._g.add("Merge", *inputs, name=name, control=control, T=tf.int32, N=len(inputs))
    self._nodes[name] = self._values[name] = self._values[f"{name}:1"] = live

  def _op(self, name):
    op, arity = (("Identity", 1), ("Neg", 1), ("Add", 2), ("Sub", 2), ("Mul", 2),
                 ("AddN", 3))[self._random.randint(6)]
    inputs = [self._tensor() for _ in range(arity)]
    control, live = self._control()
    for source in inputs:
      live = live & self._values[source]
    attrs = {"T": tf.int32, **({"N": arity} if op == "AddN" else {})}
    self._g.add(op, *inputs, name=name, control=control, **attrs)
    self._nodes[name] = self._values[name] = live

  def _trigger(self, name):
    control, _ = self._control()
    self._g.add("ControlTrigger", name=name, control=control)
    self._nodes[name] = self._all

  def _const(self, name):
    control, live = self._control()
    self._g.const(np.int32(self._random.randint(-9, 10)), name=name, control=control)
    self._nodes[name] = self._values[name] = live

  def _steps(self):
    assignments = sorted(self._all)
    self._random.shuffle(assignments)
    steps = []
    for a in assignments[:6]:
      feeds = {f"p{k}": np.array(bool(a >> k & 1)) for k in range(self._predicates)}
      feeds["x"] = np.int32(self._random.randint(-20, 21))
      live = [t for t, where in self._values.items() if a in where]
      dead = [t for t, where in self._values.items() if a not in where]
      steps.append(record.Step(live[-12:], feeds))
      for t in dead[-2:]:
        steps.append(record.Step([t], feeds))
      if live and dead and self._random.rand() < 0.3:
        steps.append(record.Step([live[-1], dead[-1]], feeds))
    return steps
