"""The graphs of the benchmark programs, built by TensorFlow's own Python functions.

A function per program returns ({placeholder: value}, [fetches]); PROGRAMS has them by name, with
the number of units by which the time of a run is divided. docs/benchmarks.md says what they compute.
"""

import numpy as np
import tensorflow as tf

from program_data import matrix, wide_edges

v1 = tf.compat.v1


class Call:
    """The feeds of a graph under construction."""

    def __init__(self):
        self.feeds = {}

    def fed(self, value):
        value = np.asarray(value)
        placeholder = v1.placeholder(value.dtype, value.shape)
        self.feeds[placeholder] = value
        return placeholder

    def bound(self, value):
        return self.fed(np.int32(value))


def while_loop(predicate, body, variables, parallel_iterations=10, back_prop=False):
    return v1.while_loop(predicate, body, variables, back_prop=back_prop,
                         parallel_iterations=parallel_iterations)


def count_to(bound, initial, body, parallel_iterations=10, back_prop=False):
    """while i < bound: the variables after i become body(i, *variables)."""
    return while_loop(lambda i, *_: i < bound,
                      lambda i, *variables: [i + 1, *body(i, *variables)], initial,
                      parallel_iterations, back_prop)


def constants(*values):
    return [tf.constant(value) for value in values]


def scalar():
    call = Call()
    i = while_loop(lambda i, n=call.bound(20_000): i < n, lambda i: i + 1, constants(0))
    return call.feeds, [i]


def loop4():
    call = Call()
    results = count_to(call.bound(20_000), constants(0, 1.0, 1.0, 1.0),
                       lambda i, a, b, c: (a + 1, b * 1.0001, c - 1))
    return call.feeds, list(results)


def pingpong():
    call = Call()
    n = call.bound(20_000)

    def body(a):
        with tf.device("/cpu:0"):
            half = a * 0.5
        with tf.device("/cpu:1"):
            return (half + 1,)

    with tf.device("/cpu:0"):
        results = count_to(n, constants(0, 0.0), lambda i, a: body(a))
    return call.feeds, list(results)


def condwhile():
    call = Call()
    results = count_to(
        call.bound(20_000), constants(0, 0.0),
        lambda i, a: [v1.cond(tf.equal(i % 2, 0), lambda: a + 1, lambda: a - 1)])
    return call.feeds, list(results)


def nested2():
    call = Call()
    n, m = call.bound(200), call.bound(100)
    inner = lambda a: count_to(m, [tf.constant(0), a], lambda j, a: [a + 1])[1]
    return call.feeds, list(count_to(n, constants(0, 0.0), lambda i, a: [inner(a)]))


def nested3():
    call = Call()
    n, m, k = call.bound(20), call.bound(20), call.bound(50)
    inner = lambda a: count_to(k, [tf.constant(0), a], lambda j, a: [a + 1])[1]
    middle = lambda a: count_to(m, [tf.constant(0), a], lambda j, a: [inner(a)])[1]
    return call.feeds, list(count_to(n, constants(0, 0.0), lambda i, a: [middle(a)]))


def fizzbuzz():
    call = Call()

    def body(i, a, b, c):
        divides = lambda by: tf.equal(i % by, 0)
        keep = lambda: (tf.identity(a), tf.identity(b), tf.identity(c))
        third = lambda: v1.cond(divides(5), lambda: (tf.identity(a), tf.identity(b), c + 1), keep)
        second = lambda: v1.cond(divides(3), lambda: (tf.identity(a), b + 1, tf.identity(c)), third)
        return v1.cond(divides(15), lambda: (a + 1, tf.identity(b), tf.identity(c)), second)

    return call.feeds, list(count_to(call.bound(20_000), constants(0, 0, 0, 0), body))


