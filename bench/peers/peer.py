"""What the peers' programs share: reading names of programs, timing steps, printing rows.

A peer reads names of programs from its standard input and answers as bench/run_programs.cc does:
lines of program, peer, threads, ns_per_unit and check between tabs, and an empty line after each
name. What it has not got is a line on the standard error.
"""

import argparse
import sys
import time

import numpy as np


class Missing(Exception):
    """Says why a peer does not run a program."""


def parse_arguments(doc):
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    return parser.parse_args()


def least_time(run, runs):
    """The least time of a run in ns, over `runs` runs and as many as 100 ms hold, and its outputs."""
    least, begin = float("inf"), time.perf_counter_ns()
    while runs > 0 or time.perf_counter_ns() - begin < 100e6:
        start = time.perf_counter_ns()
        outputs = run()
        least = min(least, time.perf_counter_ns() - start)
        runs -= 1
    return least, outputs


def check_text(values):
    return " ".join(f"{v if np.ndim(v) == 0 else np.mean(np.abs(v)):.6g}" for v in values)


class Steps:
    """Programs made ready, each once.

    programs: the names of those there are
    prepare: given a name and a number of threads, the units of a run and a function that runs it
    """

    def __init__(self, programs, prepare):
        self._programs, self._prepare = programs, prepare
        self._ready = {}

    def rows(self, name, options):
        """Yields (program, ns_per_unit, check)."""
        if name not in self._programs:
            raise Missing("has no such program")
        if name not in self._ready:
            units, run = self._prepare(name, options.threads)
            run()
            self._ready[name] = units, run
        units, run = self._ready[name]
        ns, outputs = least_time(run, options.runs)
        yield name, ns / units, check_text([np.asarray(value) for value in outputs])


def serve(peer, rows, options, errors=()):
    """Answers names until there are no more.

    rows: given a name and the options, yields (program, ns_per_unit, check)
    errors: what a step may fail with
    """
    for line in sys.stdin:
        name = line.strip()
        try:
            for program, ns, check in rows(name, options):
                print(program, peer, options.threads, f"{ns:.4g}", check, sep="\t")
        except (Missing, *errors) as error:
            print(f"{name}: {peer}: {error}", file=sys.stderr)
        print(flush=True)
