"""Makes the graphs of examples/ with TensorFlow, and records TensorFlow's own answers.

    tools/make_peers.sh && .peers/bin/python examples/make_examples.py examples

Each example becomes a folder: graph.pbtxt (a GraphDef as TensorFlow writes it, control flow as Switch, Merge, Enter,
Exit and NextIteration), call.txt (what to feed and fetch), inputs and TensorFlow's outputs as .npy files.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
EXAMPLES = {}


def example(build):
    """Registers a function that builds a graph and returns (feeds by name, fetches by name), and where there are
    variables (…, nodes that initialize them, how often to run the step)."""
    EXAMPLES[build.__name__] = build
    return build


@example
def newton():
    """Square roots by Newton's method, until every element has settled."""
    a = tf1.placeholder(tf.float64, [None], name="a")

    def unsettled(x, step):
        return tf.reduce_max(tf.abs(x * x - a) / a) > 1e-14

    def improve(x, step):
        return (x + a / x) / 2.0, step + 1

    root, steps = tf1.while_loop(unsettled, improve, [a, 0], name="newton")
    feeds = {"a": np.array([2.0, 9.0, 1e-3, 12345.678])}
    return feeds, {"root": tf.identity(root, name="root"), "steps": tf.identity(steps, name="steps")}


@example
def collatz():
    """The longest Collatz sequence that starts below n: a loop in a loop, with a cond in each."""
    n = tf1.placeholder(tf.int32, [], name="n")

    def length(k):
        def step(m, l):
            return tf1.cond(tf.equal(m % 2, 0), lambda: m // 2, lambda: 3 * m + 1), l + 1

        return tf1.while_loop(lambda m, l: tf.not_equal(m, 1), step, [k, 1], name="steps")[1]

    def body(k, best, start):
        l = length(k)
        best, start = tf1.cond(l > best, lambda: (l, k), lambda: (best, start))
        return k + 1, best, start

    _, best, start = tf1.while_loop(lambda k, *_: k < n, body, [1, 0, 0], name="starts")
    return {"n": np.int32(60)}, {
        "best": tf.identity(best, name="best"),
        "start": tf.identity(start, name="start"),
    }


@example
def fizzbuzz():
    """FizzBuzz: nested conds choose a word for each number; a TensorArray of strings collects them."""
    n = tf1.placeholder(tf.int32, [], name="n")
    words = tf1.TensorArray(tf.string, size=n, name="words")

    def word(i):
        return tf1.cond(
            tf.equal(i % 15, 0), lambda: tf.constant("FizzBuzz"),
            lambda: tf1.cond(
                tf.equal(i % 3, 0), lambda: tf.constant("Fizz"),
                lambda: tf1.cond(tf.equal(i % 5, 0), lambda: tf.constant("Buzz"), lambda: tf.constant("-"))))

    _, words = tf1.while_loop(
        lambda i, w: i <= n, lambda i, w: (i + 1, w.write(i - 1, word(i))), [1, words], name="count")
    return {"n": np.int32(16)}, {"line": tf.identity(words.stack(), name="line")}


@example
def mandelbrot():
    """Escape times over a grid of points: one loop for all of them, masked by select."""
    cx = tf1.placeholder(tf.float32, [None, None], name="cx")
    cy = tf1.placeholder(tf.float32, [None, None], name="cy")
    limit = tf1.placeholder(tf.int32, [], name="limit")

    def body(k, u, v, times):
        # Points that have escaped are held still, so that nothing overflows.
        inside = u * u + v * v <= 4.0
        u, v = tf.where(inside, u * u - v * v + cx, u), tf.where(inside, 2.0 * u * v + cy, v)
        return k + 1, u, v, times + tf.cast(inside, tf.int32)

    zero = tf.zeros_like(cx)
    _, _, _, times = tf1.while_loop(
        lambda k, *_: k < limit, body, [0, zero, zero, tf.zeros_like(cx, dtype=tf.int32)], name="iterate")
    x, y = np.meshgrid(np.linspace(-2, 0.6, 27), np.linspace(-1.2, 1.2, 13))
    return {"cx": x.astype(np.float32), "cy": y.astype(np.float32), "limit": np.int32(30)}, {
        "times": tf.identity(times, name="times")
    }


@example
def rnn():
    """A recurrent network over a padded batch: past its length, a sequence keeps its state and puts out zeros."""
    batch, time, size, hidden = 3, 5, 4, 6
    x = tf1.placeholder(tf.float32, [time, batch, size], name="x")
    lengths = tf1.placeholder(tf.int32, [batch], name="lengths")
    w = tf1.placeholder(tf.float32, [size + hidden, hidden], name="w")
    b = tf1.placeholder(tf.float32, [hidden], name="b")
    inputs = tf1.TensorArray(tf.float32, size=time, name="inputs").unstack(x)
    outputs = tf1.TensorArray(tf.float32, size=time, name="outputs")

    def step(t, h, outputs):
        new = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], axis=1), w) + b)
        alive = tf.tile(tf.expand_dims(t < lengths, 1), [1, hidden])
        out = tf.where(alive, new, tf.zeros_like(new))
        return t + 1, tf.where(alive, new, h), outputs.write(t, out)

    zero = tf.zeros([batch, hidden])
    _, state, outputs = tf1.while_loop(
        lambda t, *_: t < tf.reduce_max(lengths), step, [0, zero, outputs], name="rnn", parallel_iterations=32)
    random = np.random.default_rng(7)
    feeds = {
        "x": random.standard_normal((time, batch, size)).astype(np.float32),
        "lengths": np.array([5, 2, 3], np.int32),
        "w": (random.standard_normal((size + hidden, hidden)) * 0.4).astype(np.float32),
        "b": np.linspace(-0.1, 0.1, hidden).astype(np.float32),
    }
    return feeds, {"state": tf.identity(state, name="state"), "all": tf.identity(outputs.stack(), name="all")}


