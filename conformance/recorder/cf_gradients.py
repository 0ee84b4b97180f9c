"""Gradients that TensorFlow builds through branches, loops, nests and TensorArrays.

Their graphs have what no hand writes: stacks threaded by control edges, counters that share a
frame, ControlTriggers, accumulator loops.
"""

import itertools

import numpy as np
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1
from cf_nested import loop
from cf_while import PARALLEL

_XS = (2., -0.5, 1.25)

# Bodies f(i, v, x, w) of `for i in range(n): v = f`; x is the initial value, w a capture.
_BODIES = {
    "times_capture":
        lambda i, v, x, w: v * w,
    "square":
        lambda i, v, x, w: v * v * 0.5,
    "add_capture":
        lambda i, v, x, w: v + w,
    "times_initial":
        lambda i, v, x, w: v * x,
    "counter":
        lambda i, v, x, w: v * tf.cast(i, tf.float32) + w,
    "tanh":
        lambda i, v, x, w: tf.tanh(v * w),
    "sigmoid":
        lambda i, v, x, w: tf.sigmoid(v + w),
    "exp":
        lambda i, v, x, w: tf.exp(-v * v) * w,
    "divide":
        lambda i, v, x, w: v / (1. + w * w),
    "forget":
        lambda i, v, x, w: w * 3. + 0. * tf.stop_gradient(v),
    "constant":
        lambda i, v, x, w: tf.constant(2.),
    "stop":
        lambda i, v, x, w: tf.stop_gradient(v) * w + v,
    "branch":
        lambda i, v, x, w: tf.cond(v > 1., lambda: v * w, lambda: v * v + w),
    "branch_on_counter":
        lambda i, v, x, w: tf.cond(tf.equal(i % 2, 0), lambda: v * w, lambda: v + x),
    "one_sided":
        lambda i, v, x, w: tf.cond(i > 0, lambda: v * w * v, lambda: tf.constant(1.5)),
    "maximum":
        lambda i, v, x, w: tf.maximum(v * w, x),
    "select":
        lambda i, v, x, w: tf.where(v > x, v * w, v + w),
    "sum_of_vector":
        lambda i, v, x, w: tf.reduce_sum(tf.stack([v, w, x]) * v),
    "mean":
        lambda i, v, x, w: tf.reduce_mean(tf.stack([v * w, x])),
    "inner_loop":
        lambda i, v, x, w: loop(2, lambda j, u: u * w + 0.5, v, 10),
    "inner_trips":
        lambda i, v, x, w: loop(i, lambda j, u: u * w, v, 10),
    "inner_branch":
        lambda i, v, x, w: loop(2, lambda j, u: tf.cond(u > w, lambda: u * x, lambda: u + w), v, 10
                               ),
}


def groups():
  """All scenarios, in a fixed order."""
  for (name, body), parallel in itertools.product(_BODIES.items(), PARALLEL):
    yield _loop(name, body, parallel)
  for parallel in PARALLEL:
    yield _vector(parallel)
    yield _matrix(parallel)
    yield _two_variables(parallel)
    yield _unused_exit(parallel)
    yield _maximum_iterations(parallel)
    yield _while_in_cond(parallel)
    yield _cond_while_cond(parallel)
    yield _three_loops(parallel)
    yield _array(parallel)
    yield _array_read_twice(parallel)
    yield _scan(parallel)
    yield _map(parallel)
    yield _fold(parallel)
    yield _rnn(parallel)
    yield _data_dependent(parallel)
    yield _step_of_descent(parallel)
    yield _alias(parallel)
    yield _no_back_prop(parallel)
    yield _gather(parallel)
    yield _broadcast(parallel)
    yield _variable(parallel, True)
    yield _variable(parallel, False)
  for name in ("plain", "one_sided", "nested", "captured_twice", "constant", "vector", "nan",
               "both_unused"):
    yield _cond(name)


