"""Whether fuzzing, as users call it, finds a mutant."""

import os
import pathlib
import re
import subprocess
import tempfile
import time

import planting

LONGER_S = 150  # for a failure to be examined
SAMPLE = re.compile(r"^(?P<property>[\w-]+) \w+, program (?P<index>\d+) of seed (?P<seed>\d+)")
ENGINES = {"reference": [], "optimized": ["--engine", "optimized", "--against", "reference"]}


def engine_of(place):
    return ENGINES["reference" if place.file.startswith("reference/") else "optimized"]


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


def fuzz(program, engine, switch, seconds, jobs):
    """Returns whether what `switch` turns on was found, after how long, and what was said.

    engine: one of ENGINES
    switch: variables of the environment
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as save:
        command = [program, "fuzz", *engine, "--seconds", str(seconds), "--stop-at", "1",
                   "--shrink-seconds", "0", "--save", save, "--jobs", str(jobs)]
        try:
            run = subprocess.run(command, env=dict(os.environ, **switch), capture_output=True,
                                 text=True, errors="replace", timeout=seconds + LONGER_S,
                                 check=False)
        except subprocess.TimeoutExpired:
            return False, seconds + LONGER_S, "the fuzzer itself did not end"
    failures = (line for line in run.stdout.splitlines() if ", program " in line)
    said = next(failures, "")
    took = time.monotonic() - began
    if run.returncode == 1 and not holds_without(program, engine, said):
        return False, took, "fails without a mutant: " + said
    return run.returncode == 1, took, said


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
