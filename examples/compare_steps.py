#!/usr/bin/env python3
"""Times the SavedModels of examples/ on tagflow and on TensorFlow, side by side.

    .peers/bin/python examples/compare_steps.py bazel-bin/cli/tagflow [--threads N] [--passes N] [EXAMPLE...]

A step is one call of the signature that call.txt names, with its inputs, which are in memory, and all its outputs, which
stay there: by `tagflow bench`, and by the signature of tf.saved_model.load, called again and again. Both have N threads;
TensorFlow has them twice, within and between ops. The two take turns, so that what else the machine does falls on both;
the least median of the passes is printed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import run_test
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 2.0  # of a pass
CALLS_MIN = 200


def signature_of(folder):
    words = run_test.read_call(folder)[2]
    return words[words.index("--signature") + 1]


def tagflow_step(tagflow, folder, threads):
    """The median time of a step, in seconds."""
    feeds, fetches, _ = run_test.read_call(folder)
    command = [tagflow, "bench", folder, "--json", "--seconds", str(SECONDS), "--threads", str(threads)]
    command += ["--signature", signature_of(folder)]
    command += [word for name, path in feeds for word in ("--feed", f"{name}={path}")]
    command += [word for name, _ in fetches for word in ("--fetch", name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{os.path.basename(folder)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["engines"][0]["median_ns"] * 1e-9


def tensorflow_step(call, inputs):
    """The median time of a call, in seconds; the first tenth of the calls makes ready."""
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < CALLS_MIN * 10 // 9 or time.perf_counter() < end:
        begin = time.perf_counter()
        call(**inputs)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[len(times) // 10:])


def compare(name, options):
    """The least medians of one example: (tagflow's, TensorFlow's)."""
    folder = os.path.join(HERE, name)
    feeds = run_test.read_call(folder)[0]
    model = tf.saved_model.load(folder)  # what holds the variables, and must live as long as its signature
    call = model.signatures[signature_of(folder)]
    inputs = {feed: tf.constant(np.load(path)) for feed, path in feeds}
    passes = [(tagflow_step(options.tagflow, folder, options.threads), tensorflow_step(call, inputs))
              for _ in range(options.passes)]
    return tuple(map(min, zip(*passes)))


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "unknown")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tagflow")
    parser.add_argument("examples", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--passes", type=int, default=3)
    options = parser.parse_intermixed_args()
    options.examples = options.examples or sorted(
        name for name in os.listdir(HERE) if os.path.exists(os.path.join(HERE, name, "saved_model.pb")))
    return options


def main():
    options = parse_options()
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(options.threads)
    print(f"{processor()}; tagflow with {options.threads} threads, TensorFlow {tf.__version__} with "
          f"{options.threads} within and {options.threads} between ops")
    print(f"{'example':<20} {'tagflow':>11} {'TensorFlow':>11} {'ratio':>6}")
    for name in options.examples:
        ours, theirs = compare(name, options)
        print(f"{name:<20} {ours * 1e6:>8.1f} us {theirs * 1e6:>8.1f} us {theirs / ours:>6.1f}", flush=True)


if __name__ == "__main__":
    main()
