"""Loops: trip counts, parallel_iterations, shapes, invariants, order of effects."""

import itertools

import numpy as np
from cf_kit import counter
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1

PARALLEL = (1, 2, 10, 32)
_TRIPS = (0, 1, 2, 3, 7, 33)

# name -> (initial values from x, body): the first variable is the counter.
_BODIES = {
    "sum": (lambda x: [x], lambda i, a: [a + i]),
    "fibonacci": (lambda x: [tf.constant(0), tf.constant(1)], lambda i, a, b: [b, a + b]),
    "swap": (lambda x: [x, x + 1], lambda i, a, b: [b, a]),
    "rotate": (lambda x: [x, x * 2, x * 3], lambda i, a, b, c: [c, a, b]),
    "unchanged": (lambda x: [x, x], lambda i, a, b: [a, b + 1]),
    "duplicate": (lambda x: [x, x], lambda i, a, b: [a + b, a + b]),
    "overwritten": (lambda x: [x], lambda i, a: [tf.identity(i)]),
    "constant": (lambda x: [x], lambda i, a: [tf.constant(42)]),
    "invariant": (lambda x: [tf.constant(0)], None),  # filled in below: captures x
    "collatz": (lambda x: [x], lambda i, a: [tf.where(tf.equal(a % 2, 0), a // 2, 3 * a + 1)]),
    "counter_only": (lambda x: [], lambda i: []),
}


def groups():
  """All scenarios, in a fixed order."""
  for name, parallel in itertools.product(_BODIES, PARALLEL):
    yield _loop(name, parallel)
  for start, limit, by in itertools.product((0, 5, -3), (0, 4, 5), (1, 2, 3)):
    yield _counting(start, limit, by)
  for dtype in (tf.int64, tf.float32, tf.float64, tf.half, tf.uint8, tf.int8):
    yield _counter_dtype(dtype)
  for most in (0, 1, 3, 10):
    for parallel in (1, 10):
      yield _maximum_iterations(most, parallel)
  for parallel in PARALLEL:
    yield _growing(parallel)
    yield _effects(parallel, True)
    yield _swap_memory(parallel)
    yield _long(parallel)
  for resource in (False, True):
    yield _ordered_effects(resource)
    yield _effect_in_predicate(resource)
    yield _loop_until_variable(resource)
  yield from _string_loops()
  yield _zero_trips_of_failing_body()
  yield _failing_body()
  yield _predicate_only()
  yield _two_loops()
  yield _exits_unused()
  yield _fetches_inside()
  yield _invariant_shapes()
  yield _matrix_power()
  yield _newton()
  yield _vector_condition()
  yield _bodies_with_constants()
  yield _control_from_outside()


def _loop(name, parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.int32)
    initial, body = _BODIES[name]
    if body is None:
      body = lambda i, a: [a + x * i]
    first = [tf.constant(0)] + initial(x)
    results = v1.while_loop(lambda i, *v: i < n,
                            lambda i, *v: [i + 1, *body(i, *v)],
                            first,
                            parallel_iterations=parallel)
    results = results if isinstance(results, (list, tuple)) else [results]
    names = [out(f"z{k}", r).op.name for k, r in enumerate(results)]
    return [step(names, n=n, x=x) for n, x in itertools.product(_TRIPS, (6, -1))]

  return scenario(f"while/bodies/{name}-p{parallel}", "A loop.", build)


def _counting(start, limit, by):

  def build():
    i0 = feed("start", tf.int32)
    i, trips = v1.while_loop(lambda i, t: i < limit, lambda i, t: [i + by, t + 1],
                             [i0, tf.constant(0)])
    out("i", i)
    out("trips", trips)
    return [step(["i", "trips"], start=start), step(["trips"], start=start - 1)]

  return scenario(f"while/counting/from{start}-to{limit}-by{by}",
                  "A bound hit, jumped over, or met at once.", build)


def _counter_dtype(dtype):

  def build():
    n = feed("n", dtype)
    one = tf.constant(1, dtype)
    i, a = v1.while_loop(lambda i, a: i < n, lambda i, a: [i + one, a + i * i],
                         [tf.constant(0, dtype), tf.constant(0, dtype)])
    out("i", i)
    out("a", a)
    return [step(["i", "a"], n=np.array(v, dtype.as_numpy_dtype)) for v in (0, 1, 5, 9)]

  return scenario(f"while/counter/{dtype.name}", f"A counter of {dtype.name}.", build)


def _maximum_iterations(most, parallel):

  def build():
    n, m = feed("n", tf.int32), feed("m", tf.int32)
    for name, bound in (("fixed", most), ("fed", m)):
      i, a = v1.while_loop(lambda i, a: i < n,
                           lambda i, a: [i + 1, a * 2],
                           [tf.constant(0), tf.constant(1)],
                           maximum_iterations=bound,
                           parallel_iterations=parallel)
      out(f"{name}_i", i)
      out(f"{name}_a", a)
    names = ["fixed_i", "fixed_a", "fed_i", "fed_a"]
    return [step(names, n=n, m=m) for n in (0, 2, 5) for m in (0, 1, 4)]

  return scenario(f"while/maximum/{most}-p{parallel}", "maximum_iterations stops the loop.", build)


def _growing(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32, [None])
    i, v = v1.while_loop(lambda i, v: i < n,
                         lambda i, v: [i + 1, tf.concat([v, [tf.cast(i, tf.float32)], x], 0)],
                         [tf.constant(0), x],
                         shape_invariants=[tf.TensorShape([]),
                                           tf.TensorShape([None])],
                         parallel_iterations=parallel)
    out("v", v)
    out("length", tf.size(v))
    return [
        step(["v", "length"], n=n, x=x)
        for n in (0, 1, 3)
        for x in (np.float32([]), np.float32([7]), np.float32([1, 2]))
    ]

  return scenario(f"while/growing/p{parallel}", "A variable whose shape grows.", build)


def _effects(parallel, resource):
  """How often the predicate and the body run."""

  def build():
    n = feed("n", tf.int32)
    tests, trips = counter("tests", resource), counter("trips", resource)

    def predicate(i):
      with tf.control_dependencies([tests.assign_add(1, read_value=False)]):
        return i < n

    def body(i):
      with tf.control_dependencies([trips.assign_add(i, read_value=False)]):
        return i + 1

    out("z", v1.while_loop(predicate, body, [tf.constant(0)], parallel_iterations=parallel))
    out("read_tests", tests.read_value())
    out("read_trips", trips.read_value())
    steps = [step([], "tests_init", "trips_init")]
    for n in (0, 1, 4):
      steps += [step(["z"], n=n), step(["read_tests", "read_trips"])]
    return steps

  return scenario(f"while/effects/p{parallel}", "The predicate runs once more than the body.",
                  build)


def _swap_memory(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32, [2])
    _, a = v1.while_loop(lambda i, a: i < n,
                         lambda i, a: [i + 1, a * x], [tf.constant(0), x],
                         swap_memory=True,
                         back_prop=True,
                         parallel_iterations=parallel)
    out("a", a)
    out("g", tf.gradients(a, x)[0])
    return [step(["a", "g"], n=n, x=np.float32([2, -0.5])) for n in (0, 1, 4)]

  return scenario(f"while/swap/p{parallel}", "swap_memory changes no value.", build)


def _long(parallel):

  def build():
    n = feed("n", tf.int32)
    i, a = v1.while_loop(lambda i, a: i < n,
                         lambda i, a: [i + 1, a * 3 + i],
                         [tf.constant(0), tf.constant(1)],
                         parallel_iterations=parallel)
    out("a", a)
    return [step(["a"], n=n) for n in (100, 2000)]

  return scenario(f"while/long/p{parallel}", "Many iterations; int32 wraps.", build)


def _ordered_effects(resource):
  """Read, change, write in every iteration, ordered by control edges, one iteration at a time."""

  def build():
    n = feed("n", tf.int32)
    v = counter("v", resource)

    def body(i, last):
      with tf.control_dependencies([last]):
        read = tf.identity(v.read_value())
        with tf.control_dependencies([read]):
          written = v1.assign(v, read * 2 +
                              i) if not resource else v.assign(read * 2 + i, read_value=False)
        with tf.control_dependencies([written]):
          return [i + 1, read + 0]

    _, last = v1.while_loop(lambda i, last: i < n,
                            body, [tf.constant(0), tf.constant(0)],
                            parallel_iterations=1)
    out("last", last)
    out("now", v.read_value())
    steps = [step([], "v_init")]
    for n in (3, 0, 5):
      steps += [step(["last"], n=n), step(["now"])]
    return steps

  # TensorFlow's read of a reference shares the variable's memory and sees the later write.
  place = "while/ordered/resource" if resource else "differs/while/ordered-ref"
  return scenario(place, "Effects in order.", build)


def _effect_in_predicate(resource):

  def build():
    v = counter("v", resource)

    def predicate(i):
      with tf.control_dependencies([i]):
        new = v1.assign_add(v, 1)
        return tf.identity(new) < 5 if not resource else new < 5

    out("z", v1.while_loop(predicate, lambda i: i + 10, [tf.constant(0)], parallel_iterations=1))
    out("now", v.read_value())
    return [step([], "v_init"), step(["z"]), step(["now"]), step(["z"]), step(["now"])]

  return scenario(f"while/effect-in-predicate/{'resource' if resource else 'ref'}",
                  "The predicate counts in a variable.", build)


def _loop_until_variable(resource):

  def build():
    x = feed("x", tf.int32)
    v = counter("v", resource)

    def body(i):
      with tf.control_dependencies([v1.assign_add(v, x)]):
        return [i + 1]

    def predicate(i):
      with tf.control_dependencies([i]):
        return tf.identity(v.read_value()) < 10

    out("i", v1.while_loop(predicate, body, [tf.constant(0)], parallel_iterations=1))
    out("now", v.read_value())
    return [
        step([], "v_init"),
        step(["i"], x=3),
        step(["now"]),
        step(["i"], x=3),
        step([], "v_init"),
        step(["i"], x=20),
        step(["now"])
    ]

  return scenario(f"while/until-variable/{'resource' if resource else 'ref'}",
                  "State decides when to stop.", build)


def _string_loops():

  def build():
    n, s = feed("n", tf.int32), feed("s", tf.string)
    _, a, b = v1.while_loop(lambda i, a, b: i < n, lambda i, a, b: [i + 1, b, a],
                            [tf.constant(0), s, tf.constant("b")])
    out("a", a)
    out("both", tf.stack([a, b]))
    return [step(["a", "both"], n=n, s=np.array(b"text", object)) for n in (0, 1, 2)]

  yield scenario("while/strings", "A loop that carries strings.", build)


def _zero_trips_of_failing_body():

  def build():
    n, d = feed("n", tf.int32), feed("d", tf.int32)
    out("z",
        v1.while_loop(lambda i: i < n, lambda i: i + 1 + tf.math.floordiv(1, d), [tf.constant(0)]))
    return [step(["z"], n=0, d=0), step(["z"], n=3, d=1), step(["z"], n=3, d=0)]

  return scenario("while/zero-trips-failing", "A body that would fail does not run.", build)


def _failing_body():

  def build():
    n, bad = feed("n", tf.int32), feed("bad", tf.int32)

    def body(i):
      with tf.control_dependencies([v1.Assert(tf.not_equal(i, bad), ["reached", i])]):
        return i + 1

    out("z", v1.while_loop(lambda i: i < n, body, [tf.constant(0)]))
    out("fine", bad + 1)
    return [
        step(["z"], n=5, bad=9),
        step(["z"], n=5, bad=3),
        step(["fine"], bad=1),
        step(["z"], n=5, bad=0),
        step(["z"], n=3, bad=3)
    ]

  return scenario("while/failing", "An iteration that fails; the session goes on.", build)


def _predicate_only():

  def build():
    x = feed("x", tf.int32)
    out("z", v1.while_loop(lambda a: a < 100, lambda a: a * a + 1, [x]))
    return [step(["z"], x=v) for v in (0, 2, 100, -3)]

  return scenario("while/no-counter", "A loop without a counter.", build)


def _two_loops():

  def build():
    n, m = feed("n", tf.int32), feed("m", tf.int32)
    a = v1.while_loop(lambda i: i < n, lambda i: i + 2, [tf.constant(0)])
    b = v1.while_loop(lambda i: i < m, lambda i: i + a + 1, [a])
    c = v1.while_loop(lambda i: i < n, lambda i: i + 2, [tf.constant(0)])
    out("a", a)
    out("b", b)
    out("sum", a + b + c)
    return [step(["a", "b", "sum"], n=n, m=m) for n in (0, 5) for m in (0, 20)]

  return scenario("while/sequence", "A loop after a loop, and one beside them.", build)


def _exits_unused():

  def build():
    n = feed("n", tf.int32)
    results = v1.while_loop(
        lambda i, *v: i < n, lambda i, a, b, c: [i + 1, a + 1, b * 2, c - i],
        [tf.constant(0), tf.constant(0),
         tf.constant(1), tf.constant(0)])
    names = [out(f"z{k}", r).op.name for k, r in enumerate(results)]
    return [step([name], n=4) for name in names] + [step(names, n=4), step(names[1:3], n=0)]

  return scenario("while/some-exits", "Each result alone, and all together.", build)


def _fetches_inside():
  """Loop-invariant pieces and things before and after may be fetched; targets may be inside."""

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.int32)
    before = out("before", x * 2)

    def body(i, a):
      tf.no_op(name="inside")
      return [i + 1, a + before]

    i, a = v1.while_loop(lambda i, a: i < n, body, [tf.constant(0), x], name="loop")
    out("after", a + before)
    return [
        step(["before", "after"], n=3, x=5),
        step(["after", "loop/Exit", "loop/Exit_1"], n=2, x=1),
        step(["before"], x=5),
        step(["after"], x=5)
    ]

  return scenario("while/fetch-around", "Fetches before and after a loop.", build)


def _invariant_shapes():

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32, [None, 2])
    i, v = v1.while_loop(lambda i, v: i < n,
                         lambda i, v: [i + 1, tf.matmul(v, [[1., 1.], [0., 1.]])],
                         [tf.constant(0), x],
                         shape_invariants=[tf.TensorShape([]),
                                           tf.TensorShape([None, 2])])
    out("v", v)
    return [
        step(["v"], n=n, x=x)
        for n in (0, 3)
        for x in (np.float32([[1, 2]]), np.zeros([0, 2], np.float32),
                  np.float32([[1, 2], [3, 4], [5, 6]]))
    ]

  return scenario("while/invariants", "Shape invariants with unknown sizes.", build)


def _matrix_power():

  def build():
    n, m = feed("n", tf.int32), feed("m", tf.float64, [2, 2])

    def body(n, base, acc):
      acc = tf.cond(tf.equal(n % 2, 1), lambda: tf.matmul(acc, base), lambda: acc)
      return [n // 2, tf.matmul(base, base), acc]

    _, _, p = v1.while_loop(lambda n, b, a: n > 0, body,
                            [n, m, tf.constant([[1., 0.], [0., 1.]], tf.float64)])
    out("p", p)
    return [step(["p"], n=n, m=np.array([[1., 1.], [1., 0.]])) for n in (0, 1, 2, 10, 30)]

  return scenario("while/matrix-power", "A branch in a loop over matrices.", build)


def _newton():

  def build():
    x = feed("x", tf.float64)

    def body(g, d):
      new = (g + x / g) / 2.
      return [new, tf.abs(new - g)]

    g, d = v1.while_loop(lambda g, d: d > 1e-9, body, [x, x])
    out("g", g)
    return [step(["g"], near=True, x=np.float64(v)) for v in (2., 9., 1e6, 0.01)]

  return scenario("while/newton", "Newton's square root.", build)


def _vector_condition():

  def build():
    x, limit = feed("x", tf.float32, [None]), feed("limit", tf.float32)
    out("z", v1.while_loop(lambda v: tf.reduce_sum(v) < limit, lambda v: v * 2. + 1., [x]))
    out("all", v1.while_loop(lambda v: tf.reduce_any(v < limit), lambda v: v + 3., [x]))
    return [step(["z", "all"], x=np.float32([1, 2, 3]), limit=l) for l in (0., 10., 100.)]

  return scenario("while/reduced-predicate", "A predicate that reduces a vector.", build)


def _bodies_with_constants():

  def build():
    n = feed("n", tf.int32)
    k = tf.constant(7)
    i, a, b = v1.while_loop(
        lambda i, a, b: i < n,
        lambda i, a, b: [i + 1, tf.constant(5) + tf.constant(6), k + k],
        [tf.constant(0), tf.constant(0), tf.constant(0)])
    out("a", a)
    out("b", b)
    return [step(["a", "b"], n=n) for n in (0, 1, 3)]

  return scenario("while/constants", "Body ops that need nothing of the iteration.", build)


def _control_from_outside():

  def build():
    n = feed("n", tf.int32)
    v = counter("v")
    with tf.control_dependencies([v.assign_add(1, read_value=False)]):
      i = v1.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
    with tf.control_dependencies([i]):
      out("after", v.read_value())
    out("i", i)
    return [step([], "v_init"), step(["i"], n=3), step(["after"], n=0), step(["after", "i"], n=2)]

  return scenario("while/control", "Control edges into and out of a loop.", build)