def _gradients(y, xs, names):
  """Outputs of the gradients that exist; returns their names."""
  made = []
  for g, name in zip(tf.gradients(y, xs), names):
    if g is not None:
      out(name, tf.convert_to_tensor(g))
      made.append(name)
  return made


def _loop(name, body, parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32), feed("w", tf.float32)
    y = loop(n, lambda i, v: body(i, v, x, w), x, parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, n=n, x=x, w=w)
        for n, x, w in ((0, 2., 3.), (1, 2., 3.), (2, -0.5, 1.5), (3, 1.25, -0.75), (5, 0.5, 0.9))
    ]

  return scenario(f"gradients/loops/{name}-p{parallel}", "The gradient of a loop.", build)


def _vector(parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32, [3]), feed("w", tf.float32, [3])
    y = loop(n, lambda i, v: v * w + x * tf.reduce_sum(v), x, parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, n=n, x=np.float32([.5, -.25, 1]), w=np.float32([1, 2, -1]))
        for n in (0, 1, 3)
    ]

  return scenario(f"gradients/vector-p{parallel}", "The gradient of a loop over vectors.", build)


def _matrix(parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32, [None, 2]), feed("w", tf.float32, [2, 2])
    _, y = v1.while_loop(lambda i, v: i < n,
                         lambda i, v: [i + 1, tf.tanh(tf.matmul(v, w))], [tf.constant(0), x],
                         parallel_iterations=parallel)
    out("y", y)
    names = ["y"] + _gradients(tf.reduce_sum(y * y), [x, w], ["gx", "gw"])
    return [
        step(names,
             near=True,
             n=n,
             x=np.float32([[.5, -.25], [1, 2], [0, 1]]),
             w=np.float32([[1, .5], [-.5, 1]])) for n in (0, 1, 4)
    ]

  return scenario(f"gradients/matrix-p{parallel}", "The gradient of a loop of MatMuls.", build)


def _two_variables(parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32), feed("w", tf.float32)
    _, a, b, c = v1.while_loop(lambda i, a, b, c: i < n,
                               lambda i, a, b, c: [i + 1, b * w, a + b, c],
                               [tf.constant(0), x, w, x * w],
                               parallel_iterations=parallel)
    out("a", a)
    names = ["a"] + _gradients([a, b, c], [x, w], ["gx", "gw"]) + _gradients(
        b, [x, w], ["bx", "bw"]) + _gradients(c, [x, w], ["cx", "cw"])
    return [step(names, near=True, n=n, x=2., w=-1.5) for n in (0, 1, 2, 5)]

  return scenario(f"gradients/two-variables-p{parallel}",
                  "Variables that swap, mix and pass through.", build)


def _unused_exit(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32, [None])
    _, a, b = v1.while_loop(lambda i, a, b: i < n,
                            lambda i, a, b: [i + 1, a * 2., b + a], [tf.constant(0), x, x],
                            parallel_iterations=parallel)
    del a
    names = _gradients(b, [x], ["gx"])
    return [step(names, near=True, n=n, x=np.float32([1, 2])) for n in (0, 1, 3)]

  return scenario(f"gradients/unused-exit-p{parallel}", "Only one of two results has a gradient.",
                  build)


def _maximum_iterations(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)
    _, y = v1.while_loop(lambda i, v: i < n,
                         lambda i, v: [i + 1, v * v], [tf.constant(0), x],
                         maximum_iterations=3,
                         parallel_iterations=parallel,
                         swap_memory=True)
    out("y", y)
    names = ["y"] + _gradients(y, [x], ["gx"])
    return [step(names, near=True, n=n, x=1.1) for n in (0, 2, 3, 9)]

  return scenario(f"gradients/maximum-p{parallel}", "A bounded loop's gradient.", build)


