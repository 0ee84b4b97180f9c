"""The `tagflow` command, which comes with the package as a program."""

import os
import sys


def main() -> None:
    """Becomes the program."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tagflow")
    os.execv(program, ["tagflow", *sys.argv[1:]])
