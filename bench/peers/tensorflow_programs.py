#!/usr/bin/env python3
"""The benchmark programs on TensorFlow: version 1 control flow, Grappler off, optimizer level L0.

    tensorflow_programs.py [--threads N] [--runs N]

Reads names of programs from its standard input and answers as bench/run_programs.cc does: lines of
program, peer, threads, ns_per_unit and check between tabs, and an empty line after each name. What
the programs compute is in docs/benchmarks.md. run0 and setup100k are called through TensorFlow's C
API (tensorflow_c.py): what Python costs is not what TensorFlow's runtime costs.
"""

import argparse
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

import tensorflow_c
import tensorflow_graphs

v1 = tf.compat.v1


def session_config(threads):
    config = v1.ConfigProto(inter_op_parallelism_threads=threads,
                            intra_op_parallelism_threads=threads)
    config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def check_text(values):
    return " ".join(f"{v if np.ndim(v) == 0 else np.mean(np.abs(v)):.6g}" for v in values)


class Prepared:
    """A program with its session, warmed up."""

    def __init__(self, name, threads):
        self.units, make = tensorflow_graphs.PROGRAMS[name]
        graph = tf.Graph()
        with graph.as_default():
            feeds, fetches = make()
        session = v1.Session(graph=graph, config=session_config(threads))
        call = session.make_callable(fetches, feed_list=list(feeds))
        values = list(feeds.values())
        self.run = lambda: call(*values)
        self.run()

    def measure(self, runs):
        """The least time of a run in ns, over `runs` runs and as many as 20 ms hold, and check values."""
        least, begin = float("inf"), time.perf_counter_ns()
        while runs > 0 or time.perf_counter_ns() - begin < 20e6:
            start = time.perf_counter_ns()
            outputs = self.run()
            least = min(least, time.perf_counter_ns() - start)
            runs -= 1
        return least, check_text(outputs)


def rows(name, prepared, options):
    """Yields (program, ns_per_unit, check)."""
    if name in tensorflow_c.PROGRAMS:
        config = session_config(options.threads).SerializeToString()
        yield from tensorflow_c.PROGRAMS[name](config, options.runs)
        return
    if name not in prepared:
        prepared[name] = Prepared(name, options.threads)
    ns, check = prepared[name].measure(options.runs)
    yield name, ns / prepared[name].units, check


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    v1.disable_control_flow_v2()
    prepared = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            for program, ns, check in rows(name, prepared, options):
                print(program, "tensorflow", options.threads, f"{ns:.4g}", check, sep="\t")
        except (KeyError, tf.errors.OpError, RuntimeError) as error:
            print(f"{name}: {error}", file=sys.stderr)
        print(flush=True)


if __name__ == "__main__":
    main()
