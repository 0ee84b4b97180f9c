"""TensorArrays and stacks in loops and branches, and what they refuse there."""

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
  for parallel in PARALLEL:
    yield _fill(parallel)
    yield _read_back(parallel)
    yield _reverse(parallel)
    yield _dynamic(parallel)
    yield _sieve(parallel)
    yield _in_inner_loop(parallel)
    yield _write_in_branch(parallel)
    yield _two_arrays(parallel)
    yield _rnn(parallel)
    yield _stack_in_loop(parallel)
    for clear in (True, False):
      yield _read_same(parallel, clear)
    for bad in ("double", "unwritten", "beyond", "shape"):
      yield _bad(bad, parallel)
  for dtype in (tf.int32, tf.int64, tf.float64, tf.string, tf.bool, tf.complex64):
    yield _dtype(dtype)
  yield _unstack()
  yield _split_concat()
  yield _sizes()
  yield _stack_errors_in_loop()


def _array(dtype, size, **attrs):
  return tf.TensorArray(dtype, size, **attrs)


def _fill(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)
    _, ta = v1.while_loop(lambda i, ta: i < n,
                          lambda i, ta: [i + 1, ta.write(i, x * tf.cast(i, tf.float32))],
                          [tf.constant(0), _array(tf.float32, n)],
                          parallel_iterations=parallel)
    out("stack", ta.stack())
    out("length", ta.size())
    return [step(["stack", "length"], n=n, x=1.5) for n in (1, 2, 5, 12)
           ] + [step(["length"], n=0, x=1.)]

  return scenario(f"arrays/fill-p{parallel}", "Each iteration writes one element.", build)


def _read_back(parallel):
  """Reads what earlier iterations wrote."""

  def build():
    n = feed("n", tf.int32)
    ta = _array(tf.int32, n + 2, clear_after_read=False).write(0, 0).write(1, 1)
    body = lambda i, ta: [i + 1, ta.write(i, ta.read(i - 1) + ta.read(i - 2))]
    _, ta = v1.while_loop(lambda i, ta: i < n + 2,
                          body, [tf.constant(2), ta],
                          parallel_iterations=parallel)
    out("all", ta.stack())
    out("last", ta.read(n + 1))
    return [step(["all"], n=n) for n in (0, 1, 9)] + [step(["last"], n=9)]

  return scenario(f"arrays/fibonacci-p{parallel}", "Iterations read what others wrote.", build)


def _reverse(parallel):

  def build():
    x = feed("x", tf.int32, [None])
    n = tf.size(x, name="count")
    source = _array(tf.int32, n).unstack(x)
    body = lambda i, a, b: [i + 1, a, b.write(n - 1 - i, a.read(i))]
    _, _, ta = v1.while_loop(lambda i, a, b: i < n,
                             body,
                             [tf.constant(0), source, _array(tf.int32, n)],
                             parallel_iterations=parallel)
    out("y", ta.stack())
    return [step(["y"], x=np.int32(v)) for v in ([1, 2, 3, 4], [9])]

  return scenario(f"arrays/reverse-p{parallel}", "One array read, one written.", build)


def _dynamic(parallel):

  def build():
    n = feed("n", tf.int32)
    ta = _array(tf.int32, 0, dynamic_size=True)
    _, ta = v1.while_loop(lambda i, ta: i < n,
                          lambda i, ta: [i + 1, ta.write(i, i * i)], [tf.constant(0), ta],
                          parallel_iterations=parallel)
    out("y", ta.stack())
    out("length", ta.size())
    return [step(["y", "length"], n=n) for n in (1, 4, 20)] + [step(["length"], n=0)]

  return scenario(f"arrays/dynamic-p{parallel}", "An array that grows.", build)


