"""map_fn, scan, foldl, foldr: TensorArrays in loops as TensorFlow's library builds them."""

import itertools

import numpy as np
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1
from cf_while import PARALLEL

_INPUTS = (np.float32([3, -1, 4, 1, -5]), np.float32([2]), np.float32([[1, 2], [3, 4], [5, 6]]))

_MAPS = {
    "square":
        lambda e: e * e,
    "branch":
        lambda e: tf.cond(tf.reduce_sum(e) > 0., lambda: e * 2., lambda: -e),
    "loop":
        lambda e: v1.while_loop(lambda v: tf.reduce_sum(tf.abs(v)) < 20., lambda v: v * 2. + 3.,
                                [e]),
    "constant":
        lambda e: tf.zeros_like(e) + 7.,
    "nested":
        lambda e: v1.map_fn(lambda f: f + tf.reduce_max(e), tf.reshape(e, [-1])),
    "tanh":
        lambda e: tf.tanh(e),
}
_FOLDS = {
    "add": lambda a, e: a + e,
    "subtract": lambda a, e: a - e,
    "horner": lambda a, e: a * 2. + e,
    "branch": lambda a, e: tf.cond(tf.reduce_sum(e) > 0., lambda: a + e, lambda: a * 3.),
    "last": lambda a, e: tf.identity(e),
    "maximum": lambda a, e: tf.maximum(a, e),
    "sigmoid": lambda a, e: tf.sigmoid(a + e),
}


def groups():
  """All scenarios, in a fixed order."""
  for (name, fn), parallel in itertools.product(_MAPS.items(), PARALLEL):
    yield _map(name, fn, parallel)
  for op in ("foldl", "foldr", "scan"):
    for (name, fn), parallel in itertools.product(_FOLDS.items(), (1, 10)):
      for initial in (True, False):
        yield _fold(op, name, fn, parallel, initial)
  for parallel in PARALLEL:
    yield _scan_reverse(parallel)
    yield _several(parallel)
    yield _tuple_scan(parallel)
    yield _fold_of_fold(parallel)
    yield _map_in_loop(parallel)
    yield _map_in_branch(parallel)
  for dtype in (tf.int32, tf.int64, tf.float64, tf.bool, tf.string, tf.uint8, tf.half):
    yield _map_dtype(dtype)
  yield _empty()


def _near(name):
  return name in ("tanh", "sigmoid")


def _map(name, fn, parallel):

  def build():
    x = feed("x", tf.float32, None)
    y = v1.map_fn(fn, x, parallel_iterations=parallel)
    out("y", y)
    return [step(["y"], near=_near(name), x=v) for v in _INPUTS]

  return scenario(f"map/{name}-p{parallel}", "map_fn.", build)


def _fold(op, name, fn, parallel, initial):

  def build():
    x, a = feed("x", tf.float32, None), feed("a", tf.float32, None)
    make = getattr(v1, op) if hasattr(v1, op) else getattr(tf, op)
    out("y", make(fn, x, initializer=a if initial else None, parallel_iterations=parallel))
    return [step(["y"], near=_near(name), x=v, a=v[0] * 10) for v in _INPUTS]

  return scenario(f"{op}/{name}-p{parallel}{'-initial' if initial else ''}", f"{op}.", build)


def _scan_reverse(parallel):

  def build():
    x = feed("x", tf.float32, [None])
    out("y", tf.scan(lambda a, e: a * 0.5 + e, x, reverse=True, parallel_iterations=parallel))
    out("z", tf.scan(lambda a, e: a - e, x, initializer=tf.constant(1.), reverse=True))
    return [step(["y", "z"], x=v) for v in _INPUTS[:2]]

  return scenario(f"scan/reverse-p{parallel}", "scan from the end.", build)