def _while_in_cond(parallel):

  def build():
    p, n, x, w = feed("p", tf.bool), feed("n", tf.int32), feed("x",
                                                               tf.float32), feed("w", tf.float32)
    y = tf.cond(p, lambda: loop(n, lambda i, v: v * w + x, x, parallel), lambda: x * w * w)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, p=p, n=n, x=2., w=-1.5) for p in (True, False) for n in (0, 1, 3)
    ]

  return scenario(f"gradients/while-in-cond-p{parallel}", "The gradient of a loop in a branch.",
                  build)


def _cond_while_cond(parallel):

  def build():
    p, n, x, w = feed("p", tf.bool), feed("n", tf.int32), feed("x",
                                                               tf.float32), feed("w", tf.float32)
    inside = lambda i, v: tf.cond(v > w, lambda: v * 0.5 + w, lambda: tf.cond(
        i > 1, lambda: v * x, lambda: v + x))
    y = tf.cond(p, lambda: loop(n, inside, x * w, parallel), lambda: tf.square(x))
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, p=p, n=n, x=1.5, w=w)
        for p in (True, False)
        for n in (0, 2, 5)
        for w in (2., -1.)
    ]

  return scenario(f"gradients/cond-while-cond-p{parallel}", "Branches in a loop in a branch.",
                  build)


def _three_loops(parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32), feed("w", tf.float32)
    y = loop(
        n, lambda i, a: loop(i, lambda j, b: loop(j + 1, lambda k, c: c * w + a * 0.1, b, parallel),
                             a, parallel), x, parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [step(names, near=True, n=n, x=1.5, w=0.75) for n in (0, 1, 2, 3)]

  return scenario(f"gradients/three-loops-p{parallel}", "The gradient of three loops.", build)


def _array(parallel):

  def build():
    x, w = feed("x", tf.float32, [None]), feed("w", tf.float32)
    n = tf.size(x, name="count")
    source = tf.TensorArray(tf.float32, n).unstack(x)

    def body(i, s, ta):
      s = s * w + source.read(i)
      return [i + 1, s, ta.write(i, s * s)]

    _, s, ta = v1.while_loop(
        lambda i, s, t: i < n,
        body, [tf.constant(0), tf.constant(0.),
               tf.TensorArray(tf.float32, n)],
        parallel_iterations=parallel)
    y = ta.stack()
    out("y", y)
    names = ["y"] + _gradients(tf.reduce_sum(y) + s, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, x=np.float32(v), w=0.5)
        for v in ([2], [1, -2, 3], [.5, .25, 1, 2, 4])
    ]

  return scenario(f"gradients/array-p{parallel}", "The gradient through two TensorArrays.", build)


def _array_read_twice(parallel):

  def build():
    x = feed("x", tf.float32, [None])
    n = tf.size(x, name="count")
    ta = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(x)
    y = v1.while_loop(lambda i, s: i < n,
                      lambda i, s: [i + 1, s + ta.read(i) * ta.read(0) + ta.read(n - 1 - i)],
                      [tf.constant(0), tf.constant(0.)],
                      parallel_iterations=parallel)[1]
    out("y", y)
    names = ["y"] + _gradients(y, [x], ["gx"])
    return [step(names, near=True, x=np.float32(v)) for v in ([2], [1, -2, 3])]

  return scenario(f"gradients/array-read-twice-p{parallel}", "The gradient array sums.", build)


def _scan(parallel):

  def build():
    x, w = feed("x", tf.float32, [None]), feed("w", tf.float32)
    y = tf.scan(lambda a, e: a * w + e * e, x, parallel_iterations=parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, x=np.float32(v), w=0.5)
        for v in ([2], [1, -2, 3], [.5, .25, 1, 2, 4])
    ]

  return scenario(f"gradients/scan-p{parallel}", "The gradient of scan.", build)


