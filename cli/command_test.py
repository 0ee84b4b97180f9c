#!/usr/bin/env python3
"""The command from outside: what it prints, its exit codes, and what it makes of bad input."""

import gzip
import io
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

TAGFLOW = None
ROOT = os.getcwd()  # of the checkout, as tests see it
TYPES = {"float": 1, "double": 2, "int32": 3, "bool": 10, "resource": 20}


class Shape(list):
    """A shape attr."""


class Scalar:
    """A Const's value."""

    def __init__(self, dtype, value):
        self.dtype, self.value = dtype, value


def attr_text(value):
    if isinstance(value, bool):
        return "b: %s" % str(value).lower()
    if isinstance(value, int):
        return "i: %d" % value
    if isinstance(value, Shape):
        return "shape { %s }" % " ".join("dim { size: %d }" % d for d in value)
    if isinstance(value, Scalar):
        field = {"float": "float_val", "int32": "int_val", "bool": "bool_val"}[value.dtype]
        return "tensor { dtype: %d tensor_shape { } %s: %s }" % (
            TYPES[value.dtype], field, str(value.value).lower())
    return "type: %d" % TYPES[value] if value in TYPES else 's: "%s"' % value


def node(name, op, *inputs, **attrs):
    """A node of a text GraphDef."""
    text = 'node { name: "%s" op: "%s"\n' % (name, op)
    text += "".join('  input: "%s"\n' % i for i in inputs)
    text += "".join('  attr { key: "%s" value { %s } }\n' % (k, attr_text(v))
                    for k, v in attrs.items())
    return text + "}\n"


def const(name, dtype, value, *controls):
    return node(name, "Const", *controls, dtype=dtype, value=Scalar(dtype, value))


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, payload):
    """A length-delimited field on the wire."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def binary_negate():
    """x: float placeholder; y = Neg(x), as a binary GraphDef."""
    def one(name, op, inputs, key):
        type_attr = field(1, key) + field(2, varint(6 << 3) + varint(TYPES["float"]))
        return field(1, field(1, name) + field(2, op) +
                     b"".join(field(3, i) for i in inputs) + field(5, type_attr))
    return one(b"x", b"Placeholder", [], b"dtype") + one(b"y", b"Neg", [b"x"], b"T")


ADD = (node("x", "Placeholder", dtype="float", shape=Shape([2])) +
       node("y", "Placeholder", dtype="float", shape=Shape([2])) +
       node("sum", "AddV2", "x", "y", T="float"))


def loop(limit, parallel=10, frame="loop"):
    """i = 0; while (i < limit) i = i + 1. A limit of None: for ever."""
    enter = dict(T="int32", frame_name=frame, parallel_iterations=parallel)
    less = (node("go", "Less", "i", "limit_in", T="int32") if limit is not None else
            node("go", "GreaterEqual", "i", "i", T="int32"))
    return (const("zero", "int32", 0) + const("one", "int32", 1) +
            const("limit", "int32", limit or 0) +
            node("i_in", "Enter", "zero", **enter) +
            node("one_in", "Enter", "one", is_constant=True, **enter) +
            node("limit_in", "Enter", "limit", is_constant=True, **enter) +
            node("i", "Merge", "i_in", "i_next", T="int32", N=2) + less +
            node("cond", "LoopCond", "go") +
            node("switch", "Switch", "i", "cond", T="int32") +
            # Takes one away and adds it again, so that the endless loop never overflows.
            node("more", "AddV2" if limit is not None else "Mul", "switch:1", "one_in", T="int32") +
            node("i_next", "NextIteration", "more", T="int32") +
            node("out", "Exit", "switch", T="int32"))


def power_loop():
    """i = 0, a = 1; while (i < n) i = i + 1, a = a * x. What leaves it is out."""
    enter = dict(frame_name="loop", parallel_iterations=10)
    return (node("x", "Placeholder", dtype="float", shape=Shape([])) +
            node("n", "Placeholder", dtype="int32", shape=Shape([])) +
            const("zero", "int32", 0) + const("one", "int32", 1) + const("start", "float", 1) +
            node("i_in", "Enter", "zero", T="int32", **enter) +
            node("a_in", "Enter", "start", T="float", **enter) +
            node("one_in", "Enter", "one", T="int32", is_constant=True, **enter) +
            node("n_in", "Enter", "n", T="int32", is_constant=True, **enter) +
            node("x_in", "Enter", "x", T="float", is_constant=True, **enter) +
            node("i", "Merge", "i_in", "i_next", T="int32", N=2) +
            node("a", "Merge", "a_in", "a_next", T="float", N=2) +
            node("go", "Less", "i", "n_in", T="int32") + node("cond", "LoopCond", "go") +
            node("i_if", "Switch", "i", "cond", T="int32") +
            node("a_if", "Switch", "a", "cond", T="float") +
            node("i_plus", "AddV2", "i_if:1", "one_in", T="int32") +
            node("more", "Mul", "a_if:1", "x_in", T="float") +
            node("i_next", "NextIteration", "i_plus", T="int32") +
            node("a_next", "NextIteration", "more", T="float") +
            node("out", "Exit", "a_if", T="float"))


COND = (node("p", "Placeholder", dtype="bool", shape=Shape([])) +
        node("x", "Placeholder", dtype="float", shape=Shape([])) +
        node("switch", "Switch", "x", "p", T="float") +
        node("yes", "Neg", "switch:1", T="float") +
        node("no", "Identity", "switch", T="float") +
        node("join", "Merge", "no", "yes", T="float", N=2))


def npy(descr, shape, elements):
    """A .npy file."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n" % (descr, shape)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + elements


