"""Graphs whose nodes name devices, of which there are two: loops and branches across them."""

import itertools

from cf_kit import counter
from cf_kit import feed
from cf_kit import out
from cf_kit import scenario
from cf_kit import step
from cf_kit import tf
from cf_kit import v1
from cf_while import PARALLEL

_TWO = ("/device:CPU:0", "/device:CPU:1")


def groups():
  """All scenarios, in a fixed order."""
  for parallel in PARALLEL:
    for where in ("body", "test", "alternating", "invariant"):
      yield _loop(where, parallel)
    yield _nested(parallel)
    yield _gradient(parallel)
    yield _array(parallel)
  for one, other in itertools.product((0, 1), repeat=2):
    yield _branch(one, other)
  yield _spellings()
  yield _colocated()
  yield _dead_across()
  yield _variable()
  for name in ("/device:GPU:0", "/device:CPU:7", "/job:elsewhere/device:CPU:0", "not a device"):
    yield _absent(name)


def _cpu(index):
  return tf.device(f"/device:CPU:{index}")


def _loop(where, parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.int32)

    def test(i, a):
      with _cpu(1 if where == "test" else 0):
        return i < n

    def body(i, a):
      with _cpu(1 if where != "test" else 0):
        new = a * 2 + (x if where == "invariant" else i)
      if where == "alternating":
        with _cpu(0):
          new = new - 1
        with _cpu(1):
          new = new * 3
      return [i + 1, new]

    with _cpu(0):
      out("a", v1.while_loop(test, body, [tf.constant(0), x], parallel_iterations=parallel)[1])
    return [step(["a"], n=n, x=3) for n in (0, 1, 2, 7)]

  return scenario(f"devices/loop/{where}-p{parallel}", "A loop over two devices.", build, _TWO)


def _nested(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.int32)

    def inner(i, v):

      def test(j, w):
        return j < i

      def body(j, w):
        with _cpu(1):
          return [j + 1, tf.cond(w % 2 > 0, lambda: w + i, lambda: w * 2 + j)]

      return v1.while_loop(test, body, [tf.constant(0), v], parallel_iterations=parallel)[1]

    def body(i, v):
      with _cpu(0):
        return [i + 1, inner(i, v) + x]

    out(
        "v",
        v1.while_loop(lambda i, v: i < n, body, [tf.constant(0), x],
                      parallel_iterations=parallel)[1])
    return [step(["v"], n=n, x=1) for n in (0, 1, 4)]

  return scenario(f"devices/nested/p{parallel}", "A branch in a loop in a loop over two devices.",
                  build, _TWO)


def _gradient(parallel):

  def build():
    n, x = feed("n", tf.int32), feed("x", tf.float32)

    def body(i, v):
      with _cpu(1):
        return [i + 1, v * x + 1.]

    with _cpu(0):
      y = v1.while_loop(lambda i, v: i < n, body, [tf.constant(0), x],
                        parallel_iterations=parallel)[1]
      out("y", y)
    out("g", tf.gradients(y, x)[0])
    return [step(["y", "g"], near=True, n=n, x=1.5) for n in (0, 1, 4)]

  return scenario(f"differs/devices/gradient-p{parallel}",
                  "TensorFlow cannot place the gradient of a loop over two devices.", build, _TWO)


def _array(parallel):

  def build():
    n = feed("n", tf.int32)
    with _cpu(1):
      ta = tf.TensorArray(tf.int32, n)

    def body(i, ta):
      with _cpu(0):
        value = i * i
      with _cpu(1):
        return [i + 1, ta.write(i, value)]

    _, ta = v1.while_loop(lambda i, t: i < n,
                          body, [tf.constant(0), ta],
                          parallel_iterations=parallel)
    with _cpu(0):
      out("y", ta.stack())
    return [step(["y"], n=n) for n in (1, 5)]

  return scenario(f"devices/array/p{parallel}", "A TensorArray on the other device.", build, _TWO)


def _branch(one, other):

  def build():
    p, x = feed("p", tf.bool), feed("x", tf.int32)

    def then():
      with _cpu(one):
        return x + 1

    def otherwise():
      with _cpu(other):
        return x * 10

    with _cpu(0):
      out("z", tf.cond(p, then, otherwise) + 5)
    return [step(["z"], p=p, x=4) for p in (True, False)]

  return scenario(f"devices/branch/{one}{other}", "Branches on two devices.", build, _TWO)


def _spellings():

  def build():
    x = feed("x", tf.int32)
    for i, name in enumerate(("/cpu:0", "/CPU:1", "/device:CPU:0", "/job:localhost/device:CPU:1",
                              "/job:localhost/replica:0/task:0/device:CPU:0", "/task:0", "")):
      with tf.device(name):
        x = out(f"x{i}", x + 1)
    return [step([f"x{i}" for i in range(7)], x=0)]

  return scenario("devices/spellings", "Ways to write a device.", build, _TWO)


def _colocated():

  def build():
    x = feed("x", tf.int32)
    with _cpu(1):
      a = tf.identity(x, name="a")
    with v1.colocate_with(a):
      b = tf.add(x, 1, name="b")
    out("y", a + b)
    return [step(["y"], x=2)]

  return scenario("devices/colocated", "A node beside another.", build, _TWO)


def _dead_across():

  def build():
    p, x = feed("p", tf.bool), feed("x", tf.int32)

    def then():
      with _cpu(1):
        return tf.negative(x, name="far")

    out("z", v1.cond(p, then, lambda: x, name="c"))
    return [step([f], p=p, x=3) for p in (True, False) for f in ("z", "c/far")]

  return scenario("devices/dead", "A dead value crosses devices.", build, _TWO)


def _variable():

  def build():
    with _cpu(1):
      v = counter("v")
    with _cpu(0):
      n = feed("n", tf.int32)

      def body(i):
        with tf.control_dependencies([v.assign_add(2, read_value=False)]):
          return i + 1

      i = v1.while_loop(lambda i: i < n, body, [tf.constant(0)])
      with tf.control_dependencies([i]):
        out("after", v.read_value())
    return [step([], "v_init"), step(["after"], n=3), step(["after"], n=0)]

  return scenario("devices/variable", "A variable on the other device.", build, _TWO)


def _absent(name):

  def build():
    x = feed("x", tf.int32)
    with tf.device("/device:CPU:0"):
      out("there", x + 1)
    y = tf.negative(x, name="y")
    y.op._set_device_from_string(name)
    out("elsewhere", y)
    return [step(["elsewhere"], x=1)]

  return scenario(
      f"devices/absent/{name.strip('/').replace('/', '-').replace(':', '').replace(' ', '-')}",
      "A device that is not there.", build)
