#!/usr/bin/env python3
"""Runs the examples in C and ctypes."""

import subprocess
import sys

GRAPH = "examples/collatz/graph.pbtxt"
COLLATZ = "best: 113\nstart: 54\n"


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def main():
    c = said("c/example", GRAPH)
    assert (c.returncode, c.stdout) == (0, COLLATZ + "doubled: 42\n"), (c.stdout, c.stderr)
    missing = said("c/example", "nowhere.pb")
    assert missing.returncode == 1 and "nowhere.pb" in missing.stderr, missing.stderr
    python = said(sys.executable, "c/ctypes_example.py", "c/libtagflow.so", GRAPH)
    assert (python.returncode, python.stdout) == (0, COLLATZ), (python.stdout, python.stderr)
    missing = said(sys.executable, "c/ctypes_example.py", "c/libtagflow.so", "nowhere.pb")
    assert "nowhere.pb" in missing.stderr, missing.stderr


if __name__ == "__main__":
    main()
