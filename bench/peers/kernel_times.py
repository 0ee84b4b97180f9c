#!/usr/bin/env python3
"""Times single products of matrices and convolutions beside TensorFlow, JAX and ONNX Runtime.

    kernel_times.py [--threads 1,2] [--rounds N] [--only TEXT] [--peers tagflow,jax,…]

needs a Python that has the peers (tools/make_peers.sh) and Tagflow's wheel (`./bazelw build
//python:wheel`). Each peer is a process of its own, held to as many processors as it has threads;
in each round all take turns at a kernel. The second factor or the filter is a constant where a peer
knows constants (Tagflow, ONNX Runtime), so that it may prepare it once, as for the weights of a
model; TensorFlow, eager, and JAX are given it in each call. Printed are microseconds, the least of
all rounds, and what part of Tagflow's time the best peer takes: above 1, Tagflow is quicker than all
of them.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

_PRODUCTS = (32, 64, 96, 128, 192, 255, 256, 384, 512, 768, 1024, 1536, 2048)
# Height, width and channels of the image; height, width and channels of the window; its stride;
# whether each channel has a window of its own: layers of ResNet-50 and of a keyword spotter.
_CONVOLUTIONS = {
    "resnet 7x7 by 2": (224, 224, 3, 7, 7, 64, 2, False),
    "resnet 1x1 64-256": (56, 56, 64, 1, 1, 256, 1, False),
    "resnet 3x3 64": (56, 56, 64, 3, 3, 64, 1, False),
    "resnet 1x1 256-64": (56, 56, 256, 1, 1, 64, 1, False),
    "resnet 1x1 256-512 by 2": (56, 56, 256, 1, 1, 512, 2, False),
    "resnet 3x3 128": (28, 28, 128, 3, 3, 128, 1, False),
    "resnet 3x3 256": (14, 14, 256, 3, 3, 256, 1, False),
    "resnet 1x1 1024-256": (14, 14, 1024, 1, 1, 256, 1, False),
    "resnet 3x3 512": (7, 7, 512, 3, 3, 512, 1, False),
    "resnet 1x1 512-2048": (7, 7, 512, 1, 1, 2048, 1, False),
    "spotter 10x4 by 2": (49, 10, 1, 10, 4, 64, 2, False),
    "spotter 1x1": (25, 5, 64, 1, 1, 64, 1, False),
    "spotter depthwise": (25, 5, 64, 3, 3, 64, 1, True),
}
_PEERS = ("tagflow", "tensorflow", "jax", "onnxruntime")


def kernels():
    return [f"product {n}" for n in _PRODUCTS] + list(_CONVOLUTIONS)


def inputs_of(kernel):
    """Two arrays, and the attributes of a convolution; None for a product."""
    random = np.random.default_rng(1)
    draw = lambda *dims: random.standard_normal(dims, np.float32)  # noqa: E731
    if kernel not in _CONVOLUTIONS:
        n = int(kernel.split()[1])
        return draw(n, n), draw(n, n), None
    height, width, channels, high, wide, outputs, stride, is_depthwise = _CONVOLUTIONS[kernel]
    window = (high, wide, channels, outputs // channels if is_depthwise else outputs)
    return draw(1, height, width, channels), draw(*window), (stride, is_depthwise)


# ---- Peers: a function of a kernel that gives what computes it once ----


def tagflow_call(kernel, threads):
    import tagflow
    x, w, convolution = inputs_of(kernel)
    b = tagflow.build.Builder()
    image = b.placeholder("x", "float32", x.shape)
    filters = b.constant(w)
    if convolution is None:
        b.op("MatMul", image, filters, name="y")
    else:
        stride, is_depthwise = convolution
        b.op("DepthwiseConv2dNative" if is_depthwise else "Conv2D", image, filters,
             strides=[1, stride, stride, 1], padding="SAME", name="y")
    call = tagflow.Session(b.graph(), threads=threads).callable(["x"], "y")
    return lambda: call(x)


def tensorflow_call(kernel, threads):
    import tensorflow as tf
    if not tensorflow_call.is_set:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        tensorflow_call.is_set = True
    x, w, convolution = inputs_of(kernel)
    image, filters = tf.constant(x), tf.constant(w)
    if convolution is None:
        return lambda: tf.raw_ops.MatMul(a=image, b=filters)
    stride, is_depthwise = convolution
    op = tf.raw_ops.DepthwiseConv2dNative if is_depthwise else tf.raw_ops.Conv2D
    return lambda: op(input=image, filter=filters, strides=[1, stride, stride, 1], padding="SAME")


tensorflow_call.is_set = False


def jax_call(kernel, threads):
    del threads  # as many as it has processors
    import jax
    x, w, convolution = inputs_of(kernel)
    if convolution is None:
        compiled = jax.jit(lambda a, b: a @ b)
    else:
        stride, is_depthwise = convolution
        groups = x.shape[3] if is_depthwise else 1
        if is_depthwise:
            w = w.reshape(w.shape[0], w.shape[1], 1, -1)
        compiled = jax.jit(lambda a, b: jax.lax.conv_general_dilated(
            a, b, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=groups))
    image, filters = jax.device_put(x), jax.device_put(w)
    return lambda: compiled(image, filters).block_until_ready()


def onnxruntime_call(kernel, threads):
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    x, w, convolution = inputs_of(kernel)
    if convolution is None:
        node = helper.make_node("MatMul", ["x", "w"], ["y"])
    else:  # its own layout: channels first
        stride, is_depthwise = convolution
        groups = x.shape[3] if is_depthwise else 1
        x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        w = w.reshape(w.shape[0], w.shape[1], 1, -1) if is_depthwise else w
        w = np.ascontiguousarray(w.transpose(3, 2, 0, 1))
        node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", group=groups,
                                strides=[stride, stride])
    graph = helper.make_graph(
        [node], "kernel", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(w, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return lambda: session.run(None, {"x": x})


# ---- A peer's process ----


def least_time(call, seconds=0.1):
    """Microseconds of a call: the least of batches that take about a millisecond."""
    begin = time.perf_counter()
    call()
    batch = max(1, int(1e-3 / max(time.perf_counter() - begin, 1e-7)))
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(batch):
            call()
        best = min(best, (time.perf_counter() - begin) / batch)
    return best * 1e6


def serve(peer, threads):
    """Answers each line of the input, a kernel, with its time."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    make = globals()[f"{peer}_call"]
    calls = {}
    for line in sys.stdin:
        kernel = line.rstrip("\n")
        try:
            if kernel not in calls:
                calls[kernel] = make(kernel, threads)
                for _ in range(10):
                    calls[kernel]()
            print(json.dumps(least_time(calls[kernel])), flush=True)
        except ImportError as error:
            print(json.dumps(str(error)), flush=True)


