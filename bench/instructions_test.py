#!/usr/bin/env python3
"""Counts the engine's instructions per unit of a few programs, and holds them to bounds.

    instructions_test.py COUNT_STEP BOUNDS

Times are noise on a busy machine; the number of instructions is the same each time. Callgrind counts
those of a step of each program of BOUNDS (bench/instructions.txt), the second one, in the binary
COUNT_STEP (bench/count_step.cc). What takes fewer instructions may still take longer: the
bounds keep costs from creeping in, the benchmarks say what things cost.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SLACK = 1.1  # how far below its bound a count may be before the bound ought to be lowered


def read_bounds(path):
    """A list of (program, size, instructions per unit at most), of what this processor counts alike."""
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    flags = processor_flags()
    return [(program, int(size), float(bound)) for program, size, bound, *needed in rows
            if flags.issuperset(needed)]


def processor_flags():
    """What the processor can do, by Linux's names."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(re.search(r"^flags\s*: (.*)$", file.read(), re.MULTILINE).group(1).split())


def count(binary, program, size):
    """The instructions of CountedStep, and the units of that step."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as profile:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=tagflow::bench::CountedStep*",
             f"--callgrind-out-file={profile.name}", binary, f"{program}:{size}"],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"callgrind failed: {done.stderr}")
        total = re.search(r"^(?:summary|totals): (\d+)$", profile.read(), re.MULTILINE)
    return int(total.group(1)), int(done.stdout.split()[1])


class InstructionsTest(unittest.TestCase):

    def test_counts_are_within_bounds(self):
        if shutil.which("valgrind") is None:
            self.skipTest("SKIPPED: valgrind is not installed")
        comparable = subprocess.run([BINARY], capture_output=True, text=True, check=True).stdout
        if comparable != "yes\n":
            self.skipTest(f"SKIPPED: instructions are counted of g++'s plain build: {comparable}")
        for program, size, bound in read_bounds(BOUNDS):
            total, units = count(BINARY, program, size)
            per_unit = total / units
            low = ": lower its bound" if per_unit * SLACK < bound else ""
            print(f"{program}: {per_unit:.1f} instructions per unit, at most {bound:g}{low}")
            with self.subTest(program=program):
                self.assertLessEqual(per_unit, bound, "the engine has become slower")
                self.assertGreater(per_unit, 1, "the step was not counted")


if __name__ == "__main__":
    BOUNDS = sys.argv.pop()
    BINARY = os.path.abspath(sys.argv.pop())
    unittest.main()
