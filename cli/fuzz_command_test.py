#!/usr/bin/env python3
"""`tagflow fuzz` and `tagflow diff` from outside: what they print and save, their exit codes, and
what they make of engines that lie, die and hang."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

TAGFLOW = None
SUMMARY = re.compile(r"^programs (\d+), failures (\d+), programs/s \d+(\.\d+)?$")

# Passes frames on to the reference, and breaks at graphs of some lengths (the bytes of one graph come in
# any order).
ENGINE = r"""
import os, signal, struct, subprocess, sys, time
how, tagflow = sys.argv[1:]
inner = subprocess.Popen([tagflow, "serve", "--engine", "reference"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
def frame(stream):
    head = stream.read(4)
    if len(head) < 4:
        sys.exit(0)
    return head + stream.read(struct.unpack("<I", head)[0])
def answer(bytes):
    sys.stdout.buffer.write(bytes)
    sys.stdout.buffer.flush()
answer(frame(inner.stdout))
while True:
    request = frame(sys.stdin.buffer)
    is_load = request[4:5] == b"\x0a"
    if is_load and len(request) % 4 == 0:
        if how == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        while how == "hang":
            time.sleep(1)
    inner.stdin.write(request)
    inner.stdin.flush()
    answer(frame(inner.stdout))
"""

GOOD = "input x: float = 2\ny: float = Neg(x)\nreturn y\n"

# i = 0; while (i < 5) i = i + 1.
LOOP = """
node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
node { name: "one" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "limit" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 5 } } } }
""" + "".join("""
node { name: "%s_in" op: "Enter" input: "%s" attr { key: "T" value { type: DT_INT32 } }
       attr { key: "frame_name" value { s: "loop" } }
       attr { key: "is_constant" value { b: %s } }
       attr { key: "parallel_iterations" value { i: 10 } } }
""" % (name, name, constant) for name, constant in
              [("zero", "false"), ("one", "true"), ("limit", "true")]) + """
node { name: "i" op: "Merge" input: "zero_in" input: "next"
       attr { key: "T" value { type: DT_INT32 } } attr { key: "N" value { i: 2 } } }
node { name: "less" op: "Less" input: "i" input: "limit_in"
       attr { key: "T" value { type: DT_INT32 } } }
node { name: "go" op: "LoopCond" input: "less" }
node { name: "switch" op: "Switch" input: "i" input: "go"
       attr { key: "T" value { type: DT_INT32 } } }
node { name: "more" op: "AddV2" input: "switch:1" input: "one_in"
       attr { key: "T" value { type: DT_INT32 } } }
node { name: "next" op: "NextIteration" input: "more" attr { key: "T" value { type: DT_INT32 } } }
node { name: "out" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } }
node { name: "twice" op: "AddV2" input: "out" input: "out"
       attr { key: "T" value { type: DT_INT32 } } }
