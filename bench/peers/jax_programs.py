#!/usr/bin/env python3
"""The benchmark programs on JAX: jax.jit over lax.while_loop, lax.cond, lax.scan and lax.map.

    jax_programs.py [--threads N] [--runs N]

Speaks as peer.py says. What is fed lies in JAX's memory before the clock starts; compiling is not
timed. Programs of 5,000 ops and more are left out, since XLA compiles them for up to half a minute;
with TAGFLOW_SLOW_PEERS=1 they run.
"""

import os
import sys

import peer

OPTIONS = peer.parse_arguments(__doc__)
# Before JAX is loaded: it reads them then.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
if OPTIONS.threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
# Products of matrices have threads of their own that no option counts: one per processor it may use.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-OPTIONS.threads:])

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from program_data import matrix, wide_edges

ONE = np.float32(1)


def while_loop(predicate, body, initial):
    """lax.while_loop over separate variables."""
    return lax.while_loop(lambda v: predicate(*v), lambda v: tuple(body(*v)), tuple(initial))


def count_to(bound, initial, body):
    """while i < bound: the variables after i become body(i, *variables)."""
    return while_loop(lambda i, *_: i < bound, lambda i, *v: (i + 1, *body(i, *v)),
                      [jnp.int32(0), *initial])


def scalar(n):
    return count_to(n, [], lambda i: [])


def loop4(n):
    return count_to(n, [ONE, ONE, ONE], lambda i, a, b, c: (a + 1, b * np.float32(1.0001), c - 1))


def condwhile(n):
    body = lambda i, a: [lax.cond(i % 2 == 0, lambda: a + 1, lambda: a - 1)]
    return count_to(n, [np.float32(0)], body)


def nested2(n, m):
    inner = lambda i, a: [count_to(m, [a], lambda j, a: [a + 1])[1]]
    return count_to(n, [np.float32(0)], inner)


def nested3(n, m, k):
    inner = lambda j, a: [count_to(k, [a], lambda l, a: [a + 1])[1]]
    middle = lambda i, a: [count_to(m, [a], inner)[1]]
    return count_to(n, [np.float32(0)], middle)


def fizzbuzz(n):
    def body(i, a, b, c):
        third = lambda: lax.cond(i % 5 == 0, lambda: (a, b, c + 1), lambda: (a, b, c))
        second = lambda: lax.cond(i % 3 == 0, lambda: (a, b + 1, c), third)
        return lax.cond(i % 15 == 0, lambda: (a + 1, b, c), second)

    return count_to(n, [jnp.int32(0)] * 3, body)


