#!/usr/bin/env python3
"""Says how many of a sample of mutants `tagflow fuzz` finds.

    tools/mutate/mutate.py COPY --kind conditions|statements [--sample 40] [--seconds 60] [--jobs 1]
                                [--under DIR ...] [--tests DIR ...] [--seed S] [--revision R]
                                [--against OLD]

COPY is a folder that becomes a clone of this checkout at --revision (HEAD), with every mutant of
the kind built into one binary. A mutant of `conditions` holds a part of the condition of an `if`, a
`while` or a `return` true or false; one of `statements` leaves out a call or an assignment, as one
who forgot it would. The command then

1. fuzzes for --seconds with each engine, as users call it, and lists what was not reached: parts
   that were never true or never false, statements that never ran. Either nothing can reach these, or
   the generators lack a feature. A mutant there cannot be found, and none is drawn there;
2. fuzzes for as long without any mutant: a sample that fails then counts for none;
3. draws --sample mutants of the others, and gives each --seconds of `tagflow fuzz`: with `--engine
   optimized --against reference`; `--engine optimized-native`, where it is in what makes machine
   code; or, where it is the reference's, with nothing else said. What that leaves alive the tests
   of --tests are given: that a loop is not machine code any more is nothing that fuzzing sees.

What survives makes no difference (it reserves memory, say), or is a thing that neither sees.

With --against OLD two revisions are compared: the same mutants are built into both, COPY/0 of OLD and
COPY/1 of --revision, in files that are the same in both; --sample are drawn for each engine, where
both revisions reach the place, and tried in pairs.

The last line counts; the exit code is 0 whatever it says.
"""

import argparse
import pathlib
import random

import conditions
import judging
import pairs
import planting
import statements

KINDS = {"conditions": conditions, "statements": statements}
UNDER = ["reference", "optimized", "transform", "graph"]
TOLD = {
    "conditions": {0: "never asked", planting.TRUE: "always true", planting.FALSE: "always false"},
    "statements": {0: "never run"},
}


def reached(places, notes):
    """Prints the places that are on one side alone; returns the others."""
    others = []
    for place in places:
        told = TOLD[place.kind].get(notes[place.number])
        if told is None:
            others.append(place)
        else:
            print(f"{told}\t{place.where()}\t{place.text}")
    print(f"{len(places)} {places[0].kind}, {len(others)} reached", flush=True)
    return others


def drawn(places, count, seed):
    """Mutants, (place, side), in the order of a rank that hangs on the place's file and text alone:
    so that a place that was added or taken away elsewhere changes nothing."""
    mutants = [(place, side) for place in places for side in place.sides]

    def rank(mutant):
        place, side = mutant
        return random.Random(f"{seed} {place.file} {place.text} {side}").random(), place.number
    return sorted(mutants, key=rank)[:count]


def try_each(program, mutants, seconds, jobs, tests):
    """tests: programs that judge what fuzzing leaves alive"""
    found = by_tests = 0
    known = {name: judging.failing_without(program, engine, seconds, jobs)
             for name, engine in judging.ENGINES.items()}
    for place, side in mutants:
        name = judging.engine_name(place)
        killed, took, said = judging.fuzz(program, judging.ENGINES[name], place.switch(side),
                                          seconds, jobs, known[name])
        test = None if killed else judging.failing_test(tests, place.switch(side))
        if test is not None:
            killed, said = True, test.name
            by_tests += 1
        found += killed
        verdict = "found" if killed else "ALIVE"
        print(f"{verdict}\t{took:.1f} s\t{place.where()}\t{place.sides[side]}: {place.text}\t"
              f"{said[:120]}", flush=True)
    print(f"{len(mutants)} mutants, {found} found, {by_tests} of them by tests alone")


def compare(options):
    kind, revisions = KINDS[options.kind], [options.against, options.revision]
    programs, places = pairs.build(options.copy, revisions, options.under, kind)
    found = pairs.reached_by_both(programs, places, options.seconds)
    for name in judging.ENGINES:
        mine = [place for place in found if judging.engine_name(place) == name]
        mutants = drawn(mine, options.sample, options.seed)
        counts = pairs.try_each(programs, name, mutants, options.seconds)
        print(f"{len(mutants)} mutants: {counts[0]} found at {revisions[0]}, "
              f"{counts[1]} at {revisions[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--kind", choices=sorted(KINDS), required=True)
    parser.add_argument("--sample", type=int, default=40, help="mutants (default: 40)")
    parser.add_argument("--seconds", type=float, default=60, help="for each (default: 60)")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--under", nargs="+", default=UNDER, metavar="DIR", help="sources")
    parser.add_argument("--tests", nargs="+", default=[], metavar="DIR",
                        help="folders whose tests judge what fuzzing leaves alive")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--against", metavar="OLD", help="a revision to compare with")
    options = parser.parse_args()
    if options.against is not None:
        compare(options)
        return 0
    places = planting.build(options.copy, options.under, KINDS[options.kind], options.revision,
                            tests=options.tests)
    if not places:
        parser.error("there is nothing of the kind under " + " ".join(options.under))
    program = options.copy / "bazel-bin/cli/tagflow"
    notes = judging.notes_after(program, options.seconds, options.jobs)
    mutants = drawn(reached(places, notes), options.sample, options.seed)
    try_each(program, mutants, options.seconds, options.jobs,
             judging.tests_in(options.copy, options.tests))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