def _sieve(parallel):

  def build():
    n = feed("n", tf.int32)

    def body(i, ta, found):

      def divides(j, no):
        return [j + 1, tf.logical_and(no, tf.not_equal(i % j, 0))]

      prime = v1.while_loop(lambda j, no: tf.logical_and(no, j * j <= i),
                            divides, [tf.constant(2), tf.constant(True)],
                            parallel_iterations=parallel)[1]
      ta = tf.cond(prime, lambda: ta.write(found, i).flow, lambda: tf.identity(ta.flow))
      return i + 1, ta, found + tf.cast(prime, tf.int32)

    array = _array(tf.int32, 0, dynamic_size=True)

    def wrapped(i, flow, found):
      ta = _rewrap(array, flow)
      return body(i, ta, found)

    i, flow, found = v1.while_loop(
        lambda i, f, c: i < n,
        wrapped, [tf.constant(2), array.flow, tf.constant(0)],
        parallel_iterations=parallel)
    out("primes", _rewrap(array, flow).stack())
    out("found", found)
    return [step(["primes", "found"], n=n) for n in (3, 10, 30)]

  return scenario(f"arrays/sieve-p{parallel}", "A branch in a loop writes, or does not.", build)


def _rewrap(array, flow):
  from tensorflow.python.ops import tensor_array_ops
  return tensor_array_ops.build_ta_with_new_flow(array, flow)


def _in_inner_loop(parallel):

  def build():
    n, m = feed("n", tf.int32), feed("m", tf.int32)

    def row(i, ta):
      return [
          i + 1,
          v1.while_loop(lambda j, t: j < m,
                        lambda j, t: [j + 1, t.write(i * m + j, i * 10 + j)], [tf.constant(0), ta],
                        parallel_iterations=parallel)[1]
      ]

    _, ta = v1.while_loop(lambda i, t: i < n,
                          row, [tf.constant(0), _array(tf.int32, n * m)],
                          parallel_iterations=parallel)
    out("y", ta.stack())
    return [step(["y"], n=n, m=m) for n, m in ((1, 1), (2, 3), (4, 2))]

  return scenario(f"arrays/inner-p{parallel}", "An inner loop writes the outer loop's array.",
                  build)


def _write_in_branch(parallel):

  def build():
    x = feed("x", tf.int32, [None])
    n = tf.size(x, name="count")
    array = _array(tf.int32, n)

    def body(i, flow):
      ta = _rewrap(array, flow)
      return [
          i + 1,
          tf.cond(x[i] > 0, lambda: ta.write(i, x[i]).flow, lambda: ta.write(i, -x[i] * 100).flow)
      ]

    _, flow = v1.while_loop(lambda i, f: i < n,
                            body, [tf.constant(0), array.flow],
                            parallel_iterations=parallel)
    out("y", _rewrap(array, flow).stack())
    return [step(["y"], x=np.int32(v)) for v in ([1, -2, 3], [-5], [0, 4, -4, 8, 8])]

  return scenario(f"arrays/branch-p{parallel}", "Both branches write.", build)


def _two_arrays(parallel):

  def build():
    x = feed("x", tf.float32, [None])
    n = tf.size(x, name="count")

    def body(i, a, b, s):
      s = s + x[i]
      return [i + 1, a.write(i, s), b.write(n - 1 - i, tf.stack([s, -s])), s]

    _, a, b, s = v1.while_loop(
        lambda i, *r: i < n,
        body, [tf.constant(0),
               _array(tf.float32, n),
               _array(tf.float32, n),
               tf.constant(0.)],
        parallel_iterations=parallel)
    out("a", a.stack())
    out("b", b.stack())
    out("c", b.concat())
    out("s", s)
    return [step(f, x=np.float32([1, 2.5, -4])) for f in (["a", "s"], ["b"], ["c"], ["a", "s"])]

  return scenario(f"arrays/two-p{parallel}", "Two arrays and a sum in one loop.", build)