@example
def gradient():
    """TensorFlow's own gradient of a loop in a branch: stacks carry the forward values to the backward loop."""
    x = tf1.placeholder(tf.float32, [], name="x")
    n = tf1.placeholder(tf.int32, [], name="n")
    rising = tf1.placeholder(tf.bool, [], name="rising")

    def power():
        return tf1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, 1.0], name="power")[1]

    y = tf1.cond(rising, power, lambda: -2.0 * x, name="choose")
    (dy,) = tf1.gradients(y, x, name="backward")
    return {"x": np.float32(1.5), "n": np.int32(6), "rising": np.bool_(True)}, {
        "y": tf.identity(y, name="y"),
        "dy": tf.identity(dy, name="dy"),
    }


@example
def captures():
    """Three loops in one another; the innermost uses a tensor of every level, inside a cond."""
    scale = tf1.placeholder(tf.float32, [], name="scale")
    rows = tf1.placeholder(tf.int32, [], name="rows")

    def plane(i, total):
        offset = tf.cast(i, tf.float32) * scale

        def row(j, total):
            both = offset + tf.cast(j, tf.float32)

            def cell(k, total):
                more = tf1.cond(
                    tf.equal((i + j + k) % 2, 0), lambda: both * scale, lambda: offset - tf.cast(k, tf.float32))
                return k + 1, total + more

            return j + 1, tf1.while_loop(lambda k, t: k < j, cell, [0, total], name="cells")[1]

        return i + 1, tf1.while_loop(lambda j, t: j < rows, row, [0, total], name="rows")[1]

    _, total = tf1.while_loop(lambda i, t: i < rows, plane, [0, 0.0], name="planes")
    return {"scale": np.float32(0.5), "rows": np.int32(5)}, {"total": tf.identity(total, name="total")}


@example
def training():
    """Least squares by gradient descent: two hundred steps of training, all inside one loop."""
    points = tf1.placeholder(tf.float32, [None], name="points")
    values = tf1.placeholder(tf.float32, [None], name="values")

    def descend(step, slope, offset):
        error = slope * points + offset - values
        slope_gradient = 2.0 * tf.reduce_mean(error * points)
        offset_gradient = 2.0 * tf.reduce_mean(error)
        return step + 1, slope - 0.1 * slope_gradient, offset - 0.1 * offset_gradient

    _, slope, offset = tf1.while_loop(
        lambda step, *_: step < 200, descend, [0, 0.0, 0.0], name="descent", parallel_iterations=1)
    x = np.linspace(-1, 1, 9).astype(np.float32)
    return {"points": x, "values": (3 * x - 0.5).astype(np.float32)}, {
        "slope": tf.identity(slope, name="slope"),
        "offset": tf.identity(offset, name="offset"),
    }


