#!/usr/bin/env python3
"""Every C++ and CUDA file of the tree is as clang-format leaves it.

To format what this test complains about: tools/format.sh
"""

import os
import subprocess
import sys

import source_tree

_FORMATTED = (".cc", ".h", ".cu")
_BATCH = 20


def _start(arguments):
    """A clang-format that reads the files named, or its input, and fails where it would change it."""
    command = ["clang-format", "--dry-run", "-Werror", "--style=file"] + arguments
    return subprocess.Popen(
        command, cwd=source_tree.root(), text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _can_fail():
    """The style is read, and a file that breaks it is seen."""
    process = _start(["--assume-filename=tools/x.cc"])
    process.communicate("int  f( ){return 1;}\n")
    return process.returncode != 0


def main():
    if not _can_fail():
        print("clang-format accepts an unformatted text: this test checks nothing")
        return 1
    paths = [path for path in source_tree.files() if path.endswith(_FORMATTED)]
    batches = [paths[start:start + _BATCH] for start in range(0, len(paths), _BATCH)]
    failed = False
    width = os.cpu_count() or 1
    for start in range(0, len(batches), width):
        for process in [_start(batch) for batch in batches[start:start + width]]:
            output = process.communicate()[0]
            if process.returncode != 0:
                failed = True
                print(output)
    print(f"{len(paths)} files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
