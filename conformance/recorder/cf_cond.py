"""Branches: cond, case, captures, effects only, nesting, dead fetches."""

import itertools

import numpy as np
from cf_kit import counter
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1

_BRANCHES = {
    "identity": (lambda x, y: x, lambda x, y: y),
    "constants": (lambda x, y: tf.constant(10), lambda x, y: tf.constant(20)),
    "arithmetic": (lambda x, y: x + y, lambda x, y: x * y),
    "same": (lambda x, y: x - y, lambda x, y: x - y),
    "twice": (lambda x, y: x + x, lambda x, y: -x),
    "one_sided": (lambda x, y: x * 3 + 1, lambda x, y: tf.constant(0)),
    "chains": (lambda x, y: ((x + 1) * 2 - y) * 3, lambda x, y: tf.abs(x) + tf.abs(y)),
    "select": (lambda x, y: tf.where(x > y, x, y), lambda x, y: tf.where(x > y, y, x)),
    "alias": (lambda x, y: tf.identity(tf.identity(x)), lambda x, y: tf.identity(x)),
    "fill": (lambda x, y: tf.fill([], x), lambda x, y: tf.zeros_like(y)),
}
_PREDICATES = {
    "fed": lambda x, y, p: p,
    "computed": lambda x, y, p: tf.logical_and(x > y, p),
    "xor": lambda x, y, p: tf.not_equal(x > 0, p),
    "constant": lambda x, y, p: tf.constant(True),
}
_VALUES = ((3, 4), (5, -2), (0, 0), (-7, 9))


def groups():
  """All scenarios, in a fixed order."""
  for (b, branches), (p, predicate) in itertools.product(_BRANCHES.items(), _PREDICATES.items()):
    yield _plain(f"cond/plain/{b}-{p}", branches, predicate)
  for depth in (2, 3, 4):
    for shape in ("left", "right", "both", "predicate"):
      yield _nested(depth, shape)
  for count in (1, 2, 3, 5):
    for exclusive in (False, True):
      yield _case(count, exclusive)
  for outputs in (1, 2, 4):
    yield _many_outputs(outputs)
  for resource in (False, True):
    yield _effects(resource)
    yield _effects_without_outputs(resource)
    yield _read_in_branch(resource)
  for dtype in (tf.float32, tf.float64, tf.int64, tf.bool, tf.string, tf.complex64, tf.half,
                tf.uint8):
    yield _dtypes(dtype)
  yield from _shapes()
  yield _control_inputs()
  yield _dead_fetches()
  yield _odd_feeds()
  yield _assert_in_branch()
  yield _predicate_as_data()
  yield _chained()
  yield _lazy()


def _plain(name, branches, predicate):

  def build():
    x, y, p = feed("x", tf.int32), feed("y", tf.int32), feed("p", tf.bool)
    then, other = branches
    out("z", tf.cond(predicate(x, y, p), lambda: then(x, y), lambda: other(x, y)))
    return [step(["z"], x=a, y=b, p=p) for (a, b), p in itertools.product(_VALUES, (True, False))]

  return scenario(name, "A branch.", build)


def _nested(depth, shape):

  def build():
    x = feed("x", tf.int32)
    ps = [feed(f"p{i}", tf.bool) for i in range(depth)]

    def tree(level):
      if level == depth:
        return x * (level + 1)
      deeper = lambda: tree(level + 1) + level
      leaf = lambda: x - level * 10
      p = ps[level]
      if shape == "predicate":
        p = tf.cond(p, lambda: x > level, lambda: x < -level)
      if shape == "left":
        return tf.cond(p, deeper, leaf)
      if shape == "right":
        return tf.cond(p, leaf, deeper)
      return tf.cond(p, deeper, lambda: tree(level + 1) * 2)

    out("z", tree(0))
    return [
        step(["z"], x=5, **{
            f"p{i}": bit for i, bit in enumerate(bits)
        }) for bits in itertools.product((True, False), repeat=depth)
    ]

  return scenario(f"cond/nested/{shape}-{depth}", f"Branches in branches, {depth} deep.", build)


def _case(count, exclusive):

  def build():
    x = feed("x", tf.int32)
    branches = [
        (tf.equal(x, i) if exclusive else x < i * 2, lambda i=i: x * 10 + i) for i in range(count)
    ]
    out("z", v1.case(branches, default=lambda: tf.constant(-1), exclusive=exclusive))
    return [step(["z"], x=v) for v in range(-1, 2 * count + 1)]

  return scenario(f"case/{count}-{'exclusive' if exclusive else 'first'}",
                  "The first predicate that holds decides.", build)