@example
def power_iteration():
    """The largest eigenvalue of a symmetric matrix and its vector, until the value settles."""
    a = tf1.placeholder(tf.float64, [None, None], name="a")

    def unsettled(v, value, change, step):
        return tf.logical_and(change > 1e-13 * tf.abs(value), step < 1000)

    def multiply(v, value, change, step):
        w = tf.matmul(a, v)
        new = tf.reduce_sum(v * w)  # Rayleigh's quotient, as v has length 1
        return w / tf.norm(w), new, tf.abs(new - value), step + 1

    rows = tf.shape(a)[0]
    start = tf.fill([rows, 1], 1.0 / tf.sqrt(tf.cast(rows, tf.float64)))
    infinity = tf.constant(np.inf, tf.float64)
    v, value, _, _ = tf1.while_loop(
        unsettled, multiply, [start, tf.constant(0.0, tf.float64), infinity, 0], name="power")
    random = np.random.default_rng(3).standard_normal((6, 6))
    return {"a": random @ random.T}, {
        "value": tf.identity(value, name="value"),
        "vector": tf.squeeze(v, axis=1, name="vector"),
    }


@example
def conjugate_gradient():
    """A x = b for a symmetric positive definite A: the residual, not a count, ends the loop."""
    a = tf1.placeholder(tf.float64, [None, None], name="a")
    b = tf1.placeholder(tf.float64, [None, 1], name="b")
    squared = lambda v: tf.matmul(v, v, transpose_a=True)  # [1, 1]
    bound = 1e-20 * squared(b)

    def step(x, residual, direction, square, k):
        image = tf.matmul(a, direction)
        alpha = square / tf.matmul(direction, image, transpose_a=True)
        residual = residual - alpha * image
        new = squared(residual)
        return x + alpha * direction, residual, residual + (new / square) * direction, new, k + 1

    x, _, _, _, steps = tf1.while_loop(
        lambda x, r, d, square, k: tf.squeeze(square > bound), step,
        [tf.zeros_like(b), b, b, squared(b), 0], name="descent")
    random = np.random.default_rng(4)
    factor = random.standard_normal((8, 8))
    return {"a": factor @ factor.T + 8 * np.eye(8), "b": random.standard_normal((8, 1))}, {
        "x": tf.identity(x, name="x"),
        "steps": tf.identity(steps, name="steps"),
    }


@example
def beam_search():
    """The likeliest sequences of a Markov chain: sequences grow by a token in every iteration, until all have ended."""
    width, tokens = 4, 6  # token 0 begins and ends a sequence
    logits = tf1.placeholder(tf.float32, [tokens, tokens], name="logits")
    limit = tf1.placeholder(tf.int32, [], name="limit")
    following = tf.nn.log_softmax(logits)  # [from, to]
    stay = tf.where(tf.equal(tf.range(tokens), 0), tf.zeros([tokens]), tf.fill([tokens], -np.inf))

    def unfinished(t, sequences, scores, ended):
        return tf.logical_and(t < limit, tf.logical_not(tf.reduce_all(ended)))

    def extend(t, sequences, scores, ended):
        last = sequences[:, -1]
        # What has ended goes on as it is, at no cost.
        more = tf.where(tf.tile(tf.expand_dims(ended, 1), [1, tokens]),
                        tf.tile(tf.expand_dims(stay, 0), [width, 1]), tf.gather(following, last))
        scores, chosen = tf.nn.top_k(tf.reshape(tf.expand_dims(scores, 1) + more, [-1]), k=width)
        parent, token = chosen // tokens, chosen % tokens
        sequences = tf.concat([tf.gather(sequences, parent), tf.expand_dims(token, 1)], axis=1)
        return t + 1, sequences, scores, tf.equal(token, 0)

    start = tf.zeros([width, 1], tf.int32)
    scores = tf.constant([0.0] + [-np.inf] * (width - 1))  # the beams are one at first
    _, sequences, scores, _ = tf1.while_loop(
        unfinished, extend, [0, start, scores, tf.fill([width], False)], name="beam",
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([width, None]), tf.TensorShape([width]),
                          tf.TensorShape([width])])
    random = np.random.default_rng(5)
    feeds = {"logits": (2 * random.standard_normal((tokens, tokens))).astype(np.float32), "limit": np.int32(12)}
    return feeds, {
        "sequences": tf.identity(sequences, name="sequences"),
        "scores": tf.identity(scores, name="scores"),
    }


