#!/usr/bin/env python3
"""The benchmark programs on ONNX Runtime: graphs of Loop and If, opset 18, default optimizations.

    onnxruntime_programs.py [--threads N] [--runs N]

Speaks as peer.py says. Making the session is not timed. What the body of a Loop takes from outside
is a value of the graph around it, as ONNX has it.
"""

import numpy as np
import onnxruntime

import peer
from onnx_graph import Graph, serialize
from program_data import matrix, wide_edges


class Program:
    """A graph under construction, and what is fed to it."""

    def __init__(self):
        self.graph, self.feeds = Graph(), {}

    def fed(self, value):
        array = np.asarray(value)
        made = self.graph.input(array.dtype, array.shape)
        self.feeds[made.name] = array
        return made

    def bound(self, value):
        return self.fed(np.int32(value))


FLOAT_0, FLOAT_1, INT_0, INT_1 = np.float32(0), np.float32(1), np.int32(0), np.int32(1)


def run0(p):
    return [p.graph.op("Add", p.fed(FLOAT_1), 1)]


def scalar(p):
    return p.graph.count_to(p.bound(20_000), [], lambda g, i: [])


def loop4(p):
    body = lambda g, i, a, b, c: [g.op("Add", a, 1), g.op("Mul", b, 1.0001), g.op("Sub", c, 1)]
    return p.graph.count_to(p.bound(20_000), [FLOAT_1] * 3, body)


def is_multiple(g, i, of):
    return g.test("Equal", g.op("Mod", i, of), 0)


def condwhile(p):
    body = lambda g, i, a: g.cond(is_multiple(g, i, 2), lambda b: [b.op("Add", a, 1)],
                                  lambda b: [b.op("Sub", a, 1)])
    return p.graph.count_to(p.bound(20_000), [FLOAT_0], body)


def nested2(p):
    n, m = p.bound(200), p.bound(100)
    inner = lambda g, i, a: [g.count_to(m, [a], lambda h, j, a: [h.op("Add", a, 1)])[1]]
    return p.graph.count_to(n, [FLOAT_0], inner)


def nested3(p):
    n, m, k = p.bound(20), p.bound(20), p.bound(50)
    inner = lambda g, j, a: [g.count_to(k, [a], lambda h, l, a: [h.op("Add", a, 1)])[1]]
    middle = lambda g, i, a: [g.count_to(m, [a], inner)[1]]
    return p.graph.count_to(n, [FLOAT_0], middle)


def fizzbuzz(p):
    def body(g, i, a, b, c):
        plus = lambda h, x: h.op("Add", x, 1)
        third = lambda h: h.cond(is_multiple(h, i, 5), lambda t: [a, b, plus(t, c)],
                                 lambda t: [a, b, c])
        second = lambda h: h.cond(is_multiple(h, i, 3), lambda t: [a, plus(t, b), c], third)
        return g.cond(is_multiple(g, i, 15), lambda t: [plus(t, a), b, c], second)

    return p.graph.count_to(p.bound(20_000), [INT_0] * 3, body)


def collatz(p):
    n = p.bound(1_000)

    def step(g, m, l):
        half = lambda b: [b.op("Div", m, 2)]
        triple = lambda b: [b.op("Add", b.op("Mul", m, 3), 1)]
        return [*g.cond(is_multiple(g, m, 2), half, triple), g.op("Add", l, 1)]

    def body(g, k, best, arg, total):
        differs = lambda h, m, l: h.op("Not", h.test("Equal", m, 1))
        length = g.while_loop(differs, step, [k, INT_1])[1]
        best, arg = g.cond(g.test("Greater", length, best), lambda b: [length, k],
                           lambda b: [best, arg])
        total = g.op("Add", total, g.op("Sub", length, 1))
        return [g.op("Add", k, 1), best, arg, total]

    return p.graph.while_loop(lambda g, k, *_: g.test("Less", k, n), body, [INT_1] + [INT_0] * 3)


def mandelbrot(p):
    n = p.bound(64)

    def coordinate(g, x, offset):
        scaled = g.op("Mul", g.op("Cast", x, dtype=np.float32, to=1), 3)
        return g.op("Add", g.op("Div", scaled, 64), offset)

    def times(g, cx, cy):
        square = lambda h, u: h.op("Mul", u, u)

        def inside(h, k, u, v):
            radius = h.op("Add", square(h, u), square(h, v))
            return h.op("And", h.test("Less", k, 50), h.test("LessOrEqual", radius, 4))

        def step(h, k, u, v):
            real = h.op("Add", h.op("Sub", square(h, u), square(h, v)), cx)
            imaginary = h.op("Add", h.op("Mul", h.op("Mul", u, 2), v), cy)
            return [h.op("Add", k, 1), real, imaginary]

        return g.while_loop(inside, step, [INT_0, FLOAT_0, FLOAT_0])[0]

    def rows(g, y, s):
        cy = coordinate(g, y, -1.5)
        add = lambda h, x, s: [h.op("Add", s, times(h, coordinate(h, x, -2), cy))]
        return [g.count_to(n, [s], add)[1]]

    return p.graph.count_to(n, [INT_0], rows)


