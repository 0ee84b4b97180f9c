"""Random programs of ordered effects on two variables, in branches and loops.

Every operation on a variable waits for the one before; in a loop the chain is carried by a loop
variable, and one iteration runs at a time. So there is one outcome, though state is everywhere.
"""

import numpy as np
from cf_kit import counter
from cf_kit import feed
from cf_kit import out
from cf_kit import record
from cf_kit import scenario
from cf_kit import tf
from cf_kit import v1
from op_probe import seed_of

PROGRAMS = 160
_PRIME = 997


def groups():
  """All scenarios, in a fixed order."""
  for number in range(PROGRAMS):
    yield _program(number)


def _program(number):
  name = f"random/effects/{number:03d}"

  def build():
    writer = Writer(seed_of(name), resource=number % 2 == 0)
    result = writer.statements(feed("x", tf.int32), feed("p", tf.bool), feed("n", tf.int32))
    out("result", result)
    reads = [out(f"value_of_{v.op.name}", v.read_value()).op.name for v in writer.variables]
    random = np.random.RandomState(seed_of(name + "/feeds"))
    steps = [record.Step([], {}, ["u_init", "w_init"])]
    for _ in range(4):
      steps.append(
          record.Step(
              ["result"], {
                  "x": np.int32(random.randint(-9, 10)),
                  "n": np.int32(random.randint(0, 4)),
                  "p": np.array(bool(random.randint(0, 2)))
              }))
      steps.append(record.Step(reads))
    return steps

  return scenario(name, "A random program of ordered effects.", build)


class Writer:
  """Threads one int32 through everything: each operation takes it and gives the next."""

  def __init__(self, seed, resource):
    self._random = np.random.RandomState(seed)
    self.variables = [counter("u", resource), counter("w", resource)]
    self._blocks = 7

  def statements(self, value, p, n):
    self._p, self._n = p, n
    for _ in range(self._random.randint(2, 5)):
      value = self._block(value, 0)
    return value

  def _block(self, value, depth):
    kind = self._random.choice(["effect", "effect", "cond", "while", "sequence"])
    if depth > 3 or self._blocks == 0:
      kind = "effect"
    if kind == "effect":
      return self._effect(value)
    self._blocks -= 1
    if kind == "sequence":
      return self._block(self._block(value, depth + 1), depth + 1)
    if kind == "cond":
      test = self._p if self._random.rand() < 0.4 else tf.math.floormod(
          value, self._random.randint(2, 4)) > 0
      return tf.cond(
          test, lambda: self._block(value, depth + 1), lambda: self._block(value, depth + 1)
          if self._random.rand() < 0.6 else tf.identity(value))
    trips = self._n if self._random.rand() < 0.5 else tf.constant(self._random.randint(0, 4))
    body = lambda i, v: [i + 1, self._block(v + i, depth + 1)]
    return v1.while_loop(lambda i, v: i < trips,
                         body, [tf.constant(0), value],
                         parallel_iterations=1)[1]

  def _effect(self, value):
    variable = self.variables[self._random.randint(2)]
    change = self._random.choice(["assign", "add", "sub", "read"])
    with tf.control_dependencies([value]):
      if change == "read":
        return tf.math.floormod(tf.identity(variable.read_value()) + value, _PRIME)
      by = tf.math.floormod(value * int(self._random.randint(1, 9)) + 1, _PRIME)
    make = {"assign": v1.assign, "add": v1.assign_add, "sub": v1.assign_sub}[change]
    with tf.control_dependencies([by]):
      done = make(variable, by)
    with tf.control_dependencies([done]):
      return tf.identity(by) + 0