def lstm(x, state, w, b):
    """One step of an LSTM: (h, c) after x."""
    h, c = state
    i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), w), b), 4, axis=1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
    return tf.sigmoid(o) * tf.tanh(c), c


@example
def dynamic_lstm():
    """tf.nn.dynamic_rnn's way: past its length a sequence keeps its state; a cond spares the select before."""
    batch, time, size, hidden = 4, 6, 3, 5
    x = tf1.placeholder(tf.float32, [batch, time, size], name="x")
    lengths = tf1.placeholder(tf.int32, [batch], name="lengths")
    w = tf1.placeholder(tf.float32, [size + hidden, 4 * hidden], name="w")
    b = tf1.placeholder(tf.float32, [4 * hidden], name="b")
    shortest, longest = tf.reduce_min(lengths), tf.reduce_max(lengths)
    inputs = tf1.TensorArray(tf.float32, size=time, name="inputs").unstack(tf.transpose(x, [1, 0, 2]))
    outputs = tf1.TensorArray(tf.float32, size=time, name="outputs")

    def step(t, outputs, h, c):
        new_h, new_c = lstm(inputs.read(t), (h, c), w, b)

        def past_some():
            going_on = tf.tile(tf.expand_dims(t < lengths, 1), [1, hidden])
            return [tf.where(going_on, *pair) for pair in
                    [(new_h, tf.zeros_like(h)), (new_h, h), (new_c, c)]]

        out, h, c = tf1.cond(t < shortest, lambda: [new_h, new_h, new_c], past_some)
        return t + 1, outputs.write(t, out), h, c

    zero = tf.zeros([batch, hidden])
    done, outputs, h, c = tf1.while_loop(
        lambda t, *_: t < longest, step, [0, outputs, zero, zero], name="lstm", parallel_iterations=32)
    # What no iteration wrote is zero, too.
    _, outputs = tf1.while_loop(
        lambda t, _: t < time, lambda t, outputs: (t + 1, outputs.write(t, zero)), [done, outputs], name="pad")
    random = np.random.default_rng(6)
    feeds = {
        "x": random.standard_normal((batch, time, size)).astype(np.float32),
        "lengths": np.array([5, 2, 4, 3], np.int32),
        "w": (random.standard_normal((size + hidden, 4 * hidden)) * 0.5).astype(np.float32),
        "b": np.linspace(-0.2, 0.2, 4 * hidden).astype(np.float32),
    }
    return feeds, {
        "all": tf.transpose(outputs.stack(), [1, 0, 2], name="all"),
        "h": tf.identity(h, name="h"),
        "c": tf.identity(c, name="c"),
    }


@example
def adaptive_time():
    """Adaptive computation time: a recurrent network that thinks about each input until it halts, row by row."""
    batch, time, size, hidden = 3, 4, 2, 4
    x = tf1.placeholder(tf.float32, [time, batch, size], name="x")
    w = tf1.placeholder(tf.float32, [size + 1 + hidden, hidden], name="w")
    halt = tf1.placeholder(tf.float32, [hidden, 1], name="halt")
    inputs = tf1.TensorArray(tf.float32, size=time, name="inputs").unstack(x)
    thoughts = tf1.TensorArray(tf.int32, size=time, name="thoughts")

    def think(at):
        def ponder(first, h, mean, total, count):
            h = tf.tanh(tf.matmul(tf.concat([at, first, h], 1), w))
            p = tf.sigmoid(tf.matmul(h, halt))
            running = total < 1.0
            # The last thought has what is left of the probability.
            p = tf.where(running, tf.where(total + p >= 0.99, 1.0 - total, p), tf.zeros_like(p))
            return (tf.zeros_like(first), h, mean + p * h, tf.where(p + total >= 0.99, tf.ones_like(p), total + p),
                    count + tf.cast(running, tf.int32))

        return ponder

    def step(t, h, thoughts):
        nothing = tf.zeros([batch, 1])
        _, _, h, _, count = tf1.while_loop(
            lambda first, h, mean, total, count: tf.reduce_any(total < 1.0), think(inputs.read(t)),
            [tf.ones([batch, 1]), h, tf.zeros_like(h), nothing, tf.cast(nothing, tf.int32)], name="ponder")
        return t + 1, h, thoughts.write(t, tf.squeeze(count, 1))

    _, h, thoughts = tf1.while_loop(
        lambda t, *_: t < time, step, [0, tf.zeros([batch, hidden]), thoughts], name="time")
    random = np.random.default_rng(8)
    feeds = {
        "x": random.standard_normal((time, batch, size)).astype(np.float32),
        "w": random.standard_normal((size + 1 + hidden, hidden)).astype(np.float32),
        "halt": (random.standard_normal((hidden, 1)) - 0.5).astype(np.float32),
    }
    return feeds, {"state": tf.identity(h, name="state"), "counts": tf.identity(thoughts.stack(), name="counts")}


