#!/usr/bin/env python3
"""Runs every example with the tagflow command and compares with TensorFlow's own outputs.

Usage: run_test.py TAGFLOW [OPTION...] -- FOLDER...   The options are of `tagflow run`; a folder holds a graph
(graph.pbtxt) or is a SavedModel (saved_model.pb), with call.txt and the files it names.
Integers and strings must be equal; floating-point values agree to 1e-5 (float) or 1e-12 (double), relative to the
largest magnitude, since TensorFlow sums in another order.
"""

import ast
import json
import os
import struct
import subprocess
import sys
import tempfile

FORMATS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "?"}
TOLERANCES = {"<f4": 1e-5, "<f8": 1e-12}


def read_npy(path):
    """(dtype, shape, elements) of a little-endian .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + size].decode("latin1"))
    assert not header["fortran_order"], path
    code = FORMATS[header["descr"]]
    body = data[10 + size :]
    return header["descr"], header["shape"], struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)


def differ(expected_path, actual_path):
    """What is wrong with the actual file; empty when nothing is."""
    dtype, shape, expected = read_npy(expected_path)
    actual_dtype, actual_shape, actual = read_npy(actual_path)
    if (dtype, shape) != (actual_dtype, actual_shape):
        return f"{actual_dtype}{actual_shape}, TensorFlow gave {dtype}{shape}"
    bound = TOLERANCES.get(dtype, 0) * max([abs(value) for value in expected] + [1])
    for index, (want, got) in enumerate(zip(expected, actual)):
        if not abs(want - got) <= bound:
            return f"element {index} is {got}, TensorFlow gave {want}"
    return ""


def differ_in_words(expected_path, actual):
    """As differ, for strings: a line of the file each."""
    with open(expected_path) as file:
        expected = file.read().splitlines()
    return "" if actual == expected else f"{actual}, TensorFlow gave {expected}"


def read_call(folder):
    """Of an example: the feeds and fetches, as (name, path) pairs, and the options of the call that stand for
    themselves ("init NAME", "repeat N", "signature NAME")."""
    calls, options = {"feed": [], "fetch": []}, []
    with open(os.path.join(folder, "call.txt")) as file:
        for line in file:
            kind, name, *path = line.split()
            if path:
                calls[kind].append((name, os.path.join(folder, path[0])))
            else:
                options += ["--" + kind, name]
    return calls["feed"], calls["fetch"], options


def graph_of(folder):
    """What of an example the command is to read: its graph, or the whole folder, where it is a SavedModel."""
    return folder if os.path.exists(os.path.join(folder, "saved_model.pb")) else os.path.join(folder, "graph.pbtxt")


def run(tagflow, engine, folder):
    """The differences of one example, as lines of text."""
    feeds, fetches, options = read_call(folder)
    with tempfile.TemporaryDirectory() as out:
        command = [tagflow, "run", graph_of(folder), "--json", "--out", out] + engine + options
        command += [part for name, path in feeds for part in ("--feed", f"{name}={path}")]
        command += [part for name, _ in fetches for part in ("--fetch", name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return [f"exit code {done.returncode}: {done.stderr.strip()}"]
        printed = json.loads(done.stdout)["outputs"]
        problems = []
        for name, path in fetches:
            if path.endswith(".npy"):
                problem = differ(path, os.path.join(out, name + ".npy"))
            else:
                problem = differ_in_words(path, printed[name]["value"])
            if problem:
                problems.append(f"{name}: {problem}")
        return problems


def main():
    end = sys.argv.index("--")
    tagflow, engine, folders = sys.argv[1], sys.argv[2:end], sys.argv[end + 1 :]
    failed = 0
    for folder in folders:
        problems = run(tagflow, engine, folder)
        print(f"{'FAIL' if problems else 'PASS'} {os.path.basename(folder)}")
        for problem in problems:
            print(f"  {problem}")
        failed += bool(problems)
    if not folders or failed:
        sys.exit(f"{failed} of {len(folders)} examples differ from TensorFlow")


if __name__ == "__main__":
    main()