"""


class FuzzTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def tagflow(self, *words, expect=0):
        """Runs the command; gives (stdout, stderr)."""
        done = subprocess.run([TAGFLOW, *words], capture_output=True, timeout=300, cwd=self.folder,
                              check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, expect, "stdout: %s\nstderr: %s" % (out, err))
        return out, err

    def summary(self, out):
        """(programs, failures) of the last line, which has nothing else."""
        match = SUMMARY.match(out.splitlines()[-1])
        self.assertIsNotNone(match, out)
        return int(match.group(1)), int(match.group(2))

    def fuzz(self, *words, expect=0):
        out, err = self.tagflow("fuzz", *words, expect=expect)
        return out, err, self.summary(out)

    def engine(self, how):
        return "%s %s %s %s" % (sys.executable, self.write("engine.py", ENGINE), how, TAGFLOW)

    # Programs that pass.

    def test_the_reference_is_right(self):
        out, _, counts = self.fuzz("--count", "60", "--seed", "3")
        self.assertEqual(counts, (60, 0))
        self.assertEqual(len(out.splitlines()), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_another_order_and_another_process_are_right_too(self):
        serve = "%s serve --engine reference" % TAGFLOW
        for engine in "reference:5", serve:
            _, _, counts = self.fuzz("--count", "20", "--profile", "tiny", "--engine", engine,
                                     "--against", "reference")
            self.assertEqual(counts, (20, 0))

    def test_time_limits_it(self):
        _, _, (programs, failures) = self.fuzz("--seconds", "0.5", "--profile", "tiny")
        self.assertGreater(programs, 10)
        self.assertEqual(failures, 0)

    def test_every_property_runs(self):
        out, _ = self.tagflow("fuzz", "--list")
        listed = out[out.index("properties:"):out.index("profiles:")].splitlines()[1:]
        names = [line.split()[0] for line in listed]
        self.assertEqual(names[0], "equal")
        _, _, counts = self.fuzz("--property", "all", "--count", "3")
        self.assertEqual(counts, (3 * len(names), 0))

    def test_the_report_is_json(self):
        self.fuzz("--count", "30", "--report", "report.json", "--jobs", "2")
        with open(self.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["programs"], 30)
        self.assertGreater(report["firings_per_s"], 0)
        properties = report["properties"]
        self.assertEqual(sum(each["programs"] for each in properties), 30)
        equal = properties[0]
        self.assertEqual((equal["name"], equal["profile"], equal["failures"]), ("equal", "default", 0))
        self.assertGreater(equal["programs"], 5)
        self.assertTrue(equal["features"])

    # Programs that fail.

    def fail_by_mutant(self, *words):
        return self.fuzz("--mutant", "switch.1-outputs-exchanged", "--count", "60", "--profile", "tiny",
                         "--shrink-seconds", "2", "--examine", "2", *words, expect=1)

    def test_a_failure_is_shrunk_saved_and_fails_again(self):
        out, _, (programs, failures) = self.fail_by_mutant("--report", "report.json")
        self.assertEqual(programs, 60)
        self.assertGreater(failures, 1)
        self.assertIn("first diverging token: ", out)
        replays = re.findall(r"^  replay: tagflow (.*)$", out, re.MULTILINE)
        self.assertEqual(len(replays), 2)
        with open(self.path("report.json"), encoding="utf-8") as file:
            details = json.load(file)["failure_details"]
        self.assertEqual(len(details), failures)
        self.assertTrue(any(0 < d.get("size_after", 0) <= 12 for d in details), details)
        for replay in replays:
            said, _ = self.tagflow(*replay.split(), expect=1)
            self.assertEqual(self.summary(said), (1, 1))
            self.assertIn("first diverging token: ", said)
            said, _ = self.tagflow(*replay.split(), "--mutant", "none")
            self.assertEqual(self.summary(said), (1, 0))
            # What fails on the mutant is a case that the reference passes.
            case = replay.split()[-1].replace(".program", ".case")
            self.tagflow("check", "--in-process", case)
            said, _ = self.tagflow("diff", case, "--engine", "reference", "--mutant",
                                   "switch.1-outputs-exchanged", expect=1)
            self.assertIn("first diverging token: ", said)

    def test_an_index_is_a_program(self):
        _, _, (_, failures) = self.fail_by_mutant("--report", "report.json")
        with open(self.path("report.json"), encoding="utf-8") as file:
            details = json.load(file)["failure_details"]
        for detail in details[:2]:
            words = ["--index", str(detail["index"]), "--mutant", "switch.1-outputs-exchanged",
                     "--profile", "tiny", "--shrink-seconds", "0"]
            self.assertEqual(self.fuzz(*words, expect=1)[2], (1, 1))

    def test_several_processes_find_the_same_and_mix_nothing(self):
        one = self.fail_by_mutant("--examine", "100", "--shrink-seconds", "0")
        three = self.fail_by_mutant("--examine", "100", "--shrink-seconds", "0", "--jobs", "3")
        self.assertEqual(one[2], three[2])
        heads = re.compile(r"^equal (fails|crashed|hung), program \d+ of seed 1: .")
        for out in one[0], three[0]:
            lines = out.splitlines()[:-1]
            self.assertTrue(all(line.startswith("  ") or heads.match(line) for line in lines), out)
        self.assertEqual(sorted(one[0].splitlines()[:-1]), sorted(three[0].splitlines()[:-1]))

    # Engines that break.

    def test_a_crash_costs_one_program(self):
        out, _, (programs, failures) = self.fuzz(
            "--engine", self.engine("crash"), "--count", "16", "--profile", "tiny",
            "--shrink-seconds", "0", "--jobs", "2", expect=1)
        self.assertEqual(programs, 16)
        self.assertTrue(0 < failures < 16, out)
        self.assertIn("equal crashed, program ", out)
        self.assertIn("SIGKILL", out)
        replay = re.search(r"^  replay: tagflow (.*)$", out, re.MULTILINE).group(1)
        self.assertEqual(self.summary(self.tagflow(*replay.split(), expect=1)[0]), (1, 1))

    def test_a_hang_costs_one_program(self):
        out, _, (programs, failures) = self.fuzz(
            "--engine", self.engine("hang"), "--count", "16", "--profile", "tiny",
            "--shrink-seconds", "0", "--timeout", "1", "--examine", "1", "--jobs", "2", expect=1)
        self.assertEqual(programs, 16)
        self.assertTrue(0 < failures < 16, out)
        self.assertIn("equal hung, program ", out)

    def test_an_engine_that_does_not_start(self):
        for engine in "exit 3", "no-such-program", "echo hello", "reference:x":
            _, err = self.tagflow("fuzz", "--engine", engine, "--count", "1", expect=2)
            self.assertIn("tagflow fuzz: ", err)

    def test_ctrl_c_prints_the_summary(self):
        with subprocess.Popen([TAGFLOW, "fuzz", "--seconds", "600", "--jobs", "2"],
                              cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            # The first line of progress comes after five seconds.
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        programs, failures = self.summary(out.decode())
        self.assertGreater(programs, 0)
        self.assertEqual(failures, 0)
        self.assertEqual(process.returncode, 130)

    # Corpora.

    def test_a_corrupt_file_is_named_and_skipped(self):
        self.write("corpus/good.program", GOOD)
        self.write("corpus/deeper/good.program", "# property: equal\n" + GOOD)
        self.write("corpus/bad.program", "input x: float = = 2\n")
        self.write("corpus/cut.choices", "# property: orders\nchoices: 1 2 x")
        out, err = self.tagflow("fuzz", "--replay", "corpus")
        self.assertEqual(self.summary(out), (2, 0))
        self.assertIn("skipped corpus/bad.program: ", err)
        self.assertIn("skipped corpus/cut.choices: ", err)
        self.assertIn("corpus/good.program: equal holds", out)

    def test_nothing_to_replay(self):
        self.write("bad.program", "nonsense")
        for path in "bad.program", "no/such/file", ".":
            self.tagflow("fuzz", "--replay", path, expect=2)

    # Command lines.

    def test_usage(self):
        for words in [["--property", "no"], ["--profile", "no"], ["--mutant", "no"], ["--jobs", "0"],
                      ["--count"], ["file"], ["--fly", "1"], ["--report", "no/where.json"],
                      ["--engine", "direct", "--mutant", "switch.1-outputs-exchanged"]]:
            with self.subTest(words=words):
                _, err = self.tagflow("fuzz", *words, expect=2)
                self.assertIn("tagflow fuzz: ", err)
        for command in "fuzz", "diff":
            out, _ = self.tagflow(command, "--help")
            self.assertIn("examples:", out)

    # tagflow diff.

    def test_diff_finds_nothing_where_there_is_nothing(self):
        graph = self.write("loop.pbtxt", LOOP)
        serve = "%s serve --engine reference" % TAGFLOW
        for engine in "reference:4", serve:
            out, _ = self.tagflow("diff", graph, "--engine", engine, "--feed", "one=1", "--fetch",
                                  "twice")
            self.assertIn("no difference in ", out)
        program = self.write("good.program", GOOD)
        self.tagflow("diff", program, "--engine", serve, "--against", "reference:2")

    def test_diff_shows_the_first_token_and_its_causes(self):
        graph = self.write("loop.pbtxt", LOOP)
        out, _ = self.tagflow("diff", graph, "--engine", "reference", "--mutant",
                              "switch.1-outputs-exchanged", "--feed", "one=1", "--fetch", "twice",
                              expect=1)
        self.assertIn("first diverging token: switch (Switch) under loop[0]", out)
        self.assertIn("go (LoopCond)", out)
        self.assertIn("zero (Const)", out)

    def test_diff_of_what_it_cannot_use(self):
        graph = self.write("loop.pbtxt", LOOP)
        for code, words in [(2, []), (2, [graph]), (2, [graph, "--engine", "reference"]),
                            (2, ["a", "b", "--engine", "reference"]),
                            (2, ["x.case", "--engine", "reference", "--fetch", "y"]),
                            (3, ["no.such", "--engine", "reference", "--fetch", "y"]),
                            (3, ["no.program", "--engine", "reference"]),
                            (3, [graph, "--engine", "reference", "--fetch", "nothing"]),
                            (3, [graph, "--engine", "direct", "--feed", "one=1", "--fetch", "out"]),
                            (3, [graph, "--engine", "exit 3", "--feed", "one=1", "--fetch", "out"])]:
            with self.subTest(words=words):
                _, err = self.tagflow("diff", *words, expect=code)
                self.assertTrue(err.startswith("error: "), err)


if __name__ == "__main__":
    TAGFLOW = os.path.abspath(sys.argv.pop(1))
    unittest.main()
