"""Loops in branches in loops, with captures from every depth, zero-trip and dead inner loops."""

import itertools

import numpy as np
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1
from cf_while import PARALLEL


def groups():
  """All scenarios, in a fixed order."""
  for p, q in itertools.product(PARALLEL, (1, 2, 32)):
    yield _loop_in_loop(p, q)
  for kinds in itertools.product(("while", "cond"), repeat=3):
    for parallel in (1, 2, 10):
      yield _tower("-".join(kinds), kinds, parallel)
  for kinds in (("while", "cond", "while", "cond"), ("cond", "while", "cond", "while"),
                ("while", "while", "while", "cond"), ("while", "while", "while",
                                                      "while"), ("cond", "cond", "while", "cond")):
    for parallel in (1, 32):
      yield _tower("-".join(kinds), kinds, parallel)
  for parallel in PARALLEL:
    yield _triangle(parallel)
    yield _dead_loop(parallel)
    yield _loop_in_either_branch(parallel)
    yield _inner_result_decides(parallel)
    yield _ackermann_like(parallel)
    yield _loop_in_predicate(parallel)
    yield _branch_in_predicate(parallel)
    yield _matrix_product(parallel)
    yield _gcd_table(parallel)
    yield _fizzbuzz(parallel)
    yield _mandelbrot(parallel)


def loop(n, body, initial, parallel):
  """`for i in range(n): v = body(i, v)`."""
  return v1.while_loop(lambda i, v: i < n,
                       lambda i, v: [i + 1, body(i, v)], [tf.constant(0), initial],
                       parallel_iterations=parallel)[1]


def _loop_in_loop(p, q):

  def build():
    n, m, x = feed("n", tf.int32), feed("m", tf.int32), feed("x", tf.int32)
    inner = lambda i, v: loop(m, lambda j, w: w * 2 + i - j + x, v, q)
    out("z", loop(n, inner, x, p))
    return [step(["z"], n=n, m=m, x=3) for n in (0, 1, 3) for m in (0, 1, 4)]

  return scenario(f"nested/while-while/p{p}-q{q}", "A loop in a loop, capturing from both.", build)


def _tower(name, kinds, parallel):
  """Every level captures the variables of all levels around it."""

  def build():
    x, y = feed("x", tf.int32), feed("y", tf.int32)

    def level(depth, value, seen):
      if depth == len(kinds):
        return tf.math.floormod(value + sum(seen), 1009)
      if kinds[depth] == "cond":
        return tf.cond(
            tf.math.floormod(value, 2) > 0, lambda: level(depth + 1, value + y, seen),
            lambda: tf.math.floormod(value * 3 + seen[-1], 1009))
      trips = tf.math.floormod(y + depth, 3)
      return loop(trips, lambda i, v: level(depth + 1, v + i, seen + [v, i]), value, parallel)

    out("z", level(0, x, [x, y]))
    return [step(["z"], x=x, y=y) for x, y in itertools.product((0, 1, 7, -4), (0, 1, 2))]

  return scenario(f"nested/towers/{name}-p{parallel}", "Captures at every depth.", build)


def _triangle(parallel):

  def build():
    n = feed("n", tf.int32)
    out(
        "z",
        loop(n, lambda i, v: loop(i, lambda j, w: w + i * 10 + j, v, parallel), tf.constant(0),
             parallel))
    return [step(["z"], n=n) for n in (0, 1, 2, 6)]

  return scenario(f"nested/triangle/p{parallel}", "The inner trip count is the outer counter.",
                  build)


def _dead_loop(parallel):

  def build():
    p, n, x = feed("p", tf.bool), feed("n", tf.int32), feed("x", tf.int32)

    def then():
      return v1.while_loop(lambda i, v: i < n,
                           lambda i, v: [i + 1, v + x], [tf.constant(0), x],
                           name="dead",
                           parallel_iterations=parallel)[1]

    out("z", v1.cond(p, then, lambda: -x, name="c"))
    steps = [step(["z"], p=p, n=n, x=5) for p in (True, False) for n in (0, 1, 3)]
    return steps + [step(["c/dead/Exit_1"], p=p, n=2, x=5) for p in (True, False)]

  return scenario(f"nested/dead-loop/p{parallel}", "A loop in the branch not taken.", build)


def _loop_in_either_branch(parallel):

  def build():
    p, n, x = feed("p", tf.bool), feed("n", tf.int32), feed("x", tf.int32)
    z = tf.cond(p, lambda: loop(n, lambda i, v: v + i, x, parallel),
                lambda: loop(n, lambda i, v: loop(i, lambda j, w: w - 1, v, parallel), x, parallel))
    out("z", z)
    out("again",
        tf.cond(tf.logical_not(p), lambda: loop(3, lambda i, v: v * z, x, parallel), lambda: z))
    return [step(["z", "again"], p=p, n=n, x=2) for p in (True, False) for n in (0, 2, 5)]

  return scenario(f"nested/either/p{parallel}", "A loop in each branch.", build)


