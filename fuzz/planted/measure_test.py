#!/usr/bin/env python3
"""Tests: measure.py. Bugs are read, planted once each, and named when they no longer fit."""

import unittest

import measure


class PlantTest(unittest.TestCase):
    def test_every_entry_is_read_whole(self):
        bugs = measure.read_bugs()
        for path in measure.HERE.glob("*.txt"):
            entries = path.read_text().count("\n=== end")
            self.assertEqual(entries, sum(bug["of"] == path.stem for bug in bugs), path.name)
        names = [bug["name"] for bug in bugs]
        self.assertEqual(len(names), len(set(names)))
        for bug in bugs:
            self.assertIn("PLANT", bug["new"], bug["name"])
            self.assertNotEqual(bug["old"], bug["new"], bug["name"])

    def test_planted_bugs_are_switched_by_number(self):
        sources = {"a.cc": "#include <x>\nint f() { return 1; }\n"}
        bugs = [
            {"name": "two", "file": "a.cc", "number": 7, "old": "return 1;",
             "new": "return PLANT ? 2 : 1;"},
            {"name": "gone", "file": "a.cc", "number": 8, "old": "return 9;", "new": "PLANT"},
        ]
        unfit = measure.plant(sources, bugs)
        self.assertEqual([bug["name"] for bug in unfit], ["gone"])
        self.assertEqual(sources["a.cc"], "#include <x>\n" + measure.DECLARATION +
                         "int f() { return (tagflow_plant == 7) ? 2 : 1; }\n")

    def test_a_sample_is_of_the_property_that_failed(self):
        said = "gradient fails, program 3042 of seed 1: Prod, order 1"
        sample = measure.SAMPLE.search(said)
        self.assertEqual(sample.groupdict(), {"property": "gradient", "index": "3042", "seed": "1"})


if __name__ == "__main__":
    unittest.main()