def _several(parallel):

  def build():
    x, y = feed("x", tf.float32, [None]), feed("y", tf.int32, [None])
    a, b = v1.map_fn(lambda e: (e[0] * 2., e[1] + tf.cast(e[0], tf.int32)), (x, y),
                     dtype=(tf.float32, tf.int32),
                     parallel_iterations=parallel)
    out("a", a)
    out("b", b)
    out("c", v1.map_fn(lambda e: e[0] > tf.cast(e[1], tf.float32), (x, y), dtype=tf.bool))
    return [
        step(["a", "b", "c"], x=np.float32([1, 5, -2]), y=np.int32([4, 0, -3])),
        step(["b"], x=np.float32([1, 5]), y=np.int32([4]))
    ]

  return scenario(f"map/several-p{parallel}", "map_fn over two tensors.", build)


def _tuple_scan(parallel):

  def build():
    x = feed("x", tf.float32, [None])
    a, b = tf.scan(lambda s, e: (s[1], s[0] + s[1] + e),
                   x,
                   initializer=(tf.constant(0.), tf.constant(1.)),
                   parallel_iterations=parallel)
    out("a", a)
    out("b", b)
    return [step(["a", "b"], x=v) for v in _INPUTS[:2]]

  return scenario(f"scan/tuple-p{parallel}", "scan with two accumulators that swap.", build)


def _fold_of_fold(parallel):

  def build():
    x = feed("x", tf.float32, [None, None])
    row = lambda a, r: a * 2. + tf.foldl(lambda b, e: b - e, r, parallel_iterations=parallel)
    out("y", tf.foldl(row, x, initializer=tf.constant(1.), parallel_iterations=parallel))
    return [step(["y"], x=_INPUTS[2]), step(["y"], x=_INPUTS[2].T.copy())]

  return scenario(f"foldl/nested-p{parallel}", "A fold in a fold.", build)


def _map_in_loop(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32, [None])
    body = lambda i, v: [
        i + 1,
        v1.map_fn(lambda e: e * 2. + tf.cast(i, tf.float32), v, parallel_iterations=parallel)
    ]
    out(
        "y",
        v1.while_loop(lambda i, v: i < n,
                      body, [tf.constant(0), x],
                      parallel_iterations=parallel,
                      shape_invariants=[tf.TensorShape([]),
                                        tf.TensorShape([None])])[1])
    return [step(["y"], n=n, x=v) for n in (0, 1, 3) for v in _INPUTS[:2]]

  return scenario(f"map/in-loop-p{parallel}", "map_fn in a loop.", build)


def _map_in_branch(parallel):

  def build():
    p, x = feed("p", tf.bool), feed("x", tf.float32, [None])
    out(
        "y",
        tf.cond(p, lambda: v1.map_fn(lambda e: e + x[0], x, parallel_iterations=parallel),
                lambda: tf.scan(lambda a, e: a + e, x, parallel_iterations=parallel)))
    return [step(["y"], p=p, x=v) for p in (True, False) for v in _INPUTS[:2]]

  return scenario(f"map/in-branch-p{parallel}", "map_fn and scan in the branches.", build)


def _map_dtype(dtype):

  def build():
    x = feed("x", dtype, [None])
    fn = lambda e: tf.stack([e, e])
    out("y", v1.map_fn(fn, x))
    values = np.array([b"a", b"", b"c"], object) if dtype == tf.string else np.array(
        [1, 0, 3]).astype(dtype.as_numpy_dtype)
    return [step(["y"], x=values), step(["y"], x=values[:1])]

  return scenario(f"map/dtypes/{dtype.name}", f"map_fn over {dtype.name}.", build)


def _empty():

  def build():
    x = feed("x", tf.float32, [None])
    out("mapped", v1.map_fn(lambda e: e * 2., x))
    out("folded", tf.foldl(lambda a, e: a + e, x, initializer=tf.constant(5.)))
    out("fold_bare", tf.foldl(lambda a, e: a + e, x))
    out("scanned", tf.scan(lambda a, e: a + e, x, initializer=tf.constant(5.)))
    return [step([name], x=np.float32([])) for name in ("mapped", "folded", "fold_bare", "scanned")]

  return scenario("map/empty", "Nothing to map, fold or scan over.", build)