class Peer:
    def __init__(self, name, threads):
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", name, "--threads", str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def time(self, kernel):
        """Microseconds, or why there are none."""
        try:
            self._process.stdin.write(kernel + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        return json.loads(answer) if answer else f"its process has ended: {sys.executable} " \
            f"{__file__} --serve {self.name} says why"

    def close(self):
        self._process.stdin.close()
        self._process.wait()


# ---- The table ----


def compare(peers, threads, rounds, only):
    running = [Peer(name, threads) for name in peers]
    print(f"\n{threads} thread(s), us" + "".join(f"{name:>13}" for name in peers) + "   best/tagflow")
    for kernel in kernels():
        if only not in kernel:
            continue
        best = {}
        for _ in range(rounds):
            for peer in running:
                took = peer.time(kernel)
                if isinstance(took, float):
                    best[peer.name] = min(took, best.get(peer.name, took))
                elif peer.name not in best:
                    print(f"{peer.name}: {took}", file=sys.stderr)
        row = "".join(f"{best[name]:13.1f}" if name in best else f"{'-':>13}" for name in peers)
        others = [took for name, took in best.items() if name != "tagflow"]
        ratio = f"{min(others) / best['tagflow']:15.2f}" if others and "tagflow" in best else ""
        print(f"{kernel:24}"[:24] + row + ratio, flush=True)
    for peer in running:
        peer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", default="1,2", help="how many, one table each (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each peer (default: 3)")
    parser.add_argument("--only", default="", help="kernels with this text in their name")
    parser.add_argument("--peers", default=",".join(_PEERS), help="which, and in what order")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, int(options.threads))
    for threads in options.threads.split(","):
        compare(options.peers.split(","), int(threads), options.rounds, options.only)
    return None


if __name__ == "__main__":
    main()