def collatz():
    call = Call()

    def step(m, l):
        return v1.cond(tf.equal(m % 2, 0), lambda: m // 2, lambda: 3 * m + 1), l + 1

    def body(k, best, arg, total):
        length = while_loop(lambda m, l: tf.not_equal(m, 1), step, [k, tf.constant(1)])[1]
        best, arg = v1.cond(length > best, lambda: (tf.identity(length), tf.identity(k)),
                            lambda: (tf.identity(best), tf.identity(arg)))
        return best, arg, total + (length - 1)

    return call.feeds, list(count_to(call.bound(1_000), constants(1, 0, 0, 0), body))


def mandelbrot():
    call = Call()
    n = call.bound(64)
    coordinate = lambda x, offset: tf.cast(x, tf.float32) * 3.0 / 64.0 + offset

    def times(cx, cy):
        inside = lambda k, u, v: tf.logical_and(k < 50, u * u + v * v <= 4.0)
        step = lambda k, u, v: (k + 1, u * u - v * v + cx, u * 2.0 * v + cy)
        return while_loop(inside, step, constants(0, 0.0, 0.0))[0]

    def rows(y, s):
        cy = coordinate(y, -1.5)
        columns = lambda x, s: [s + times(coordinate(x, -2.0), cy)]
        return [count_to(n, [tf.constant(0), s], columns)[1]]

    return call.feeds, list(count_to(n, constants(0, 0), rows))


def vector(trips, elements):
    call = Call()
    factor = tf.constant(np.full(elements, 1.0001, np.float32))
    start = [tf.constant(0), tf.constant(np.ones(elements, np.float32))]
    return call.feeds, [count_to(call.bound(trips), start, lambda i, a: [a * factor])[1]]


def matmul(trips, d, scale):
    call = Call()
    start, w = call.fed(matrix((d, d), 1)), call.fed(matrix((d, d), scale))
    body = lambda i, a: [tf.tanh(tf.matmul(a, w))]
    return call.feeds, [count_to(call.bound(trips), [tf.constant(0), start], body)[1]]


def sum_of_absolutes(x):
    return tf.reduce_sum(tf.abs(x))


def lstm(batch, with_gradient=False):
    call = Call()
    xs, w = call.fed(matrix((200, batch, 128), 1)), call.fed(matrix((256, 512), 0.1))
    bias = call.fed(np.zeros(512, np.float32))

    def cell(t, h, c):
        z = tf.nn.bias_add(tf.matmul(tf.concat([tf.gather(xs, t), h], 1), w), bias)
        i, g, f, o = tf.split(z, 4, axis=1)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    zero = tf.constant(np.zeros((batch, 128), np.float32))
    last = count_to(call.bound(200), [tf.constant(0), zero, zero], cell, back_prop=with_gradient)
    loss = tf.reduce_sum(last[1])
    gradients = v1.gradients(loss, [w, bias]) if with_gradient else []
    return call.feeds, [loss, *map(sum_of_absolutes, gradients)]


def gradient(bound, loop):
    """dy/dx of y = loop(call, bound, x)."""
    call = Call()
    n, x = call.bound(bound), call.fed(np.float32(1.0001))
    return call.feeds, v1.gradients(loop(call, n, x), [x])


def power(n, a, x):
    return count_to(n, [tf.constant(0), a], lambda i, a: [a * x], back_prop=True)[1]


def scalar_gradient():
    return gradient(2_000, lambda call, n, x: power(n, tf.constant(1.0), x))


def nested_gradient():
    def loop(call, n, x):
        m = call.bound(40)
        return count_to(n, constants(0, 1.0), lambda i, a: [power(m, a, x)], back_prop=True)[1]

    return gradient(50, loop)


def cond_gradient():
    def loop(_, n, x):
        body = lambda i, a: [v1.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + x)]
        return count_to(n, constants(0, 1.0), body, back_prop=True)[1]

    return gradient(2_000, loop)


def parallel_map(parallel_iterations):
    call = Call()
    n, rows = call.bound(64), call.fed(matrix((64, 256, 256), 1))
    w = call.fed(matrix((256, 256), 0.1))
    array = tf.TensorArray(tf.float32, n, element_shape=())
    body = lambda i, sums: [
        sums.write(i, tf.reduce_sum(tf.tanh(tf.matmul(tf.gather(rows, i), w))))]
    sums = count_to(n, [tf.constant(0), array], body, parallel_iterations)[1]
    return call.feeds, [tf.reduce_sum(sums.stack())]


def adds(x, count, start=None):
    total = x if start is None else start
    for _ in range(count):
        total = total + x
    return total


def wide(ops):
    call = Call()
    kinds = (tf.minimum, tf.maximum, tf.subtract)
    edges, unused = wide_edges(ops)
    nodes = [call.fed(np.float32(1.5))]
    for k, (a, b) in enumerate(edges):
        nodes.append(kinds[k % 3](nodes[a], nodes[b]))
    return call.feeds, [tf.add_n([nodes[k] for k in unused])]