def collatz(n):
    def step(m, l):
        return lax.cond(m % 2 == 0, lambda: m // 2, lambda: 3 * m + 1), l + 1

    def body(k, best, arg, total):
        length = while_loop(lambda m, l: m != 1, step, (k, jnp.int32(1)))[1]
        best, arg = lax.cond(length > best, lambda: (length, k), lambda: (best, arg))
        return k + 1, best, arg, total + length - 1

    return while_loop(lambda k, *_: k < n, body, [jnp.int32(1)] + [jnp.int32(0)] * 3)


def mandelbrot(n):
    coordinate = lambda x, offset: x.astype(np.float32) * 3 / 64 + np.float32(offset)

    def times(cx, cy):
        inside = lambda k, u, v: (k < 50) & (u * u + v * v <= 4)
        step = lambda k, u, v: (k + 1, u * u - v * v + cx, u * 2 * v + cy)
        return while_loop(inside, step, [jnp.int32(0), np.float32(0), np.float32(0)])[0]

    def rows(y, s):
        cy = coordinate(y, -1.5)
        return [count_to(n, [s], lambda x, s: [s + times(coordinate(x, -2), cy)])[1]]

    return count_to(n, [jnp.int32(0)], rows)


def vector(n, a, factor):
    return [count_to(n, [a], lambda i, a: [a * factor])[1]]


def softmax(n, x, ramp):
    def step(i, x):
        powers = jnp.exp(x + ramp - jnp.max(x + ramp))
        return [powers / jnp.sum(powers)]
    return [jnp.sum(count_to(n, [x], step)[1] * ramp)]


def matmul(n, a, w):
    return [count_to(n, [a], lambda i, a: [jnp.tanh(a @ w)])[1]]


def lstm(xs, w, bias):
    def cell(state, x):
        h, c = state
        i, g, f, o = jnp.split(jnp.concatenate([x, h], 1) @ w + bias, 4, axis=1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zero = jnp.zeros(xs.shape[1:], np.float32)
    return [jnp.sum(lax.scan(cell, (zero, zero), xs)[0][0])]


def lstm_gradient(xs, w, bias):
    loss, gradients = jax.value_and_grad(lambda w, bias: lstm(xs, w, bias)[0], (0, 1))(w, bias)
    return [loss, *(jnp.sum(jnp.abs(gradient)) for gradient in gradients)]


# JAX differentiates backwards loops of a fixed number of iterations only: theirs are not fed.
def repeat(count, a, body):
    return lax.fori_loop(0, count, body, a)


def gradient(loop):
    return lambda x: [jax.grad(loop)(x)]


def power(x, a, count):
    return repeat(count, a, lambda i, a: a * x)


def cond_loop(x):
    return repeat(2_000, ONE, lambda i, a: lax.cond(i % 2 == 0, lambda: a * x, lambda: a + x))


def parallel_map(rows, w):
    return [jnp.sum(lax.map(lambda a: jnp.sum(jnp.tanh(a @ w)), rows))]


def adds(x, count):
    total = x
    for _ in range(count):
        total = total + x
    return total


def wide(x):
    edges, unused = wide_edges(10_000)
    kinds, nodes = (jnp.minimum, jnp.maximum, jnp.subtract), [x]
    for k, (a, b) in enumerate(edges):
        nodes.append(kinds[k % 3](nodes[a], nodes[b]))
    return [sum(nodes[k] for k in unused)]


def branch(p, x):
    return [lax.cond(p, lambda: adds(x, 5_000), lambda: x * 2)]


def dead_loop(ops):
    def run(n, p):
        body = lambda i, a: [lax.cond(p, lambda: adds(a, ops), lambda: a * 1)]
        return count_to(n, [np.float32(1.5)], body)

    return run


def tensor_array(n):
    array = jnp.zeros(10_000, np.float32)
    full = count_to(n, [array], lambda i, a: [a.at[i].set(i.astype(np.float32))])[1]
    return [count_to(n, [np.float32(0)], lambda i, s: [s + full[i]])[1]]


def slices(n, x):
    return [count_to(n, [np.float32(0)], lambda i, s: [s + x[i]])[1]]


def items(n, x):
    inner = lambda i, s: [count_to(n, [s], lambda j, t: [t + x[i, j]])[1]]
    return [count_to(n, [np.float32(0)], inner)[1]]


def changes(n, x):
    change = lambda i, s: [s.at[i].set(s[i - 1] * np.float32(0.5) + np.float32(1))]
    return [lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, *change(*s)), (np.int32(1), x))[1][n - 1]]


def bounds(*values):
    return lambda: [np.int32(value) for value in values]


def lstm_inputs(batch):
    return lambda: [matrix((200, batch, 128), 1), matrix((256, 512), 0.1),
                    np.zeros(512, np.float32)]


def map_inputs():
    return [matrix((64, 256, 256), 1), matrix((256, 256), 0.1)]


X = np.float32(1.5)
BASE = np.float32(1.0001)