def _map(parallel):

  def build():
    x, w = feed("x", tf.float32, [None, 2]), feed("w", tf.float32)
    y = v1.map_fn(lambda e: tf.cond(e[0] > 0., lambda: e * w, lambda: e * e),
                  x,
                  parallel_iterations=parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, x=np.float32(v), w=0.5)
        for v in ([[2, 1]], [[1, 2], [-2, 3], [0, 1]])
    ]

  return scenario(f"gradients/map-p{parallel}", "The gradient of map_fn with a branch.", build)


def _fold(parallel):

  def build():
    x = feed("x", tf.float32, [None])
    y = tf.foldl(lambda a, e: a * e + 1., x, parallel_iterations=parallel) + tf.foldr(
        lambda a, e: a * 0.5 + e * e, x, parallel_iterations=parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x], ["gx"])
    return [step(names, near=True, x=np.float32(v)) for v in ([2], [1, -2, 3])]

  return scenario(f"gradients/fold-p{parallel}", "The gradient of foldl and foldr.", build)


def _rnn(parallel):

  def build():
    x, w = feed("x", tf.float32, [None, None, 2]), feed("w", tf.float32, [3, 1])
    time, batch = tf.shape(x)[0], tf.shape(x)[1]
    source = tf.TensorArray(tf.float32, time).unstack(x)

    def body(t, h, ta):
      new = tf.sigmoid(tf.matmul(tf.concat([source.read(t), h], 1), w))
      return [t + 1, new, ta.write(t, new)]

    _, h, ta = v1.while_loop(
        lambda t, h, a: t < time,
        body,
        [tf.constant(0), tf.zeros([batch, 1]),
         tf.TensorArray(tf.float32, time)],
        parallel_iterations=parallel,
        shape_invariants=[tf.TensorShape([]),
                          tf.TensorShape([None, 1]),
                          tf.TensorShape(None)])
    y = ta.stack()
    out("y", y)
    names = ["y"] + _gradients(tf.reduce_sum(y * y) + tf.reduce_sum(h), [x, w], ["gx", "gw"])
    random = np.random.RandomState(2)
    return [
        step(names,
             near=True,
             x=np.float32(random.randn(t, 2, 2)),
             w=np.float32([[.5], [-1], [.25]])) for t in (1, 3)
    ]

  return scenario(f"gradients/rnn-p{parallel}", "Back-propagation through time.", build)


def _data_dependent(parallel):

  def build():
    x, w = feed("x", tf.float32), feed("w", tf.float32)
    y = v1.while_loop(lambda v: v < 50., lambda v: v * w + 1., [x], parallel_iterations=parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, x=x, w=w) for x, w in ((1., 2.), (60., 2.), (3., 1.5), (49., 3.))
    ]

  return scenario(f"gradients/data-dependent-p{parallel}", "The trip count depends on the values.",
                  build)


def _step_of_descent(parallel):
  """A gradient taken inside a loop's body, with respect to the body's own variable."""

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)

    def body(i, v):
      loss = (v - 3.) * (v - 3.) + tf.cond(v > 2., lambda: v, lambda: -v)
      return v - 0.1 * tf.gradients(loss, v)[0]

    out("y", loop(n, body, x, parallel))
    return [step(["y"], near=True, n=n, x=x) for n in (0, 1, 10) for x in (0., 5.)]

  return scenario(f"gradients/descent-p{parallel}", "Gradient descent in a loop.", build)


def _alias(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)
    _, a, b = v1.while_loop(lambda i, a, b: i < n,
                            lambda i, a, b: [i + 1, a * x, b + tf.identity(x)],
                            [tf.constant(0), x, tf.identity(x)],
                            parallel_iterations=parallel)
    y = a * b + x
    out("y", y)
    names = ["y"] + _gradients(y, [x], ["gx"])
    return [step(names, near=True, n=n, x=1.5) for n in (0, 1, 4)]

  return scenario(f"gradients/alias-p{parallel}", "One tensor as two variables and an invariant.",
                  build)