def _many_outputs(outputs):

  def build():
    x, p = feed("x", tf.float32, [3]), feed("p", tf.bool)
    zs = tf.cond(p, lambda: [x * float(i + 1) for i in range(outputs)],
                 lambda: [x - float(i) for i in range(outputs)])
    zs = [zs] if outputs == 1 and not isinstance(zs, list) else zs
    for i, z in enumerate(zs):
      out(f"z{i}", z)
    out("sum", tf.add_n(list(zs)))
    names = [f"z{i}" for i in range(outputs)] + ["sum"]
    return [step(names, x=np.float32([1, -2, 3]), p=p) for p in (True, False)
           ] + [step([names[-2]], x=np.float32([4, 5, 6]), p=True)]

  return scenario(f"cond/outputs/{outputs}", "A branch with several results.", build)


def _effects(resource):
  """Counters in each branch and in the predicate: exactly one branch's counters move."""

  def build():
    p = feed("p", tf.bool)
    counts = {name: counter(name, resource) for name in ("before", "left", "right", "after")}
    bump = lambda name, by=1: v1.assign_add(counts[name], by)
    with tf.control_dependencies([bump("before")]):
      q = tf.identity(p)

    def branch(name, value):
      with tf.control_dependencies([bump(name, value)]):
        return tf.constant(value)

    z = tf.cond(q, lambda: branch("left", 3), lambda: branch("right", 5))
    with tf.control_dependencies([z]):
      with tf.control_dependencies([bump("after")]):
        out("z", z)
    reads = [out(f"read_{name}", v1.convert_to_tensor(v)) for name, v in counts.items()]
    names = [r.op.name for r in reads]
    steps = [step([], *[f"{n}_init" for n in counts])]
    for p in (True, False, True, True):
      steps += [step(["z"], p=p), step(names)]
    return steps

  return scenario(f"cond/effects/{'resource' if resource else 'ref'}",
                  "Only the taken branch has effects.", build)


def _effects_without_outputs(resource):

  def build():
    p = feed("p", tf.bool)
    a, b = counter("a", resource), counter("b", resource)
    z = tf.cond(p, lambda: tf.group(v1.assign_add(a, 1), v1.assign_add(b, 10)), lambda: tf.no_op())
    tf.group(z, name="run")
    out("read_a", v1.convert_to_tensor(a))
    out("read_b", v1.convert_to_tensor(b))
    steps = [step([], "a_init", "b_init")]
    for p in (False, True, True, False):
      steps += [step([], "run", p=p), step(["read_a", "read_b"])]
    return steps

  return scenario(f"cond/effects-only/{'resource' if resource else 'ref'}",
                  "A branch with no results, only effects.", build)


def _read_in_branch(resource):

  def build():
    p, x = feed("p", tf.bool), feed("x", tf.int32)
    a = counter("a", resource)

    def then():
      with tf.control_dependencies([v1.assign(a, x)]):
        return (a.read_value() if resource else tf.identity(a.initialized_value())) * 2

    out("z", tf.cond(p, then, lambda: tf.identity(v1.convert_to_tensor(a)) + 100))
    return [step([], "a_init")
           ] + [step(["z"], x=v, p=p) for v, p in ((4, True), (5, False), (6, True), (7, False))]

  return scenario(f"cond/read/{'resource' if resource else 'ref'}",
                  "A branch that assigns and then reads.", build)


def _dtypes(dtype):

  def build():
    x, y, p = feed("x", dtype, None), feed("y", dtype, None), feed("p", tf.bool)
    out("z", tf.cond(p, lambda: tf.identity(x), lambda: tf.stack([y, y])))
    make = lambda v: np.array(v, object if dtype == tf.string else dtype.as_numpy_dtype)
    one, two = (make([b"a", b"b"]), make(b"c")) if dtype == tf.string else (make([1, 0]), make(1))
    return [step(["z"], x=one, y=two, p=p) for p in (True, False)]

  return scenario(f"cond/dtypes/{dtype.name}", f"A branch of {dtype.name}.", build)


def _shapes():
  for shape in ((), (0,), (4,), (2, 3), (1, 2, 1, 2)):

    def build(shape=shape):
      x, p = feed("x", tf.float32, None), feed("p", tf.bool)
      z = tf.cond(p, lambda: tf.expand_dims(x, 0), lambda: tf.reshape(x, [-1]))
      out("z", z)
      out("dims", tf.shape(z))
      out("rank_", tf.rank(z))
      x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
      return [step(["z", "dims", "rank_"], x=x, p=p) for p in (True, False)]

    yield scenario(f"cond/shapes/{'x'.join(map(str, shape)) or 'scalar'}",
                   "The branches' results have different shapes.", build)


