#!/usr/bin/env python3
"""Compares the interface of libtagflow.so with the one in c/tagflow.abi. Functions and fields may be
added; none may change or go. `c/abi_test.py --write` in a checkout writes c/tagflow.abi anew.
"""

import subprocess
import sys

HEADERS = ["--headers-dir", "include", "--drop-private-types"]


def write(library, path):
    subprocess.run(["abidw", *HEADERS, "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                    "--out-file", path, library], check=True)


def exported(library):
    """The dynamic symbols that the library shows."""
    said = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True,
                          text=True, check=True).stdout
    symbols = [line.split() for line in said.splitlines()]
    return [name for _, kind, name in symbols if kind.isupper()]


def main(words):
    if words == ["--write"]:
        write("bazel-bin/c/libtagflow.so", "c/tagflow.abi")
        return 0
    # Templates of the C++ library that protobuf uses, too, are shown in spite of exports.lds.
    strange = [name for name in exported("c/libtagflow.so")
               if not name.startswith(("tagflow_", "TAGFLOW_1", "_ZNSt7__cxx1112basic_string",
                                       "_ZNKSt7__cxx1112basic_string"))]
    assert not strange, f"exported, and not of the interface: {strange}"
    done = subprocess.run(
        ["abidiff", "--no-added-syms", "--headers-dir2", "include", "--drop-private-types",
         "c/tagflow.abi", "c/libtagflow.so"], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
