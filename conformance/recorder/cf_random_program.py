"""Random structured programs: nested branches and loops over ints, floats and arrays.

A program is drawn from a seed and built straight into a v1 graph. It terminates by construction
(trip counts are small constants or data taken modulo a few) and integers are kept small by a
modulus, so that nothing but the control flow is interesting. Every block may use every value of
the blocks around it: captures come from all depths.
"""

import numpy as np
from cf_kit import NEAR
from cf_kit import feed
from cf_kit import out
from cf_kit import record
from cf_kit import scenario
from cf_kit import tf
from cf_kit import v1
from op_probe import seed_of

PROGRAMS = 420
GRADIENTS = 150
_PRIME = 997


def groups():
  """All scenarios, in a fixed order."""
  for number in range(PROGRAMS):
    yield _program(number)
  for number in range(GRADIENTS):
    yield _gradient(number)


def _program(number):
  name = f"random/programs/{number:03d}"

  def build():
    writer = Writer(seed_of(name), depth=2 + number % 3)
    scope = Scope(ints=[feed("a", tf.int32), feed("b", tf.int32)],
                  floats=[feed("x", tf.float32), feed("y", tf.float32)],
                  bools=[feed("p", tf.bool)])
    names = []
    for i in range(writer.between(2, 5)):
      kind, value = writer.statement(scope, 0)
      scope.of(kind).append(value)
      names.append(out(f"out{i}", value).op.name)
    random = np.random.RandomState(seed_of(name + "/feeds"))
    return [record.Step(names, _feeds(random)) for _ in range(4)]

  return scenario(name, "A random program.", build)


def _gradient(number):
  name = f"random/gradients/{number:03d}"

  def build():
    writer = Writer(seed_of(name), depth=1 + number % 3, smooth=True)
    scope = Scope(ints=[feed("a", tf.int32), feed("b", tf.int32)],
                  floats=[feed("x", tf.float32), feed("y", tf.float32)],
                  bools=[feed("p", tf.bool)])
    for _ in range(writer.between(1, 3)):
      scope.floats.append(writer.block(scope, 0, "float"))
    loss = tf.add_n(scope.floats[2:])
    names = [out("loss", loss).op.name]
    for g, label in zip(tf.gradients(loss, scope.floats[:2]), ("gx", "gy")):
      if g is not None:
        names.append(out(label, g).op.name)
    random = np.random.RandomState(seed_of(name + "/feeds"))
    return [record.Step(names, _feeds(random), tolerance=NEAR) for _ in range(3)]

  return scenario(name, "The gradient of a random program.", build)


def _feeds(random):
  quarter = lambda: np.float32(random.randint(-12, 13) / 4.0)
  return {
      "a": np.int32(random.randint(-20, 21)),
      "b": np.int32(random.randint(0, 10)),
      "x": quarter(),
      "y": quarter(),
      "p": np.array(bool(random.randint(0, 2)))
  }


class Scope:
  """The values that a block may use."""

  def __init__(self, ints, floats, bools):
    self.ints, self.floats, self.bools = list(ints), list(floats), list(bools)

  def inner(self):
    return Scope(self.ints, self.floats, self.bools)

  def of(self, kind):
    return {"int": self.ints, "float": self.floats, "bool": self.bools}[kind]


