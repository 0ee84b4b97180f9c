"""Whether fuzzing, as users call it, or a test finds a mutant."""

import os
import pathlib
import re
import subprocess
import tempfile
import time

import planting

LONGER_S = 150  # for a failure to be examined
FAILURES_MOST = 20  # that are looked at where nothing is planted
SAMPLE = re.compile(r"^(?P<property>[\w-]+) \w+, program (?P<index>\d+) of seed (?P<seed>\d+)")
ENGINES = {
    "reference": [],
    "optimized": ["--engine", "optimized", "--against", "reference"],
    "native": ["--engine", "optimized-native", "--against", "reference"],
}


def engine_name(place):
    """Which of ENGINES a mutant at that place is looked for with."""
    if place.file.startswith("reference/"):
        return "reference"
    return "native" if place.file.startswith("optimized/native/") else "optimized"


def holds_without(program, engine, said):
    """Whether the sample that failed does not fail where nothing is planted."""
    sample = SAMPLE.search(said)
    if sample is None:
        return True
    with tempfile.TemporaryDirectory() as save:
        # Each property counts its own.
        command = [program, "fuzz", *engine, "--property", sample["property"],
                   "--seed", sample["seed"], "--index", sample["index"],
                   "--shrink-seconds", "0", "--save", save]
        run = subprocess.run(command, capture_output=True, check=False, timeout=LONGER_S)
    return run.returncode == 0


def run_fuzz(program, engine, switch, seconds, jobs, most):
    """The exit code of a run that stops at `most` failures, and a line for each of them."""
    with tempfile.TemporaryDirectory() as save:
        command = [program, "fuzz", *engine, "--seconds", str(seconds), "--stop-at", str(most),
                   "--shrink-seconds", "0", "--save", save, "--jobs", str(jobs)]
        run = subprocess.run(command, env=dict(os.environ, **switch), capture_output=True,
                             text=True, errors="replace", timeout=seconds + LONGER_S, check=False)
    return run.returncode, [line for line in run.stdout.splitlines() if ", program " in line]


def sample_of(line):
    """The sample that a failure's line tells of; the line itself where it names none."""
    sample = SAMPLE.search(line)
    return sample.group("property", "index", "seed") if sample else line


def failing_without(program, engine, seconds, jobs):
    """The samples that fail in a run of that length where nothing is planted: a fault of the
    revision itself, which may be a race that does not come again when the sample runs alone."""
    _, lines = run_fuzz(program, engine, {}, seconds, jobs, most=FAILURES_MOST)
    for line in lines:
        print(f"fails without a mutant, and does not count\t{line}", flush=True)
    return frozenset(map(sample_of, lines))


def fuzz(program, engine, switch, seconds, jobs, known=frozenset()):
    """Returns whether what `switch` turns on was found, after how long, and what was said.

    engine: one of ENGINES
    switch: variables of the environment
    known: samples that fail anyway, of failing_without
    """
    began = time.monotonic()
    try:
        code, lines = run_fuzz(program, engine, switch, seconds, jobs, most=len(known) + 1)
    except subprocess.TimeoutExpired:
        return False, seconds + LONGER_S, "the fuzzer itself did not end"
    took = time.monotonic() - began
    others = [line for line in lines if sample_of(line) not in known]
    said = others[0] if others else ""
    if code != 1 or (lines and not others):
        return False, took, said
    if not holds_without(program, engine, said):
        return False, took, "fails without a mutant: " + said
    return True, took, said


def notes_after(program, seconds, jobs):
    """What each place was (planting.FALSE, TRUE, both or 0), after a run with each engine."""
    with tempfile.NamedTemporaryFile() as notes, tempfile.TemporaryDirectory() as save:
        notes.truncate(planting.PLACES_MAX)
        for engine in ENGINES.values():
            command = [program, "fuzz", *engine, "--seconds", str(seconds), "--jobs", str(jobs),
                       "--save", save]
            subprocess.run(command, env=dict(os.environ, TAGFLOW_NOTES=notes.name),
                           capture_output=True, check=False)
        return pathlib.Path(notes.name).read_bytes()


def tests_in(copy, folders):
    """The tests of these folders that pass where nothing is planted."""
    places = [copy / "bazel-bin" / folder for folder in folders]
    built = [test for place in places for test in sorted(place.glob("*_test"))]
    passing = [test for test in built if failing_test([test], {}) is None]
    for test in built:
        if test not in passing:
            print(f"fails without a mutant, and does not count\t{test.name}", flush=True)
    return passing


def failing_test(tests, switch):
    """The first of the tests that finds what `switch` turns on, or does not end; None: none does."""
    for test in tests:
        try:
            run = subprocess.run([test], env=dict(os.environ, **switch), capture_output=True,
                                 check=False, timeout=LONGER_S)
        except subprocess.TimeoutExpired:
            return test
        if run.returncode != 0:
            return test
    return None
