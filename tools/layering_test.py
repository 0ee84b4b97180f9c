#!/usr/bin/env python3
"""Holds the tree to its layers (layering_rules.py). Arguments: outputs of layer queries."""

import itertools
import sys

import build_files
import layering_rules
import source_tree


def main(queries):
    files = source_tree.files()
    targets = build_files.read_targets(files, source_tree.read)
    breaches = [
        layering_rules.includes(files, source_tree.read),
        layering_rules.dependencies(targets),
        layering_rules.unasked(targets, map(layering_rules.query_layer, queries)),
    ]
    for query in queries:
        with open(query, encoding="utf-8") as output:
            layer = layering_rules.query_layer(query)
            breaches.append(layering_rules.reached(layer, output.read().splitlines()))
    problems = [f"{where}: {message}" for where, message in itertools.chain(*breaches)]
    print("\n".join(problems))
    print(f"{len(files)} files, {len(targets)} targets, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