def _no_back_prop(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)
    y = v1.while_loop(lambda i, v: i < n,
                      lambda i, v: [i + 1, v * x], [tf.constant(0), x],
                      back_prop=False,
                      parallel_iterations=parallel)[1]
    z = y * x
    out("z", z)
    names = ["z"] + _gradients(z, [x], ["gx"])
    return [step(names, near=True, n=n, x=1.5) for n in (0, 1, 4)]

  return scenario(f"gradients/no-back-prop-p{parallel}",
                  "A loop that is a constant to the gradient.", build)


def _gather(parallel):

  def build():
    x, which = feed("x", tf.float32, [4]), feed("which", tf.int32, [None])
    n = tf.size(which, name="count")
    y = loop(n, lambda i, s: s * 0.5 + x[which[i]] * x[0], tf.constant(1.), parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x], ["gx"])
    return [
        step(names, near=True, x=np.float32([1, 2, 3, 4]), which=np.int32(v))
        for v in ([0], [3, 1, 3], [2, 2])
    ]

  return scenario(f"gradients/index-p{parallel}", "The gradient of indexing in a loop.", build)


def _broadcast(parallel):

  def build():
    n, x, w = feed("n", tf.int32), feed("x", tf.float32, [2, 3]), feed("w", tf.float32, [None])
    y = loop(n, lambda i, v: v * w + tf.reduce_mean(v, 1, keepdims=True), x, parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [x, w], ["gx", "gw"])
    return [
        step(names, near=True, n=n, x=np.float32([[1, 2, 3], [4, 5, 6]]), w=np.float32(w))
        for n in (0, 1, 3)
        for w in ([.5], [1, -1, .5])
    ]

  return scenario(f"gradients/broadcast-p{parallel}", "Gradients summed over broadcast axes.",
                  build)


def _variable(parallel, resource):

  def build():
    n = feed("n", tf.int32)
    v = v1.get_variable("v", [], tf.float32, v1.constant_initializer(0.5), use_resource=resource)
    tf.group(v.initializer, name="v_init")
    y = loop(n, lambda i, s: s * v + 1., tf.constant(2.), parallel)
    out("y", y)
    names = ["y"] + _gradients(y, [v], ["gv"])
    tf.group(v1.assign_sub(v, tf.gradients(y, v)[0] * 0.01), name="train")
    out("now", v.read_value())
    return [
        step([], "v_init"),
        step(names, near=True, n=3),
        step([], "train", n=3),
        step(["now"], near=True),
        step(names, near=True, n=2),
        step([], "train", n=0),
        step(["now"], near=True)
    ]

  return scenario(f"gradients/variable-p{parallel}-{'resource' if resource else 'ref'}",
                  "A variable trained through a loop.", build)


def _cond(name):

  def build():
    p, x, w = feed("p", tf.bool), feed("x", tf.float32, [2]), feed("w", tf.float32)
    branches = {
        "plain": (lambda: x * w, lambda: x + w),
        "one_sided": (lambda: x * x, lambda: tf.constant([1., 2.])),
        "nested": (lambda: tf.cond(w > 0., lambda: x * w, lambda: -x), lambda: x * x * x),
        "captured_twice": (lambda: x * x + x, lambda: x - x * w),
        "constant": (lambda: tf.zeros([2]), lambda: tf.ones([2])),
        "vector": (lambda: tf.stack([w, w * w]), lambda: tf.concat([x[1:], x[:1]], 0)),
        "nan": (lambda: x / w, lambda: x * w),
        "both_unused": (lambda: x * 1., lambda: tf.identity(x))
    }[name]
    y = tf.cond(p, *branches)
    out("y", y)
    names = ["y"] + _gradients(y * 2., [x, w], ["gx", "gw"])
    return [
        step(names, near=True, p=p, x=np.float32([3, -1]), w=w)
        for p in (True, False)
        for w in (2., -1., 0.)
        if not (name == "nan" and p and w == 0.)
    ]

  return scenario(f"gradients/cond/{name}", "The gradient of a branch.", build)
