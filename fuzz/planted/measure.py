#!/usr/bin/env python3
"""Plants bugs in a copy of the sources, one binary for all, and counts how many fuzzing finds.

    fuzz/planted/measure.py COPY [--only NAME ...] [--seconds 60] [--at-once 1] [--jobs 1]

COPY is a folder that becomes a clone of this checkout's HEAD (or is one), with every bug of the
*.txt files here built in; what TAGFLOW_PLANT names by number is switched on, by itself. Each bug is
then given `tagflow fuzz` as users call it: those of the reference by default, the others with
`--engine optimized --against reference`. The last line counts; the exit code is 0 whatever it says.

An entry of a *.txt file:

    == name
    file: optimized/tokens/plan.cc
    why: what a user would see go wrong, and what shows it
    --- old
    text that is there exactly once
    --- new
    the same with the bug in it, where PLANT is true
    === end

They were written from the sources alone, by people who did not look at what the generators make.
A bug whose text has changed is named and left out: mend the entry, or drop it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).absolute().parent
ENTRY = re.compile(
    r"^== (?P<name>.+)\nfile: (?P<file>.+)\nwhy: (?P<why>[\s\S]*?)\n"
    r"--- old\n(?P<old>[\s\S]*?)\n--- new\n(?P<new>[\s\S]*?)\n=== end", re.MULTILINE)
DECLARATION = 'extern "C" int tagflow_plant;\n'
DEFINITION = ('#include <cstdlib>\n' + DECLARATION +
              'int tagflow_plant = std::getenv("TAGFLOW_PLANT") != nullptr '
              '? std::atoi(std::getenv("TAGFLOW_PLANT")) : 0;\n')
HOME_OF_SWITCH = "graph/status.cc"  # linked into everything
LONGER_S = 150  # for a failure to be examined
SAMPLE = re.compile(r"^(?P<property>[\w-]+) \w+, program (?P<index>\d+) of seed (?P<seed>\d+)")


def read_bugs():
    bugs = []
    for path in sorted(HERE.glob("*.txt")):
        for match in ENTRY.finditer(path.read_text()):
            bugs.append(dict(match.groupdict(), of=path.stem, number=len(bugs) + 1))
    return bugs


def after_includes(text, addition):
    includes = list(re.finditer(r"^#include .*\n", text, re.MULTILINE))
    at = includes[-1].end() if includes else 0
    return text[:at] + addition + text[at:]


def plant(sources, bugs):
    """Puts bugs into {file: text}; returns those whose text is not there exactly once."""
    unfit, touched = [], set()
    for bug in bugs:
        text = sources[bug["file"]]
        if text.count(bug["old"]) != 1:
            unfit.append(bug)
            continue
        new = re.sub(r"\bPLANT\b", f"(tagflow_plant == {bug['number']})", bug["new"])
        sources[bug["file"]] = text.replace(bug["old"], new)
        touched.add(bug["file"])
    for file in touched:
        sources[file] = after_includes(sources[file], DECLARATION)
    return unfit


def build(copy, bugs):
    """Clones, plants and builds; returns the bugs that are in."""
    if not (copy / ".git").exists():
        subprocess.run(["git", "clone", "-q", HERE.parent.parent, copy], check=True)
    subprocess.run(["git", "checkout", "-q", "."], cwd=copy, check=True)
    sources = {bug["file"]: (copy / bug["file"]).read_text() for bug in bugs}
    unfit = plant(sources, bugs)
    for file, text in sources.items():
        (copy / file).write_text(text)
    home = copy / HOME_OF_SWITCH
    home.write_text(after_includes(home.read_text(), DEFINITION))
    for bug in unfit:
        print(f"no longer fits, left out: {bug['name']} ({bug['file']})")
    subprocess.run(["./bazelw", "build", "//cli:tagflow"], cwd=copy, check=True)
    return [bug for bug in bugs if bug not in unfit]


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


ENGINES = {"reference": [], "optimized": ["--engine", "optimized", "--against", "reference"]}


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
        return False, took, "fails without a bug: " + said
    return run.returncode == 1, took, said


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes for each")
    options = parser.parse_args()
    bugs = build(options.copy, read_bugs())
    program = options.copy / "bazel-bin/cli/tagflow"
    asked = [bug for bug in bugs if not options.only or bug["name"] in options.only]
    found = 0

    def try_it(bug):
        engine = ENGINES["reference" if bug["of"] == "reference" else "optimized"]
        switch = {"TAGFLOW_PLANT": str(bug["number"])}
        return (bug, *fuzz(program, engine, switch, options.seconds, options.jobs))

    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        results = pool.map(try_it, asked)
        for bug, killed, took, said in results:
            found += killed
            verdict = "found" if killed else "ALIVE"
            print(f"{verdict}\t{took:.1f} s\t{bug['of']}\t{bug['name']}\t{said[:120]}", flush=True)
    print(f"{len(asked)} bugs, {found} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
