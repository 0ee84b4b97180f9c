"""What a call costs on run0, a graph of one op: y = x + 1. Prints microseconds per call, and those of
the peers that this Python has. As a program: python call_time_test.py.
"""

import time

import numpy as np

import graphs
import tagflow


def microseconds(call, argument, seconds=0.3):
    """The least time of a call, over batches of a thousand."""
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(1000):
            call(argument)
        best = min(best, (time.perf_counter() - begin) * 1e3)
    return best


def ours():
    f = tagflow.Session(graphs.add_one()).callable(["x"], "y")
    for name, value in (("a Python float", 1.0), ("a numpy scalar", np.float32(1)),
                        ("an array of one element", np.ones((), np.float32)),
                        ("an array of 100", np.ones(100, np.float32)),
                        ("an array of 10,000, borrowed", np.ones(10_000, np.float32))):
        yield f"tagflow, {name}", microseconds(f, value)
    session = tagflow.Session(graphs.add_one())
    yield "tagflow, session.run", microseconds(lambda x: session.run("y", {"x": x}), 1.0)


def peers():
    value = np.float32(1)
    try:
        import jax
        yield "jax.jit", microseconds(jax.jit(lambda x: x + 1), value)
    except ImportError:
        pass
    try:
        import tensorflow as tf
        with tf.Graph().as_default():
            x = tf.compat.v1.placeholder(tf.float32, [])
            y = x + 1
            session = tf.compat.v1.Session()
            yield "TensorFlow, make_callable", microseconds(session.make_callable(y, [x]), value)
            yield "TensorFlow, session.run", microseconds(lambda v: session.run(y, {x: v}), value)
    except ImportError:
        pass


def test_a_call_costs_microseconds():
    times = dict(ours())
    for name, took in times.items():
        print(f"{took:8.2f} us  {name}")
    assert times["tagflow, a Python float"] < 20, "on a machine that does other things, too"


if __name__ == "__main__":
    for name, took in [*ours(), *peers()]:
        print(f"{took:8.2f} us  {name}")