def chain():
    call = Call()
    return call.feeds, [adds(call.fed(np.float32(1.5)), 10_000)]


def branch(taken):
    call = Call()
    p, x = call.fed(np.bool_(taken)), call.fed(np.float32(1.5))

    def big():  # one Switch: the tensor is captured once
        inside = tf.identity(x)
        return adds(inside, 5_000)

    return call.feeds, [v1.cond(p, big, lambda: x * 2)]


def dead_loop(ops):
    call = Call()
    p = call.fed(np.bool_(False))

    def big(a):
        inside = tf.identity(a)
        return adds(inside, ops)

    body = lambda i, a: [v1.cond(p, lambda: big(a), lambda: a * 1)]
    return call.feeds, list(count_to(call.bound(100), constants(0, 1.5), body))


def tensor_array():
    call = Call()
    n = call.bound(10_000)
    array = tf.TensorArray(tf.float32, n, element_shape=())
    full = count_to(n, [tf.constant(0), array], lambda i, a: [a.write(i, tf.cast(i, tf.float32))])[1]
    return call.feeds, [count_to(n, constants(0, 0.0), lambda i, s: [s + full.read(i)])[1]]


def stack():
    """Only control edges order what happens to the stack, and the second loop waits for the first."""
    call = Call()
    n = call.bound(10_000)
    handle = tf.raw_ops.StackV2(max_size=n, elem_type=tf.float32)
    below = lambda i, *_: i < n

    def push(i):
        with tf.control_dependencies([tf.raw_ops.StackPushV2(handle=handle,
                                                             elem=tf.cast(i, tf.float32))]):
            return i + 1

    def pop(i, s):
        popped = tf.ensure_shape(tf.raw_ops.StackPopV2(handle=handle, elem_type=tf.float32), ())
        with tf.control_dependencies([popped]):
            return i + 1, s + popped

    with tf.control_dependencies([while_loop(below, push, constants(0), 1)]):
        start = constants(0, 0.0)
    return call.feeds, [while_loop(below, pop, start, 1)[1]]


def one_op():
    call = Call()
    return call.feeds, [call.fed(np.float32(1)) + 1]


PROGRAMS = {
    "run0": (1, one_op),
    "scalar": (20_000, scalar),
    "loop4": (20_000, loop4),
    "pingpong": (20_000, pingpong),
    "condwhile": (20_000, condwhile),
    "nested200x100": (20_000, nested2),
    "nested20x20x50": (20_000, nested3),
    "fizzbuzz": (20_000, fizzbuzz),
    "collatz1000": (59_431, collatz),
    "mandel64": (50_956, mandelbrot),
    "vec100": (20_000, lambda: vector(20_000, 100)),
    "vec100k": (2_000, lambda: vector(2_000, 100_000)),
    "mm64": (2_000, lambda: matmul(2_000, 64, 0.5)),
    "mm512": (50, lambda: matmul(50, 512, 0.15)),
    "lstm_b1_fwd": (200, lambda: lstm(1)),
    "lstm_b64_fwd": (200, lambda: lstm(64)),
    "lstm_b1_grad": (200, lambda: lstm(1, with_gradient=True)),
    "lstm_b64_grad": (200, lambda: lstm(64, with_gradient=True)),
    "gradscalar2000": (2_000, scalar_gradient),
    "gradnested50x40": (2_000, nested_gradient),
    "gradcond2000": (2_000, cond_gradient),
    "pmap64_p1": (64, lambda: parallel_map(1)),
    "pmap64_p10": (64, lambda: parallel_map(10)),
    "pmap64_p32": (64, lambda: parallel_map(32)),
    "wide10k": (10_000, lambda: wide(10_000)),
    "chain10k": (10_000, chain),
    "dead5k": (5_000, lambda: branch(False)),
    "live5k": (5_000, lambda: branch(True)),
    "deadloop100x100": (10_000, lambda: dead_loop(100)),
    "deadloop100x1000": (100_000, lambda: dead_loop(1_000)),
    "tensorarray10k": (10_000, tensor_array),
    "stack10k": (10_000, stack),
}