def _control_inputs():

  def build():
    x, p = feed("x", tf.int32), feed("p", tf.bool)
    a = counter("a")
    with tf.control_dependencies([a.assign_add(1)]):
      z = tf.cond(p, lambda: x + 1, lambda: x - 1)
    with tf.control_dependencies([z.op]):
      out("after", a.read_value())
    out("z", z)
    out("now", a.read_value())
    return [
        step([], "a_init"),
        step(["z"], x=1, p=True),
        step(["now"]),
        step(["after"], x=1, p=False),
        step(["now"]),
        step(["z", "after"], x=4, p=True),
        step(["now"])
    ]

  return scenario("cond/control", "Control edges into and out of a cond.", build)


def _dead_fetches():
  """Names are the Python layer's: cond/Switch..., cond/Merge."""

  def build():
    x, p = feed("x", tf.int32), feed("p", tf.bool)

    def then():
      out("inside_then", x + 1)
      return tf.identity(x + 2, name="last_then")

    def other():
      out("inside_else", x - 1)
      return tf.identity(x - 2, name="last_else")

    out("z", v1.cond(p, then, other, name="c"))
    steps = []
    for p in (True, False):
      for name in ("c/inside_then", "c/inside_else", "c/last_then", "c/last_else", "c/switch_t",
                   "c/switch_f", "c/Merge:1", "z"):
        steps.append(step([name], x=10, p=p))
      steps.append(step(["z", "c/inside_then"], x=10, p=p))
    return steps

  return scenario("cond/dead-fetches", "Fetching what only one branch makes.", build)


def _odd_feeds():
  """Feeding the pivot, a Switch, a branch's inside, the Merge."""

  def build():
    x, p = feed("x", tf.int32), feed("p", tf.bool)

    def then():
      return tf.identity(tf.identity(x, name="copy") + 1, name="t")

    out("z", v1.cond(p, then, lambda: tf.identity(x * 2, name="e"), name="c"))
    steps = []

    def fed(p, **names):
      s = step(["z"], x=10, p=p)
      s.feeds.update({
          k: np.int32(v) if not isinstance(v, bool) else np.array(v) for k, v in names.items()
      })
      return s

    for p in (True, False):
      # Only the taken branch's result may be fed: with both alive, the Merge is a race.
      steps += [
          fed(p, **({
              "c/t": 77
          } if p else {
              "c/e": 88
          })),
          fed(p, **{"c/copy": 5} if p else {}),
          fed(p, **{"c/Merge": 99}),
          fed(p, **{"c/pred_id": not p})
      ]
      s = step(["c/t"], x=10, p=p)
      s.feeds["c/t"] = np.int32(3)
      steps.append(s)
    return steps

  return scenario("cond/odd-feeds", "Feeds inside the branches.", build)


def _assert_in_branch():

  def build():
    x, p = feed("x", tf.int32), feed("p", tf.bool)

    def checked():
      with tf.control_dependencies([v1.Assert(x > 0, ["x must be positive", x])]):
        return tf.identity(x)

    out("z", tf.cond(p, checked, lambda: -x))
    return [step(["z"], x=v, p=p) for v in (1, -1) for p in (True, False)]

  return scenario("cond/assert", "A failing Assert in the branch not taken does not fail.", build)


def _predicate_as_data():

  def build():
    p = feed("p", tf.bool)
    z = tf.cond(p, lambda: tf.logical_not(p), lambda: tf.logical_or(p, tf.logical_not(p)))
    out("z", z)
    out("w", tf.cond(z, lambda: p, lambda: tf.logical_not(p)))
    return [step(["z", "w"], p=p) for p in (True, False)]

  return scenario("cond/predicate-as-data", "A Switch whose data is its own predicate.", build)


def _chained():

  def build():
    x = feed("x", tf.int32)
    for i in range(8):
      x = tf.cond(tf.equal(tf.math.floormod(x, 2), 0),
                  lambda x=x: tf.math.floordiv(x, 2),
                  lambda x=x: 3 * x + 1)
      out(f"z{i}", x)
    return [step([f"z{i}" for i in range(8)], x=v) for v in (1, 6, 7, 27)]

  return scenario("cond/chained", "Eight branches, each on the last one's result.", build)


def _lazy():

  def build():
    x, y = feed("x", tf.int32), feed("y", tf.int32)
    out("z", tf.cond(tf.equal(y, 0), lambda: tf.constant(-1), lambda: tf.math.floordiv(x, y)))
    out("eager", tf.where(tf.equal(y, 0), -1, tf.math.floordiv(x, y)))
    return [
        step(["z"], x=7, y=0),
        step(["z"], x=7, y=2),
        step(["eager"], x=7, y=0),
        step(["eager"], x=7, y=2)
    ]

  return scenario("cond/lazy", "A branch is lazy, Select is not.", build)