def _inner_result_decides(parallel):

  def build():
    x = feed("x", tf.int32)

    def body(i, v):
      inner = loop(i % 3, lambda j, w: w + j + 1, v, parallel)
      return tf.cond(inner % 2 > 0, lambda: inner * 2,
                     lambda: loop(2, lambda j, w: w - i, inner, parallel))

    out("z", loop(6, body, x, parallel))
    return [step(["z"], x=v) for v in (0, 1, 10, -5)]

  return scenario(f"nested/decides/p{parallel}", "An inner loop's result chooses the branch.",
                  build)


def _ackermann_like(parallel):

  def build():
    x = feed("x", tf.int32)
    z = loop(
        2,
        lambda i, a: loop(2, lambda j, b: loop(2, lambda k, c: c + i + 2 * j + 4 * k + x, b,
                                               parallel), a, parallel), x, parallel)
    out("z", z)
    return [step(["z"], x=v) for v in (0, 3)]

  return scenario(f"nested/three/p{parallel}", "Three loops, one value.", build)


def _loop_in_predicate(parallel):

  def build():
    x = feed("x", tf.int32)

    def predicate(a):
      return loop(3, lambda j, w: w + a, tf.constant(0), parallel) < x

    out("z",
        v1.while_loop(predicate, lambda a: a + 2, [tf.constant(0)], parallel_iterations=parallel))
    return [step(["z"], x=v) for v in (0, 1, 20)]

  return scenario(f"nested/loop-in-predicate/p{parallel}", "The predicate runs a loop.", build)


def _branch_in_predicate(parallel):

  def build():
    x = feed("x", tf.int32)

    def predicate(a):
      return tf.cond(a % 2 > 0, lambda: a < x, lambda: a < x + 5)

    out("z",
        v1.while_loop(predicate, lambda a: a + 3, [tf.constant(0)], parallel_iterations=parallel))
    return [step(["z"], x=v) for v in (-9, 0, 7, 20)]

  return scenario(f"nested/branch-in-predicate/p{parallel}", "The predicate branches.", build)


def _matrix_product(parallel):

  def build():
    a, b = feed("a", tf.float32, [None, None]), feed("b", tf.float32, [None, None])
    rows, inner, cols = tf.shape(a)[0], tf.shape(a)[1], tf.shape(b)[1]

    def cell(i, j):
      return loop(inner, lambda k, s: s + a[i, k] * b[k, j], tf.constant(0.), parallel)

    def row(i, acc):
      return loop(cols, lambda j, acc: acc + cell(i, j) * tf.cast(i * cols + j + 1, tf.float32),
                  acc, parallel)

    out("z", loop(rows, row, tf.constant(0.), parallel))
    x, y = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([[1, 0], [2, 1], [0, 3]])
    return [
        step(["z"], a=x, b=y),
        step(["z"], a=y, b=x),
        step(["z"], a=x[:0], b=y),
        step(["z"], a=x[:, :0], b=y[:0])
    ]

  return scenario(f"nested/matrix/p{parallel}", "Three loops over matrix elements.", build)


def _gcd_table(parallel):

  def build():
    n = feed("n", tf.int32)

    def gcd(a, b):
      return v1.while_loop(lambda a, b: tf.not_equal(b, 0),
                           lambda a, b: [b, tf.math.floormod(a, b)], [a, b],
                           parallel_iterations=parallel)[0]

    out(
        "z",
        loop(n, lambda i, s: loop(i, lambda j, t: t + gcd(i, j), s, parallel), tf.constant(0),
             parallel))
    return [step(["z"], n=n) for n in (0, 4, 7)]

  return scenario(f"nested/gcd/p{parallel}", "Euclid in two loops.", build)


def _fizzbuzz(parallel):

  def build():
    n = feed("n", tf.int32)

    def word(i):
      return v1.case([(tf.equal(i % 15, 0), lambda: tf.constant("FizzBuzz")),
                      (tf.equal(i % 3, 0), lambda: tf.constant("Fizz")),
                      (tf.equal(i % 5, 0), lambda: tf.constant("Buzz"))],
                     default=lambda: tf.constant("-"))

    out("z", loop(n, lambda i, s: word(i + 1), tf.constant(""), parallel))
    return [step(["z"], n=n) for n in (0, 1, 3, 5, 15)]

  return scenario(f"nested/fizzbuzz/p{parallel}", "A case in a loop, of strings.", build)


def _mandelbrot(parallel):

  def build():
    re, im = feed("re", tf.float32), feed("im", tf.float32)

    def step_(i, a, b):
      return [i + 1, a * a - b * b + re, 2. * a * b + im]

    i, a, b = v1.while_loop(
        lambda i, a, b: tf.logical_and(i < 30, a * a + b * b < 4.),
        step_, [tf.constant(0), tf.constant(0.), tf.constant(0.)],
        parallel_iterations=parallel)
    out("i", i)
    return [
        step(["i"], re=r, im=m)
        for r, m in ((0., 0.), (1., 1.), (-1., 0.25), (0.4, 0.1), (-2.5, 0.))
    ]

  return scenario(f"nested/mandelbrot/p{parallel}", "Escape times.", build)