class Writer:
  """Draws statements and expressions and builds them."""

  def __init__(self, seed, depth, smooth=False):
    self._random = np.random.RandomState(seed)
    self._depth = depth
    self._smooth = smooth
    self._blocks = 12  # how many branches and loops may still come, so that graphs stay small

  def between(self, low, high):
    return int(self._random.randint(low, high + 1))

  def chance(self, share):
    return self._random.rand() < share

  def pick(self, items):
    return items[self._random.randint(len(items))]

  def statement(self, scope, depth):
    """(kind, value) of a new value."""
    kind = self.pick(["int", "int", "float", "float", "bool"])
    return kind, (self.block(scope, depth, kind) if self.chance(0.85) else self.expression(
        scope, kind))

  def block(self, scope, depth, kind):
    """A value of `kind` from a branch, a loop, or an expression where the nest is deep enough."""
    if depth >= self._depth or self._blocks == 0 or (depth > 0 and self.chance(0.2)):
      return self.expression(scope, kind)
    self._blocks -= 1
    shape = self.pick(["cond", "cond", "while", "while", "case", "array"])
    if shape == "cond":
      return self._cond(scope, depth, kind)
    if shape == "case":
      return self._case(scope, depth, kind)
    if shape == "array" and kind != "bool":
      return self._array(scope, depth, kind)
    return self._while(scope, depth, kind)

  def _body(self, scope, depth, kind):
    """Some statements, then a value."""
    inner = scope.inner()
    for _ in range(self.between(0, 2)):
      made = self.pick(["int", "float"])
      inner.of(made).append(
          self.block(inner, depth + 1, made) if self.chance(0.4) else self.expression(inner, made))
    return self.block(inner, depth + 1, kind)

  def _cond(self, scope, depth, kind):
    p = self.expression(scope, "bool")
    return tf.cond(p, lambda: self._body(scope, depth, kind),
                   lambda: self._body(scope, depth, kind))

  def _case(self, scope, depth, kind):
    tests = [(self.expression(scope, "bool"), lambda: self._body(scope, depth, kind))
             for _ in range(self.between(1, 3))]
    return v1.case(tests, default=lambda: self._body(scope, depth, kind))

  def _trips(self, scope):
    if self.chance(0.3):
      return tf.constant(self.pick([0, 1, 2, 3]))
    return tf.math.floormod(self.pick(scope.ints), self.between(1, 4))

  def _while(self, scope, depth, kind):
    """`for i in range(trips)`, over one to three variables, that may also stop early."""
    trips = self._trips(scope)
    kinds = [kind] + [self.pick(["int", "float"]) for _ in range(self.between(0, 2))]
    initial = [self.expression(scope, k) for k in kinds]
    early = self.expression(scope, "int") if self.chance(0.25) else None

    def test(i, *values):
      more = i < trips
      if early is not None:
        more = tf.logical_and(more, tf.not_equal(i * 3, early))
      return more

    def body(i, *values):
      inner = scope.inner()
      inner.ints.append(i)
      for k, v in zip(kinds, values):
        inner.of(k).append(v)
      new = [self._body(inner, depth, kinds[0])]
      for k, v in list(zip(kinds, values))[1:]:
        new.append(v if self.chance(0.2) else self.expression(inner, k))
      if len(new) > 2 and kinds[1] == kinds[2] and self.chance(0.5):
        new[1], new[2] = new[2], new[1]
      return [i + 1] + new

    results = v1.while_loop(test,
                            body, [tf.constant(0)] + initial,
                            swap_memory=self.chance(0.3),
                            parallel_iterations=self.pick([1, 2, 3, 10, 32]),
                            maximum_iterations=self.between(1, 3) if self.chance(0.2) else None)
    scope_value = self.pick([r for r, k in zip(results[1:], kinds) if k == kind])
    return scope_value

  def _array(self, scope, depth, kind):
    """Every iteration writes an element; a reduction reads them all."""
    dtype = tf.int32 if kind == "int" else tf.float32
    n = tf.math.floormod(self.pick(scope.ints), 3) + 1

    def body(i, ta):
      inner = scope.inner()
      inner.ints.append(i)
      return [i + 1, ta.write(i, self._body(inner, depth, kind))]

    _, ta = v1.while_loop(
        lambda i, ta: i < n,
        body, [tf.constant(0), tf.TensorArray(dtype, n, element_shape=[])],
        parallel_iterations=self.pick([1, 2, 10]))
    total = tf.reduce_sum(ta.stack())
    return tf.math.floormod(total, _PRIME) if kind == "int" else self._bounded(total)

  def expression(self, scope, kind):
    if kind == "bool":
      return self._bool(scope)
    return self._int(scope) if kind == "int" else self._float(scope)

  def _bool(self, scope):
    a, b = self.pick(scope.ints), self.pick(scope.ints)
    x, y = self.pick(scope.floats), self.pick(scope.floats)
    return self.pick([
        lambda: a < b, lambda: a > self.between(-5, 9), lambda: tf.equal(tf.math.floormod(a, 2), 0),
        lambda: x <= y, lambda: x > 0.5, lambda: tf.logical_not(self.pick(scope.bools)),
        lambda: tf.logical_or(a >= b, self.pick(scope.bools)), lambda: self.pick(scope.bools),
        lambda: tf.logical_and(x > y, tf.not_equal(a, b))
    ])()

  def _int(self, scope):
    a, b = self.pick(scope.ints), self.pick(scope.ints)
    k = self.between(-4, 9)
    value = self.pick([
        lambda: a + b, lambda: a - b, lambda: a * k + 1, lambda: a * b, lambda: tf.maximum(a, b),
        lambda: tf.abs(a) + k, lambda: tf.where(self.pick(scope.bools), a, b), lambda: -a,
        lambda: tf.constant(k), lambda: tf.identity(a), lambda: tf.math.floordiv(a,
                                                                                 tf.abs(b) + 1),
        lambda: tf.cast(self._bounded(self.pick(scope.floats)), tf.int32),
        lambda: tf.reduce_sum(tf.stack([a, b, k])),
        lambda: tf.stack([a, b])[0] + tf.size(tf.stack([a, b, a]))
    ])()
    return tf.math.floormod(value, _PRIME)

  def _float(self, scope):
    x, y = self.pick(scope.floats), self.pick(scope.floats)
    k = self.between(-6, 6) / 4.0
    choices = [
        lambda: x + y, lambda: x - y, lambda: x * k + 0.5, lambda: x * y, lambda: tf.maximum(x, y),
        lambda: tf.minimum(x, k), lambda: -x, lambda: tf.constant(k), lambda: tf.identity(x),
        lambda: tf.where(self.pick(scope.bools), x, y), lambda: tf.reduce_sum(tf.stack([x, y]) * k)
    ]
    if self._smooth:
      choices += [
          lambda: tf.tanh(x), lambda: tf.sigmoid(x * y), lambda: tf.square(x) * 0.25,
          lambda: tf.exp(-tf.square(x)), lambda: x / (1.0 + tf.square(y))
      ]
    else:
      choices += [lambda: tf.cast(self.pick(scope.ints), tf.float32) * 0.25, lambda: tf.abs(x)]
    return self._bounded(self.pick(choices)())

  @staticmethod
  def _bounded(x):
    return tf.maximum(tf.minimum(x, 16.0), -16.0)
