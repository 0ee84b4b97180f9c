#!/usr/bin/env python3
"""What the program that README runs first prints.

    embed_test.py EMBED COLLATZ
"""

import subprocess
import sys
import unittest

EMBED, COLLATZ = sys.argv[1:3]


def run(*words):
    return subprocess.run([EMBED, *words], capture_output=True, text=True, check=False)


class EmbedTest(unittest.TestCase):
    def test_runs_a_graph(self):
        done = run(COLLATZ, "n=60", "best", "start")
        self.assertEqual(done.stdout, "best: int32[] 113\nstart: int32[] 54\n")
        self.assertEqual(done.returncode, 0)

    def test_says_what_is_wrong(self):
        for words, wanted in [([], "NAME=VALUE"),
                              (["no_such_file"], "no_such_file"),
                              ([COLLATZ, "n=double:60", "best"], "n"),
                              ([COLLATZ, "n=60", "beste"], "beste")]:
            done = run(*words)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