def _rnn(parallel):
  """A recurrent cell over a padded batch."""

  def build():
    x, lengths = feed("x", tf.float32, [None, None, 2]), feed("lengths", tf.int32, [None])
    w = tf.constant(np.float32([[.5, -.25], [.25, .5], [1., 0.], [-.5, .25]]))
    time, batch = tf.shape(x)[0], tf.shape(x)[1]
    source = _array(tf.float32, time).unstack(x)

    def body(t, state, source, outputs):
      new = tf.tanh(tf.matmul(tf.concat([source.read(t), state], 1), w))
      live = tf.tile(tf.expand_dims(t < lengths, 1), [1, 2])
      return [
          t + 1,
          tf.where(live, new, state), source,
          outputs.write(t, tf.where(live, new, tf.zeros_like(new)))
      ]

    _, state, _, outputs = v1.while_loop(
        lambda t, *r: t < time,
        body,
        [tf.constant(0), tf.zeros([batch, 2]), source,
         _array(tf.float32, time)],
        parallel_iterations=parallel,
        shape_invariants=[
            tf.TensorShape([]),
            tf.TensorShape([None, 2]),
            tf.TensorShape(None),
            tf.TensorShape(None)
        ])
    out("state", state)
    out("y", outputs.stack())
    random = np.random.RandomState(1)
    return [
        step(["y", "state"],
             near=True,
             x=np.float32(random.randn(t, 3, 2)),
             lengths=np.int32([1, t, 0])) for t in (1, 4)
    ]

  return scenario(f"arrays/rnn-p{parallel}",
                  "A recurrent network over sequences of unequal length.", build)


def _stack_in_loop(parallel):
  """Pushes in one loop, pops in another, ordered by control edges as the gradients do."""

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.int32)
    handle = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.int32, stack_name="s")

    def push(i, v):
      pushed = tf.raw_ops.StackPushV2(handle=handle, elem=v, swap_memory=False)
      with tf.control_dependencies([pushed]):
        return [i + 1, v * 2 + i]

    i, v = v1.while_loop(lambda i, v: i < n,
                         push, [tf.constant(0), x],
                         parallel_iterations=parallel)

    def pop(i, total):
      with tf.control_dependencies([total]):
        top = tf.reshape(tf.raw_ops.StackPopV2(handle=handle, elem_type=tf.int32), [])
      return [i - 1, total * 3 + top]

    _, total = v1.while_loop(lambda i, t: i > 0, pop, [i, v], parallel_iterations=parallel)
    out("total", total)
    return [step(["total"], n=n, x=2) for n in (0, 1, 2, 7)]

  return scenario(f"arrays/stack-p{parallel}", "A stack filled in one loop, emptied in another.",
                  build)


def _read_same(parallel, clear):

  def build():
    n = feed("n", tf.int32)
    ta = _array(tf.int32, 2, clear_after_read=clear).write(0, 5).write(1, 7)
    _, s = v1.while_loop(lambda i, s: i < n,
                         lambda i, s: [i + 1, s + ta.read(0)],
                         [tf.constant(0), tf.constant(0)],
                         parallel_iterations=parallel)
    out("s", s)
    return [step(["s"], n=n) for n in (0, 1, 2)]

  return scenario(f"arrays/read-same-p{parallel}-clear{int(clear)}",
                  "Every iteration reads one element.", build)