@example
def rnn_training():
    """Training of a recurrent network: TensorFlow's gradient of a loop, variables, and a step of Adam in each call."""
    batch, time, hidden = 4, 5, 3
    x = tf1.placeholder(tf.float32, [time, batch, 1], name="x")
    target = tf1.placeholder(tf.float32, [batch], name="target")
    weight = lambda name, shape, seed: tf1.get_variable(
        name, initializer=(np.random.default_rng(seed).standard_normal(shape) * 0.5).astype(np.float32))
    w, out = weight("w", [1 + hidden, hidden], 1), weight("out", [hidden, 1], 2)

    def step(t, h):
        return t + 1, tf.tanh(tf.matmul(tf.concat([tf.gather(x, t), h], 1), w))

    _, h = tf1.while_loop(lambda t, _: t < time, step, [0, tf.zeros([batch, hidden])], name="rnn")
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(h, out), 1) - target), name="loss")
    train = tf1.train.AdamOptimizer(0.05).minimize(loss, var_list=[w, out], name="train")
    with tf.control_dependencies([train]):
        trained = out.read_value()
    tf1.global_variables_initializer()  # the node "init"
    random = np.random.default_rng(9).uniform(-1, 1, (time, batch, 1)).astype(np.float32)
    return {"x": random, "target": random.sum(axis=(0, 2))}, {
        "loss": loss,
        "trained": tf.identity(trained, name="trained"),
    }, ["init"], 20


def config():
    """Grappler off: TensorFlow runs the graph it was given."""
    options = tf1.ConfigProto()
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    options.graph_options.optimizer_options.opt_level = -1
    return options


def write(folder, build):
    """Builds one example, runs it, and writes graph, call, inputs and outputs into the folder."""
    os.makedirs(folder, exist_ok=True)
    with tf.Graph().as_default() as graph:
        feeds, fetches, init, repeat = (*build(), [], 1)[:4]
        with tf1.Session(config=config()) as session:
            session.run(init)
            for _ in range(repeat):
                values = session.run(fetches, {name + ":0": value for name, value in feeds.items()})
    definition = graph.as_graph_def()
    definition.library.Clear()
    tf1.train.write_graph(definition, folder, "graph.pbtxt")
    options = [f"init {name}" for name in init] + ([f"repeat {repeat}"] if repeat > 1 else [])
    write_call(folder, options, feeds, values)


def write_call(folder, lines, feeds, values):
    """Writes inputs, outputs and call.txt, whose first lines are given."""
    for name, value in feeds.items():
        np.save(os.path.join(folder, f"input_{name}.npy"), value)
        lines.append(f"feed {name} input_{name}.npy")
    for name, value in values.items():
        value = np.asarray(value)
        if value.dtype == object:  # strings have no .npy form that is not a pickle
            path = f"output_{name}.txt"
            with open(os.path.join(folder, path), "wb") as file:
                file.write(b"\n".join(value.ravel()) + b"\n")
        else:
            path = f"output_{name}.npy"
            np.save(os.path.join(folder, path), value)
        lines.append(f"fetch {name} {path}")
    with open(os.path.join(folder, "call.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tf1.disable_control_flow_v2()
    chosen = sys.argv[2:] or EXAMPLES
    for name in chosen:
        print(f"{name}: {EXAMPLES[name].__doc__}")
        write(os.path.join(sys.argv[1], name), EXAMPLES[name])


if __name__ == "__main__":
    main()
