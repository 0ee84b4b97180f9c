#!/usr/bin/env python3
"""Holds gradients that `tagflow grad` adds to the examples to TensorFlow's own.

    .peers/bin/python examples/compare_gradients.py bazel-bin/cli/tagflow [EXAMPLE...]

For every floating output and input of an example that needs no variables: tf.gradients of the graph
as make_examples.py builds it, and tagflow's of the graph.pbtxt that came of it, run on both engines.
Says how far they are apart, and fails where that is more than rounding.
"""

import os
import subprocess
import sys
import tempfile

import make_examples
import numpy as np

tf, tf1 = make_examples.tf, make_examples.tf1
HERE = os.path.dirname(os.path.abspath(__file__))


def tagflow(*words):
    """What the command prints; None, with a note, where it refuses."""
    done = subprocess.run([TAGFLOW, *words], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    print("  " + done.stderr.splitlines()[0])
    return None


def our_gradients(name, y, x, feeds):
    """dy/dx by each engine, as (engine, array)."""
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "gradient.pb")
        example = os.path.join(HERE, name)
        said = tagflow("grad", os.path.join(example, "graph.pbtxt"), "--of", y, "--wrt", x, "-o",
                       graph)
        words = [f"--feed={feed}={example}/input_{feed}.npy" for feed in feeds]
        for engine in ("reference", "optimized") if said else ():
            if tagflow("run", graph, *words, "--fetch", said.split()[1], "--engine", engine,
                       "--out", folder):
                path = next(file for file in os.listdir(folder) if file.endswith(".npy"))
                yield engine, np.load(os.path.join(folder, path))


def dense(gradient, shape):
    if not hasattr(gradient, "values"):  # IndexedSlices
        return gradient
    whole = np.zeros(shape, gradient.values.dtype)
    np.add.at(whole, gradient.indices, gradient.values)
    return whole


def compare(name, y, x, feeds, gradient):
    """Whether our gradients are TensorFlow's."""
    with tf1.Session(config=make_examples.config()) as session:
        theirs = session.run(gradient, {feed + ":0": value for feed, value in feeds.items()})
    theirs = dense(theirs, feeds[x].shape)
    found = list(our_gradients(name, y, x, feeds))
    for engine, ours in found:
        print(f"  {engine}: at most {np.abs(ours - theirs).max():.3g} apart, "
              f"of {np.abs(theirs).max():.3g}")
    return bool(found) and all(np.allclose(ours, theirs, 1e-4, 1e-6) for _, ours in found)


def compare_all(name):
    with tf.Graph().as_default() as graph:
        feeds, fetches, init, _ = (*make_examples.EXAMPLES[name](), [], 1)[:4]
        good = True
        for y, output in fetches.items():
            for x in feeds:
                source = graph.get_tensor_by_name(x + ":0")
                if init or not (output.dtype.is_floating and source.dtype.is_floating):
                    continue
                print(f"{name}: d {y} / d {x}")
                try:
                    gradient = tf1.gradients(output, source)[0]
                except TypeError as refused:
                    print(f"  TensorFlow has none: {refused}")
                    continue
                good &= gradient is None or compare(name, y, x, feeds, gradient)
    return good


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tf1.disable_control_flow_v2()
    differing = [name for name in sys.argv[2:] or make_examples.EXAMPLES if not compare_all(name)]
    sys.exit(f"not TensorFlow's: {', '.join(differing)}" if differing else 0)


if __name__ == "__main__":
    TAGFLOW = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
    main()
