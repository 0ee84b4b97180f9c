#!/usr/bin/env python3
"""Holds the tree to the house style (tidy_rules.py), but for what tidy_allowed.txt excuses."""

import sys

import source_tree
import tidy_rules


def main():
    files = source_tree.files()
    breaches = tidy_rules.broken(files, source_tree.read)
    problems = tidy_rules.judge(breaches, source_tree.read("tools/tidy_allowed.txt"))
    print("\n".join(problems))
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
