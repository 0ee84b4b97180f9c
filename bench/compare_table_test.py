#!/usr/bin/env python3
"""Tests compare_table.py."""

import unittest

from compare_table import (Measurement, agree, best, dead_cost, read_rows, table, tsv,
                           worst_beginning)


class CompareTableTest(unittest.TestCase):

    def test_rows(self):
        rows = read_rows(["loop4\tengine\t1\t94.4\t1 2\n", "setup\tengine\t1\t3\t\n"])
        self.assertEqual(rows[0], Measurement("loop4", "engine", 1, 94.4, "1 2"))
        self.assertEqual(rows[1].check, "")
        self.assertEqual(tsv(rows).splitlines()[1], "loop4\tengine\t1\t94.4\t1 2")

    def test_the_least_counts(self):
        rows = [Measurement("a", "x", 1, ns, "") for ns in (3.0, 2.0, 5.0)]
        self.assertEqual([one.ns_per_unit for one in best(rows)], [2.0])

    def test_check_values(self):
        self.assertTrue(agree("loop4", "20000 7.39076", "20000 7.39077"))
        self.assertFalse(agree("loop4", "20000 7.39076", "20000 7.49"))
        self.assertFalse(agree("loop4", "20000", "20000 1"))
        self.assertTrue(agree("mm64", "0.72", "0.73"))

    def test_ratios_gaps_and_notes(self):
        text = table([
            Measurement("a", "engine", 1, 2.0, "1"),
            Measurement("a", "tensorflow", 1, 30.0, "2"),
            Measurement("b", "engine", 1, 4.0, "1"),
        ], ["engine", "tensorflow"])
        lines = text.splitlines()
        self.assertEqual(lines[1].split(), ["a", "2", "30", "15.00", "1"])
        self.assertEqual(lines[2].split(), ["b", "4", "-", "-", "1"])
        self.assertIn("a: tensorflow gives 2, engine 1", lines)

    def test_the_worst_beginning(self):
        rows = [Measurement("a", "engine-fresh", 1, 2.2, ""),
                Measurement("a", "engine-fresh-interpreted", 1, 2.0, ""),
                Measurement("b", "engine-fresh", 1, 3.0, ""),
                Measurement("b", "engine-fresh-interpreted", 1, 3.0, ""),
                Measurement("c", "engine-fresh", 1, 9.0, "")]
        ratio, program = worst_beginning(rows)
        self.assertEqual(program, "a")
        self.assertAlmostEqual(ratio, 1.1)
        self.assertIsNone(worst_beginning(rows[:1]))

    def test_dead_cost(self):
        rows = [Measurement("deadloop100x100", "engine", 1, 2.0, ""),
                Measurement("deadloop100x1000", "engine", 1, 0.2, "")]
        self.assertEqual(dead_cost(rows, "engine"), 0)
        self.assertIsNone(dead_cost(rows[:1], "engine"))


if __name__ == "__main__":
    unittest.main()