# name: (units, function, inputs)
PROGRAMS = {
    "run0": (1, lambda x: [x + 1], lambda: [ONE]),
    "scalar": (20_000, scalar, bounds(20_000)),
    "loop4": (20_000, loop4, bounds(20_000)),
    "condwhile": (20_000, condwhile, bounds(20_000)),
    "nested200x100": (20_000, nested2, bounds(200, 100)),
    "nested20x20x50": (20_000, nested3, bounds(20, 20, 50)),
    "fizzbuzz": (20_000, fizzbuzz, bounds(20_000)),
    "collatz1000": (59_431, collatz, bounds(1_000)),
    "mandel64": (50_956, mandelbrot, bounds(64)),
    "vec100": (20_000, vector, lambda: [np.int32(20_000), np.ones(100, np.float32),
                                        np.full(100, 1.0001, np.float32)]),
    "vec100k": (2_000, vector, lambda: [np.int32(2_000), np.ones(100_000, np.float32),
                                        np.full(100_000, 1.0001, np.float32)]),
    "softmax100": (20_000, softmax, lambda: [np.int32(20_000), np.zeros(100, np.float32),
                                             np.arange(100, dtype=np.float32) * np.float32(0.01)]),
    "slices10k": (10_000, slices, lambda: [np.int32(10_000), np.full(10_000, 0.5, np.float32)]),
    "items100x100": (10_000, items, lambda: [np.int32(100), np.full((100, 100), 0.5, np.float32)]),
    "changes10k": (10_000, changes, lambda: [np.int32(10_000), np.ones(10_000, np.float32)]),
    "mm64": (2_000, matmul, lambda: [np.int32(2_000), matrix((64, 64), 1),
                                     matrix((64, 64), 0.5)]),
    "mm512": (50, matmul, lambda: [np.int32(50), matrix((512, 512), 1),
                                   matrix((512, 512), 0.15)]),
    "lstm_b1_fwd": (200, lstm, lstm_inputs(1)),
    "lstm_b64_fwd": (200, lstm, lstm_inputs(64)),
    "lstm_b1_grad": (200, lstm_gradient, lstm_inputs(1)),
    "lstm_b64_grad": (200, lstm_gradient, lstm_inputs(64)),
    "gradscalar2000": (2_000, gradient(lambda x: power(x, ONE, 2_000)), lambda: [BASE]),
    "gradvec2000": (2_000,
                    gradient(lambda x: jnp.sum(power(x, jnp.ones(100, np.float32), 2_000))),
                    lambda: [np.full(100, 1.0001, np.float32)]),
    "gradnested50x40": (2_000, gradient(lambda x: repeat(50, ONE, lambda i, a: power(x, a, 40))),
                        lambda: [BASE]),
    "gradcond2000": (2_000, gradient(cond_loop), lambda: [BASE]),
    "pmap64_p1": (64, parallel_map, map_inputs),
    "pmap64_p10": (64, parallel_map, map_inputs),
    "pmap64_p32": (64, parallel_map, map_inputs),
    "wide10k": (10_000, wide, lambda: [X]),
    "chain10k": (10_000, lambda x: [adds(x, 10_000)], lambda: [X]),
    "dead5k": (5_000, branch, lambda: [np.bool_(False), X]),
    "live5k": (5_000, branch, lambda: [np.bool_(True), X]),
    "deadloop100x100": (10_000, dead_loop(100), lambda: [np.int32(100), np.bool_(False)]),
    "deadloop100x1000": (100_000, dead_loop(1_000), lambda: [np.int32(100), np.bool_(False)]),
    "tensorarray10k": (10_000, tensor_array, bounds(10_000)),
}
SLOW = ("wide10k", "chain10k", "dead5k", "live5k")


def prepare(name, _):
    units, function, inputs = PROGRAMS[name]
    if name in SLOW and not os.environ.get("TAGFLOW_SLOW_PEERS"):
        raise peer.Missing("left out, XLA compiles it for up to half a minute"
                           " (TAGFLOW_SLOW_PEERS=1 runs it)")
    compiled = jax.jit(function)
    values = [jax.device_put(value) for value in inputs()]
    return units, lambda: jax.block_until_ready(compiled(*values))


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    peer.serve("jax", peer.Steps(PROGRAMS, prepare).rows, OPTIONS)
