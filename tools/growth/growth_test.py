#!/usr/bin/env python3
"""Holds instructions and bytes to n log n, as graphs grow.

    growth_test.py GROWTH BOUNDS [FAMILY ...]

GROWTH (growth.cc) makes families of graphs, each of which grows in one direction, and takes five of
them, each twice as large as the one before, through the stages of the product. With n for what goes
into a stage plus what comes out, instructions (callgrind counts them) and the bytes that are live at
a time should grow as n log n: the test compares the last doubling with that, and the exponent it
prints is 1 for n log n and 2 for its square. BOUNDS lists what may grow faster, and docs/limits.md
says why. Prints the table of exponents. Named FAMILYs are measured alone.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

EXPONENT_MAX = 1.2  # of n log n; what is small at first and grows quadratically is above it


def read_bounds(path):
    """{(family, stage, "instructions" or "bytes"): the exponent it may have}; "*" for any."""
    bounds = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not line.startswith("#"):
                family, stage, what, exponent = words[:4]
                bounds[family, stage, what] = float(exponent)
    return bounds


def bound_of(bounds, family, stage, what):
    keys = [(family, stage, what), ("*", stage, what), (family, "*", what)]
    return next((bounds[key] for key in keys if key in bounds), EXPONENT_MAX)


def read_profiles(folder):
    """{"family n stage": instructions}, from callgrind's profiles in a folder."""
    counts = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        label = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)$", text, re.MULTILINE)
        if label and total:
            counts[label.group(1)] = int(total.group(1))
    return counts


def measure(family):
    """Rows (n, stage, in + out, instructions, bytes) of a family, and the lines that explain."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--compress-strings=yes",
             f"--callgrind-out-file={folder}/profile", GROWTH, family],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{family} failed: {done.stderr[-2000:]}")
        counts = read_profiles(folder)
    rows = []
    for line in done.stdout.splitlines():
        if not line.startswith("#"):
            _, n, stage, went_in, came_out, peak = line.split()
            label = f"{family} {n} {stage}"
            rows.append((int(n), stage, int(went_in) + int(came_out), counts[label], int(peak)))
    return rows


def exponent(size, cost, size_before, cost_before):
    """Of n log n, in the step from one size to the next."""
    if cost_before <= 0 or cost <= cost_before or size <= size_before:
        return 0.0
    grown = size * math.log2(size) / (size_before * math.log2(size_before))
    return math.log(cost / cost_before) / math.log(grown)


def last_doublings(rows):
    """{stage: (n, exponent of instructions, of bytes, instructions, bytes)} at the largest size."""
    result = {}
    for stage in dict.fromkeys(row[1] for row in rows):
        of_stage = [row for row in rows if row[1] == stage]
        if len(of_stage) < 2:
            continue
        (_, _, size_before, work_before, bytes_before), (n, _, size, work, space) = of_stage[-2:]
        result[stage] = (n, exponent(size, work, size_before, work_before),
                         exponent(size, space, size_before, bytes_before), work, space)
    return result


class GrowthTest(unittest.TestCase):

    def test_stages_are_n_log_n(self):
        if shutil.which("valgrind") is None:
            self.skipTest("SKIPPED: valgrind is not installed")
        bounds = read_bounds(BOUNDS)
        names = subprocess.run([GROWTH], capture_output=True, text=True, check=True).stdout
        families = FAMILIES or [line.split(":")[0] for line in names.splitlines()]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            measured = list(pool.map(measure, families))
        print(f"{'family':15}{'stage':22}{'n':>6}{'instructions':>15}{'exponent':>9}"
              f"{'bytes':>13}{'exponent':>9}")
        for family, rows in zip(families, measured):
            for stage, (n, of_work, of_space, work, space) in last_doublings(rows).items():
                print(f"{family:15}{stage:22}{n:6}{work:15,}{of_work:9.2f}{space:13,}{of_space:9.2f}")
                for what, found in (("instructions", of_work), ("bytes", of_space)):
                    with self.subTest(family=family, stage=stage, what=what):
                        self.assertLessEqual(found, bound_of(bounds, family, stage, what))


if __name__ == "__main__":
    GROWTH, BOUNDS, *FAMILIES = sys.argv[1:]
    GROWTH = os.path.abspath(GROWTH)
    unittest.main(argv=sys.argv[:1])