def npz(compression, **arrays):
    """A .npz file, as numpy.savez and savez_compressed make it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as file:
                file.write(array)
    return out.getvalue()


class CommandTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, content, name="graph"):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def tagflow(self, *words, expect=0):
        """Runs the command; gives (stdout, stderr)."""
        done = subprocess.run([TAGFLOW, *words], capture_output=True, timeout=120, cwd=self.folder,
                              check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, expect, "stdout: %s\nstderr: %s" % (out, err))
        if expect != 0 and words[:1] == ("run",):
            self.assertTrue(err.startswith("error: "), err)
        return out, err

    def fails(self, graph, *words, expect, says):
        """Runs a graph that must fail; every string of `says` must be in the error."""
        _, err = self.tagflow("run", self.write(graph), *words, expect=expect)
        for text in says:
            self.assertIn(text, err)
        return err

    # What it does.

    def test_adds(self):
        out, err = self.tagflow("run", self.write(ADD), "--feed", "x=[1,2]", "--feed=y=[3, 4]",
                                "--fetch", "sum")
        self.assertEqual((out, err), ("sum: float[2] [4, 6]\n", ""))

    def test_runs_a_loop(self):
        out, _ = self.tagflow("run", self.write(loop(1000)), "--fetch", "out")
        self.assertEqual(out, "out: int32[] 1000\n")

    def test_binary_and_text_are_told_apart_by_content(self):
        graph = self.write(binary_negate(), "binary.pbtxt")
        out, _ = self.tagflow("run", graph, "--feed", "x=[1, -2]", "--fetch", "y")
        self.assertEqual(out, "y: float[2] [-1, 2]\n")

    def test_gzip_and_a_byte_order_mark(self):
        for content in gzip.compress(ADD.encode()), b"\xef\xbb\xbf" + ADD.encode():
            out, _ = self.tagflow("run", self.write(content), "--feed", "x=[1,2]", "--feed",
                                  "y=[3,4]", "--fetch", "sum")
            self.assertEqual(out, "sum: float[2] [4, 6]\n")

    def test_arrays_of_npz_files(self):
        x, y = npy("<f4", "(2,)", struct.pack("<2f", 1, 2)), npy(">i8", "(2,)",
                                                                struct.pack(">2q", 3, 4))
        for compression in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            self.write(npz(compression, w=x, v=y), "two.npz")
            self.write(npz(compression, arr_0=y), "one.npz")
            out, _ = self.tagflow("run", self.write(ADD), "--feed", "x=two.npz:w", "--feed",
                                  "y=one.npz", "--fetch", "sum")
            self.assertEqual(out, "sum: float[2] [4, 6]\n")
            self.fails(ADD, "--feed", "x=two.npz", "--fetch", "sum", expect=3,
                       says=["'two.npz'", "2 arrays, 'w', 'v'", "two.npz:w"])
        self.write(npz(zipfile.ZIP_BZIP2, w=x), "bz.npz")
        self.fails(ADD, "--feed", "x=bz.npz", "--fetch", "sum", expect=3, says=["bzip2"])

    def test_what_a_file_is_that_is_no_graph(self):
        self.write(npy("<f4", "(2,)", struct.pack("<2f", 1, 2)), "x.npy")
        meta = field(1, field(5, b"2.21.0")) + field(2, binary_negate())
        for content, kind in [(b"\x08\x01" + field(2, meta), "a SavedModel"),
                              (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
                              (npz(zipfile.ZIP_STORED, a=b""), "arrays of NumPy (.npz)"),
                              (b"BZh91AY&SY", "bzip2"), (gzip.compress(meta), "a MetaGraphDef"),
                              ("name: 'a' graph { }", "a conformance case")]:
            self.fails(content, "--fetch", "y", expect=3, says=[kind, "not a GraphDef", "graph"])

    def test_a_meta_graph(self):
        meta = field(1, field(5, b"2.21.0")) + field(2, binary_negate())
        out, _ = self.tagflow("run", self.write(meta), "--feed", "x=[1,2]", "--fetch", "y")
        self.assertEqual(out, "y: float[2] [-1, -2]\n")

    def test_json(self):
        out, _ = self.tagflow("run", self.write(ADD), "--feed", "x=[1,2]", "--feed", "y=[3,4]",
                              "--fetch", "sum", "--fetch", "x", "--json")
        self.assertEqual(json.loads(out)["outputs"], {
            "sum": {"dtype": "float", "shape": [2], "value": [4, 6]},
            "x": {"dtype": "float", "shape": [2], "value": [1, 2]}})
        out, _ = self.tagflow("run", self.write(ADD), "--fetch", "sum", "--json", expect=3)
        self.assertEqual(json.loads(out)["error"]["code"], "INVALID_ARGUMENT")

    def test_writes_npy_and_reads_it_back(self):
        self.tagflow("run", self.write(ADD), "--feed", "x=[1,2]", "--feed", "y=[3,4]",
                     "--fetch", "sum", "--out", "a/b")
        self.assertEqual(os.listdir(self.path("a/b")), ["sum.npy"])
        out, _ = self.tagflow("run", self.write(ADD), "--feed", "x=a/b/sum.npy",
                              "--feed", "y=[1,1]", "--fetch", "sum")
        self.assertEqual(out, "sum: float[2] [5, 7]\n")

    def test_trace_of_the_engine_is_for_perfetto(self):
        self.tagflow("run", self.write(loop(2)), "--fetch", "out", "--engine", "optimized",
                     "--trace", "trace.json")
        with open(self.path("trace.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        kernels = [event for event in events if event["ph"] == "X" and event["cat"] != "step"]
        step = next(event for event in events if event.get("cat") == "step")
        self.assertEqual([event["args"]["tag"] for event in kernels if event["name"] == "more"],
                         ["loop[0]", "loop[1]"])
        for event in kernels:
            self.assertGreaterEqual(event["ts"], step["ts"])
            self.assertLessEqual(event["ts"] + event["dur"], step["ts"] + step["dur"] + 0.01)
        lanes = [event["args"]["name"] for event in events if event["name"] == "thread_name"]
        self.assertEqual(lanes, ["worker 0"])

    def test_trace_is_a_json_object_per_line(self):
        self.tagflow("run", self.write(loop(2)), "--fetch", "out", "--trace", "trace.jsonl")
        with open(self.path("trace.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        self.assertEqual(sum(event["node"] == "more" for event in events), 3)
        self.assertEqual(sum(event["node"] == "more" and not event["dead"] for event in events), 2)

    def test_watch_prints_a_tensor_inside_a_loop(self):
        out, _ = self.tagflow("run", self.write(loop(1)), "--fetch", "out", "--watch", "more")
        self.assertEqual(out, "more @ loop[0]: int32[] 1\nmore @ loop[1]: dead\nout: int32[] 1\n")

    def test_a_target_runs_without_a_fetch(self):
        out, _ = self.tagflow("run", self.write(loop(3)), "--target", "more")
        self.assertEqual(out, "")

    def test_seeded_orders_agree(self):
        for seed in "1", "2", "3":
            out, _ = self.tagflow("run", self.write(loop(20)), "--fetch", "out", "--seed", seed)
            self.assertEqual(out, "out: int32[] 20\n")

    def test_help(self):
        for words in ["--help"], ["run", "--help"], ["show", "--help"], ["grad", "--help"], [
                "check", "--help"], ["serve", "--help"]:
            out, _ = self.tagflow(*words)
            self.assertIn("tagflow", out)

    # Bad command lines.

    def test_usage_errors(self):
        graph = self.write(ADD)
        for words in [], ["fly"], ["run"], ["run", graph, graph, "--fetch", "sum"], [
                "run", graph, "--fetch"], ["run", graph, "--flies", "1"], [
                    "run", graph, "--fetch", "sum", "--max-steps", "0"], [
                        "run", graph, "--fetch", "sum", "--deadline", "soon"], ["show"], [
                            "show", graph, "--dot", "--check"], ["grad", graph], [
                                "grad", graph, "--of", "sum", "--wrt", "x"]:
            with self.subTest(words=words):
                self.tagflow(*words, expect=2)

    def test_nothing_to_run_suggests_what_to_fetch(self):
        self.fails(ADD, expect=2, says=["nothing to run", "'sum'"])

    # Bad graphs.

    def test_a_missing_file_and_a_folder(self):
        self.assertIn("no/such", self.tagflow("run", "no/such", "--fetch", "y", expect=3)[1])
        self.tagflow("grad", "no/such", "--of", "y", "--wrt", "x", "-o", "made", expect=3)
        self.tagflow("run", self.folder, "--fetch", "y", expect=3)

    def test_a_truncated_or_corrupt_file(self):
        good = binary_negate()
        for length in range(1, len(good)):
            with self.subTest(length=length):
                self.tagflow("run", self.write(good[:length]), "--fetch", "y", "--feed", "x=1",
                             expect=3)
        self.fails(b"\xff" * 100, "--fetch", "y", expect=3, says=["graph"])
        self.fails(ADD[:-3], "--fetch", "sum", expect=3, says=["graph"])
        self.fails(b"", "--fetch", "sum", expect=3, says=["the file is empty"])

    def test_an_unknown_op_is_named_where_it_is_needed(self):
        graph = ADD + node("strange", "MadeUpOp", "sum") + node("z", "Neg", "strange", T="float")
        self.fails(graph, "--fetch", "z", "--feed", "x=[1,2]", "--feed", "y=[1,2]", expect=3,
                   says=["UNIMPLEMENTED", "'MadeUpOp'", "'strange'"])
        self.tagflow("run", self.path("graph"), "--fetch", "sum", "--feed", "x=[1,2]",
                     "--feed", "y=[1,2]")

    def test_a_device_that_is_not_there(self):
        there = node("x", "Placeholder", dtype="float") + node("y", "Neg", "x", T="float")
        graph = there.replace('op: "Neg"', 'op: "Neg" device: "/device:GPU:0"')
        words = ["--fetch", "y", "--feed", "x=2"]
        for engine in ([], ["--engine", "reference"], ["--devices", "CPU:0"]):
            self.fails(graph, *words, *engine, expect=3,
                       says=["INVALID_ARGUMENT", "graph.4", "'/device:GPU:0' is not there"])
        for engine in ([], ["--engine", "reference"], ["--devices", "CPU:0"]):
            out, _ = self.tagflow("run", self.path("graph"), *words, *engine, "--soft-placement")
            self.assertIn("y: float[] -2", out)

    def test_parallel_iterations(self):
        for parallel in 0, -1, -2147483648:
            self.fails(loop(3, parallel), "--fetch", "out", expect=3,
                       says=["parallel_iterations = %d" % parallel, "frame.5", "_in"])
        for parallel in 1, 2147483647:
            out, _ = self.tagflow("run", self.write(loop(3, parallel)), "--fetch", "out")
            self.assertEqual(out, "out: int32[] 3\n")

    def test_frame_errors(self):
        graph = loop(3) + node("bad", "AddV2", "more", "one", T="int32")
        self.fails(graph, "--target", "bad", expect=3,
                   says=["has inputs from different frames", "'bad'", "'loop'", "frame.2"])
        self.fails(loop(3) + node("bad", "Exit", "one", T="int32"), "--fetch", "bad", expect=3,
                   says=["root frame", "frame.4"])
        self.fails(loop(3, frame=""), "--fetch", "out", expect=3, says=["must have a frame name"])

    def test_a_cycle_without_next_iteration(self):
        graph = node("a", "Neg", "b", T="float") + node("b", "Neg", "a", T="float")
        self.fails(graph, "--fetch", "a", expect=3, says=["'a' -> 'b' -> 'a'"])

    def test_differing_parallel_iterations_warn(self):
        graph = loop(3) + node("e", "Enter", "one", T="int32", frame_name="loop",
                               parallel_iterations=3)
        _, err = self.tagflow("run", self.write(graph), "--fetch", "out", "--target", "e")
        self.assertIn("warning: ", err)
        self.assertIn("parallel_iterations", err)

    # Bad feeds and fetches.

    def test_missing_feeds_are_listed(self):
        self.fails(ADD, "--fetch", "sum", "--feed", "x=[1,2]", expect=3,
                   says=["'y'", "float", "[2]"])

    def test_a_wrong_dtype_or_shape(self):
        self.fails(ADD, "--fetch", "sum", "--feed", "x=int32:[1,2]", "--feed", "y=[1,2]", expect=3,
                   says=["'x'", "int32", "float"])
        self.fails(ADD, "--fetch", "sum", "--feed", "x=[1,2,3]", "--feed", "y=[1,2]", expect=3,
                   says=["'x'", "[3]", "[2]"])
        self.fails(ADD, "--fetch", "sum", "--feed", "x=[1,two]", expect=3, says=["'x'", "two"])
        self.fails(ADD, "--fetch", "sum", "--feed", "x", expect=3, says=["NAME=VALUE"])
        self.fails(ADD, "--fetch", "sum", "--feed", "x=[1,2]", "--feed", "x:0=[1,2]", expect=3,
                   says=["fed twice"])

    def test_bad_npy_files(self):
        self.fails(ADD, "--fetch", "sum", "--feed", "x=none.npy", expect=3, says=["'none.npy'"])
        self.write(b"\x93NUMPY\x01\x00", "short.npy")
        self.fails(ADD, "--fetch", "sum", "--feed", "x=short.npy", expect=3,
                   says=["'short.npy'", "DATA_LOSS"])

    def test_names_that_are_not_there(self):
        self.fails(ADD, "--fetch", "summ", expect=3, says=["NOT_FOUND", "did you mean 'sum'?"])
        self.fails(ADD, "--fetch", "sum:1", expect=3, says=["'sum:1'"])
        self.fails(ADD, "--fetch", "^sum", expect=3, says=["control edge"])
        self.fails(ADD, "--target", "nope", expect=3, says=["target 'nope'"])
        self.fails(ADD, "--fetch", "sum", "--feed", "z=1", expect=3, says=["feed 'z'"])

    def test_a_fetch_in_a_loop(self):
        self.fails(loop(3), "--fetch", "more", expect=3,
                   says=["'more'", "frame 'loop'", "Exit 'out'", "fetch.2"])

    def test_a_feed_in_a_loop(self):
        self.fails(loop(3), "--fetch", "out", "--feed", "more=1", expect=3,
                   says=["feed 'more'", "frame 'loop'"])

    def test_a_dead_fetch_is_explained(self):
        self.fails(COND, "--fetch", "yes", "--feed", "p=false", "--feed", "x=1", expect=1,
                   says=["'yes'", "'switch'", "fetch.1"])

    # Steps that fail.

    def test_an_endless_loop(self):
        self.fails(loop(None), "--fetch", "out", "--max-steps", "10000", expect=1,
                   says=["RESOURCE_EXHAUSTED", "loop["])
        self.fails(loop(None), "--fetch", "out", "--deadline", "0.3", expect=1,
                   says=["DEADLINE_EXCEEDED", "loop["])

    def test_a_stack_popped_empty(self):
        graph = (const("size", "int32", -1) +
                 node("stack", "StackV2", "size", elem_type="float", stack_name="s") +
                 node("pop", "StackPopV2", "stack", elem_type="float"))
        self.fails(graph, "--fetch", "pop", expect=1, says=["node:   pop", "empty"])

    def test_a_failed_step_writes_no_output(self):
        self.fails(COND, "--fetch", "join", "--fetch", "yes", "--feed", "p=false", "--feed", "x=1",
                   "--out", "made", "--trace", "trace", expect=1, says=["'yes'"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["graph", "trace"])

    def test_output_that_cannot_be_written(self):
        self.write("", "file")
        self.fails(COND, "--fetch", "join", "--feed", "p=true", "--feed", "x=1", "--out", "file/x",
                   expect=1, says=["file/x"])
        self.fails(COND, "--fetch", "join", "--feed", "p=true", "--feed", "x=1", "--trace",
                   "no/where", expect=3, says=["no/where"])

    def test_a_result_that_cannot_be_printed_is_no_success(self):
        graph = self.write(loop(3))
        for words in ["run", graph, "--fetch", "out"], ["show", graph]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TAGFLOW, *words], stdout=full, stderr=subprocess.PIPE,
                                      timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write to standard output", done.stderr)

    def test_ctrl_c_ends_a_step_cleanly(self):
        graph = self.write(loop(None))
        with subprocess.Popen([TAGFLOW, "run", graph, "--fetch", "out", "--trace", "trace"],
                              cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            # The step runs once the trace grows.
            partial = self.path("trace.partial.%d" % process.pid)
            while not (os.path.exists(partial) and os.path.getsize(partial) > 0):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err.decode())
        self.assertIn("CANCELLED", err.decode())
        self.assertEqual(sorted(os.listdir(self.folder)), ["graph", "trace"])

    def test_what_takes_long_is_told_on_a_terminal(self):
        for engine in "optimized", "reference":
            terminal, end = pty.openpty()
            done = subprocess.run([TAGFLOW, "run", self.write(loop(None)), "--fetch", "out",
                                   "--deadline", "2.7", "--engine", engine], timeout=60,
                                  stdout=subprocess.PIPE, stderr=end, check=False)
            os.close(end)
            told = b""
            try:
                while True:
                    told += os.read(terminal, 4096)
            except OSError:  # nobody has the other end open
                os.close(terminal)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"\r\x1b[Krunning: 2 s", told)
            line, _, error = told.rpartition(b"\r\x1b[K")
            self.assertIn(b"(Ctrl-C stops)", line)
            self.assertTrue(error.startswith(b"error: DEADLINE_EXCEEDED"), error)

    # tagflow grad.

    def gradient(self, graph, *words):
        """Adds a gradient; gives the names that were printed, by x."""
        out, err = self.tagflow("grad", self.write(graph), *words, "-o", "made.pbtxt")
        self.assertEqual(err, "")
        return dict(line.split(": ") for line in out.splitlines())

    def value(self, name, *feeds):
        words = [word for feed in feeds for word in ("--feed", feed)]
        return self.tagflow("run", "made.pbtxt", *words, "--fetch", name)[0]

    def test_grad_of_a_branch(self):
        name = self.gradient(COND, "--of", "join", "--wrt", "x")["x"]
        self.assertEqual(self.value(name, "p=true", "x=3"), name + ": float[] -1\n")
        self.assertEqual(self.value(name, "p=false", "x=3"), name + ": float[] 1\n")

    def test_grad_of_a_loop(self):
        graph = power_loop()
        name = self.gradient(graph, "--of", "out", "--wrt", "x")["x"]
        for engine in [], ["--engine", "optimized"]:
            out, _ = self.tagflow("run", "made.pbtxt", "--feed", "x=2", "--feed", "n=5", "--fetch",
                                  name, *engine)
            self.assertEqual(out, name + ": float[] 80\n")
        self.assertEqual(self.value(name, "x=2", "n=0"), name + ": float[] 0\n")
        _, err = self.tagflow("grad", "graph", "--of", "more", "--wrt", "x", "-o", "m", expect=3)
        for text in ["'more'", "frame 'loop'", "its Exit"]:
            self.assertIn(text, err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["graph", "made.pbtxt"])

    def test_grad_of_a_loop_in_other_ways(self):
        for words in ["--history", "stacks"], ["--remat", "loop"], ["--remat=*"]:
            name = self.gradient(power_loop(), "--of", "out", "--wrt", "x", *words)["x"]
            for engine in [], ["--engine", "optimized"]:
                out, _ = self.tagflow("run", "made.pbtxt", "--feed", "x=2", "--feed", "n=5",
                                      "--fetch", name, *engine)
                self.assertEqual(out, name + ": float[] 80\n")
        _, err = self.tagflow("grad", "graph", "--of", "out", "--wrt", "x", "--history", "heaps",
                              "-o", "m", expect=2)
        self.assertIn("--history is lists or stacks, not 'heaps'", err)

    def test_grad_writes_text_by_the_name(self):
        for name in "made.pb.txt", "made.txt", "made.prototxt":
            self.tagflow("grad", self.write(COND), "--of", "join", "--wrt", "x", "-o", name)
            with open(self.path(name), encoding="utf-8") as file:
                self.assertTrue(file.read().startswith("node {"))

    def test_grad_of_a_binary_graph(self):
        out, _ = self.tagflow("grad", self.write(binary_negate(), "graph.pb"), "--of=y", "--wrt=x",
                              "-o", "graph.pb")
        name = out.split()[1]
        out, _ = self.tagflow("run", "graph.pb", "--feed", "x=[1,2]", "--fetch", name)
        self.assertEqual(out, name + ": float[2] [-1, -1]\n")

    def test_the_example_of_the_help_is_true(self):
        out, _ = self.tagflow("grad", "--help")
        lines = [line.strip() for line in out.splitlines()]
        said = lines[lines.index("Prints:") + 1]
        graph = os.path.join(ROOT, "examples/newton/graph.pbtxt")
        out, _ = self.tagflow("grad", graph, "--of", "root", "--wrt", "a", "-o", "gradient.pbtxt")
        self.assertEqual(out, said + "\n")
        name = said.split()[1]
        out, _ = self.tagflow("run", "gradient.pbtxt", "--feed", "a=[2,9]", "--fetch", "root",
                              "--fetch", name)
        for line in out.splitlines():
            self.assertIn(line, lines)

    # tagflow show.

    def test_show(self):
        out, _ = self.tagflow("show", self.write(loop(5)))
        for text in ["loop loop:", "bound: i < 5", "variable i: starts as zero, becomes more, "
                     "leaves as out", "captures one (invariant one_in)"]:
            self.assertIn(text, out)
        out, _ = self.tagflow("show", self.write(COND))
        for text in ["branch on p:", "captures x", "joins in join", "p: bool[]"]:
            self.assertIn(text, out)

    def test_show_structure(self):
        out, _ = self.tagflow("show", self.write(COND), "--structure")
        self.assertEqual(out, "if p:\n  yes = Neg(x)\n  join = yes\n"
                         "else:\n  no = Identity(x)\n  join = no\n")
        _, err = self.tagflow("show", self.write(COND), "--structure", "--dot", expect=2)
        self.assertIn("give one of --dot, --check, --structure, --placement and --native", err)

    def test_readme_structure(self):
        with open(os.path.join(ROOT, "README.md")) as file:
            lines = file.read().split("\n")
        begin = lines.index("$ tagflow show examples/collatz/graph.pbtxt --structure") + 1
        graph = os.path.join(ROOT, "examples/collatz/graph.pbtxt")
        out, _ = self.tagflow("show", graph, "--structure")
        said = lines[begin:lines.index("…", begin)]
        self.assertEqual(out.split("\n")[:len(said)], said)

    def test_show_dot(self):
        out, _ = self.tagflow("show", self.write(loop(5)), "--dot")
        self.assertTrue(out.startswith("digraph"))
        self.assertIn("subgraph cluster_1", out)

    def test_show_check(self):
        out, _ = self.tagflow("show", self.write(loop(5)), "--check")
        self.assertIn("0 things are wrong", out)
        bad = loop(5) + node("bad", "AddV2", "one", T="int32") + node("odd", "MadeUpOp")
        out, _ = self.tagflow("show", self.write(bad), "--check", expect=1)
        for text in ["'bad'", "takes 2 inputs and has 1", "'MadeUpOp'", "1 thing is wrong"]:
            self.assertIn(text, out)

    def test_show_draws_what_has_bad_frames(self):
        graph = self.write(loop(5) + node("bad", "AddV2", "one", "more", T="int32"))
        for option in [], ["--dot"]:
            _, err = self.tagflow("show", graph, *option)
            self.assertIn("warning: no frames are shown", err)


if __name__ == "__main__":
    TAGFLOW = os.path.abspath(sys.argv.pop(1))
    unittest.main()