def vector(trips, elements):
    def make(p):
        factor = p.graph.constant(np.full(elements, 1.0001, np.float32))
        return [p.graph.count_to(p.bound(trips), [np.ones(elements, np.float32)],
                                 lambda g, i, a: [g.op("Mul", a, factor)])[1]]

    return make


def matmul(trips, d, scale):
    def make(p):
        start, w = p.fed(matrix((d, d), 1)), p.fed(matrix((d, d), scale))
        body = lambda g, i, a: [g.op("Tanh", g.op("MatMul", a, w))]
        return [p.graph.count_to(p.bound(trips), [start], body)[1]]

    return make


def lstm(batch):
    def make(p):
        xs, w = p.fed(matrix((200, batch, 128), 1)), p.fed(matrix((256, 512), 0.1))
        bias = p.fed(np.zeros(512, np.float32))

        def cell(g, t, h, c):
            x = g.op("Gather", xs, t, axis=0)
            z = g.op("Add", g.op("MatMul", g.op("Concat", x, h, axis=1), w), bias)
            i, f_in, f, o = g.op("Split", z, outputs=4, axis=1, num_outputs=4)
            kept = g.op("Mul", g.op("Sigmoid", g.op("Add", f, 1)), c)
            c = g.op("Add", kept, g.op("Mul", g.op("Sigmoid", i), g.op("Tanh", f_in)))
            return [g.op("Mul", g.op("Sigmoid", o), g.op("Tanh", c)), c]

        zero = np.zeros((batch, 128), np.float32)
        last = p.graph.count_to(p.bound(200), [zero, zero], cell)
        return [p.graph.op("ReduceSum", last[1], keepdims=0)]

    return make


def parallel_map(p):
    n, rows, w = p.bound(64), p.fed(matrix((64, 256, 256), 1)), p.fed(matrix((256, 256), 0.1))

    def body(g, i):
        product = g.op("Tanh", g.op("MatMul", g.op("Gather", rows, i, axis=0), w))
        return [g.op("ReduceSum", product, keepdims=0)]

    sums = p.graph.count_to(n, [], body, collect=[np.float32])[1]
    return [p.graph.op("ReduceSum", sums, keepdims=0)]


def adds(g, x, count):
    total = x
    for _ in range(count):
        total = g.op("Add", total, x)
    return total


def wide(p):
    edges, unused = wide_edges(10_000)
    kinds, nodes = ("Min", "Max", "Sub"), [p.fed(np.float32(1.5))]
    for k, (a, b) in enumerate(edges):
        nodes.append(p.graph.op(kinds[k % 3], nodes[a], nodes[b]))
    return [p.graph.op("Sum", *[nodes[k] for k in unused])]


def chain(p):
    return [adds(p.graph, p.fed(np.float32(1.5)), 10_000)]


def branch(taken):
    def make(p):
        decides, x = p.fed(np.bool_(taken)), p.fed(np.float32(1.5))
        return p.graph.cond(decides, lambda g: [adds(g, x, 5_000)], lambda g: [g.op("Mul", x, 2)])

    return make


def dead_loop(ops):
    def make(p):
        n, decides = p.bound(100), p.fed(np.bool_(False))
        body = lambda g, i, a: g.cond(decides, lambda b: [adds(b, a, ops)],
                                      lambda b: [b.op("Mul", a, 1)])
        return p.graph.count_to(n, [np.float32(1.5)], body)

    return make


# name: (units, function that makes the graph and gives what is fetched)
PROGRAMS = {
    "run0": (1, run0),
    "scalar": (20_000, scalar),
    "loop4": (20_000, loop4),
    "condwhile": (20_000, condwhile),
    "nested200x100": (20_000, nested2),
    "nested20x20x50": (20_000, nested3),
    "fizzbuzz": (20_000, fizzbuzz),
    "collatz1000": (59_431, collatz),
    "mandel64": (50_956, mandelbrot),
    "vec100": (20_000, vector(20_000, 100)),
    "vec100k": (2_000, vector(2_000, 100_000)),
    "mm64": (2_000, matmul(2_000, 64, 0.5)),
    "mm512": (50, matmul(50, 512, 0.15)),
    "lstm_b1_fwd": (200, lstm(1)),
    "lstm_b64_fwd": (200, lstm(64)),
    "pmap64_p1": (64, parallel_map),
    "pmap64_p10": (64, parallel_map),
    "pmap64_p32": (64, parallel_map),
    "wide10k": (10_000, wide),
    "chain10k": (10_000, chain),
    "dead5k": (5_000, branch(False)),
    "live5k": (5_000, branch(True)),
    "deadloop100x100": (10_000, dead_loop(100)),
    "deadloop100x1000": (100_000, dead_loop(1_000)),
}


def prepare(name, threads):
    units, make = PROGRAMS[name]
    program = Program()
    model, names = serialize(program.graph, make(program))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return units, lambda: session.run(names, program.feeds)


if __name__ == "__main__":
    OPTIONS = peer.parse_arguments(__doc__)
    peer.serve("onnxruntime", peer.Steps(PROGRAMS, prepare).rows, OPTIONS, errors=(RuntimeError,))
