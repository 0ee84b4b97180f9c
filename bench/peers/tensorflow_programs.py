#!/usr/bin/env python3
"""The benchmark programs on TensorFlow: version 1 control flow, Grappler off, optimizer level L0.

    tensorflow_programs.py [--threads N] [--runs N]

Speaks as peer.py says. What the programs compute is in docs/benchmarks.md. run0 and setup100k are
called through TensorFlow's C API (tensorflow_c.py): what Python costs is not what TensorFlow's
runtime costs.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

import peer
import tensorflow_c
import tensorflow_graphs

v1 = tf.compat.v1


def session_config(threads):
    config = v1.ConfigProto(inter_op_parallelism_threads=threads,
                            intra_op_parallelism_threads=threads)
    config.device_count["CPU"] = 2  # of which pingpong alone uses the second
    config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def prepare(name, threads):
    units, make = tensorflow_graphs.PROGRAMS[name]
    graph = tf.Graph()
    with graph.as_default():
        feeds, fetches = make()
    session = v1.Session(graph=graph, config=session_config(threads))
    call = session.make_callable(fetches, feed_list=list(feeds))
    values = list(feeds.values())
    return units, lambda: call(*values)


def main():
    options = peer.parse_arguments(__doc__)
    v1.disable_control_flow_v2()
    steps = peer.Steps(tensorflow_graphs.PROGRAMS, prepare)

    def rows(name, _):
        if name in tensorflow_c.PROGRAMS:
            config = session_config(options.threads).SerializeToString()
            return tensorflow_c.PROGRAMS[name](config, options.runs)
        return steps.rows(name, options)

    peer.serve("tensorflow", rows, options, errors=(tf.errors.OpError, RuntimeError))


if __name__ == "__main__":
    main()