def _bad(bad, parallel):

  def build():
    n = feed("n", tf.int32)
    shape = [] if bad == "shape" else None
    ta = _array(tf.int32, 3, element_shape=shape, infer_shape=False)
    index = {
        "double": lambda i: i // 2,
        "unwritten": lambda i: i,
        "beyond": lambda i: i * 2,
        "shape": lambda i: i
    }[bad]
    value = (lambda i: tf.fill(tf.fill([i // 2], 2), i)) if bad == "shape" else (lambda i: i + 0)

    def body(i, ta):
      return [i + 1, ta.write(index(i), value(i))]

    _, ta = v1.while_loop(lambda i, t: i < n,
                          body, [tf.constant(0), ta],
                          parallel_iterations=parallel)
    out("last", ta.read(2))
    out("length", ta.size())
    return [step([f], n=n) for n in (0, 1, 2, 3) for f in ("last", "length")]

  return scenario(f"arrays/bad/{bad}-p{parallel}", "Writing or reading where that is refused.",
                  build)


def _dtype(dtype):

  def build():
    n, x = feed("n", tf.int32), feed("x", dtype, None)
    _, ta = v1.while_loop(lambda i, t: i < n, lambda i, t: [i + 1, t.write(n - 1 - i, x)],
                          [tf.constant(0), _array(dtype, n, infer_shape=False)])
    out("y", ta.stack())
    out("z", ta.gather([0]))
    values = [np.array(b"a", object), np.array([b"x", b""], object)] if dtype == tf.string else [
        np.array(v).astype(dtype.as_numpy_dtype) for v in (1, [0, 2], [[1], [0]])
    ]
    return [step([f], n=2, x=v) for v in values for f in "yz"]

  return scenario(f"arrays/dtypes/{dtype.name}", f"An array of {dtype.name} in a loop.", build)


def _unstack():

  def build():
    x = feed("x", tf.float32, None)
    ta = _array(tf.float32, 0, dynamic_size=True, infer_shape=False).unstack(x)
    out("again", ta.stack())
    out("some", ta.gather([1, 0]))
    out("length", ta.size())
    return [
        step([f], x=v)
        for v in (np.float32([1, 2, 3]), np.float32([[1, 2], [3, 4]]), np.float32([7]))
        for f in ("again", "some", "length")
    ]

  return scenario("arrays/unstack", "unstack, stack, gather.", build)


def _split_concat():

  def build():
    x, lengths = feed("x", tf.float32, None), feed("lengths", tf.int32, [None])
    ta = _array(tf.float32, tf.size(lengths), infer_shape=False).split(x, lengths)
    out("again", ta.concat())
    out("first", ta.read(0))
    x = np.float32(np.arange(12).reshape(6, 2))
    return [
        step([f], x=x, lengths=np.int32(l))
        for l in ([6], [1, 5], [2, 2, 2], [3, 2], [0, 6])
        for f in ("again", "first")
    ]

  return scenario("arrays/split", "split and concat.", build)


def _sizes():

  def build():
    n = feed("n", tf.int32)
    for name, array in (("fixed", _array(tf.int32,
                                         n)), ("dynamic", _array(tf.int32, n, dynamic_size=True))):
      out(f"{name}_before", array.size())
      out(f"{name}_after", array.write(2, 1).size())
    return [
        step([f"{kind}_{when}"], n=n)
        for kind in ("fixed", "dynamic")
        for when in ("before", "after")
        for n in (0, 2, 5, -1)
    ]

  return scenario("arrays/sizes", "Sizes, and how a dynamic array grows.", build)


def _stack_errors_in_loop():

  def build():
    n, most = feed("n", tf.int32), feed("most", tf.int32)
    handle = tf.raw_ops.StackV2(max_size=most, elem_type=tf.int32, stack_name="s")

    def push(i):
      with tf.control_dependencies(
          [tf.raw_ops.StackPushV2(handle=handle, elem=i, swap_memory=False)]):
        return i + 1

    i = v1.while_loop(lambda i: i < 3, push, [tf.constant(0)], parallel_iterations=1)

    def pop(j, s):
      with tf.control_dependencies([s]):
        top = tf.raw_ops.StackPopV2(handle=handle, elem_type=tf.int32)
        return [j + 1, s * 10 + tf.reshape(top, [])]

    with tf.control_dependencies([i]):
      zero = tf.constant(0)
    out("s", v1.while_loop(lambda j, s: j < n, pop, [zero, zero], parallel_iterations=1)[1])
    return [step(["s"], n=n, most=m) for n in (0, 3, 4) for m in (-1, 2, 3)]

  return scenario("arrays/stack-errors", "Overflow and underflow in a loop.", build)
