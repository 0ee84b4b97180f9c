#!/usr/bin/env python3
"""Tests of how the differential op test judges; it needs no TensorFlow."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import op_differential


class SummaryTest(unittest.TestCase):

  def test_counts_by_op_and_complains_of_what_differs(self):
    rows = [("ops/Add/float", "PASS", ""), ("ops/Add/int32", "FAIL", "off by 1")]
    lines, complaints, used = op_differential.summarize(rows, {})
    self.assertEqual(lines, ["ops/Add: 1 pass, 1 FAIL"])
    self.assertEqual(complaints, ["FAIL ops/Add/int32: off by 1"])
    self.assertEqual(used, set())

  def test_what_is_listed_is_counted_apart(self):
    rows = [("ops/Add/a", "FAIL", ""), ("ops/Add/b", "UNSUPPORTED", ""), ("ops/Adds/b", "FAIL", "")]
    lines, complaints, used = op_differential.summarize(rows, {"ops/Add/": "a reason"})
    self.assertEqual(lines, ["ops/Add: 0 pass, 2 excepted", "ops/Adds: 0 pass, 1 FAIL"])
    self.assertEqual(len(complaints), 1)
    self.assertEqual(used, {"ops/Add/"})

  def test_a_case_that_passes_uses_no_exception(self):
    _, complaints, used = op_differential.summarize([("ops/Add/a", "PASS", "")], {"ops/Add/a": "r"})
    self.assertEqual((complaints, used), ([], set()))

  def test_ops_without_group(self):
    complain = lambda *args: list(op_differential.ops_without_group(*args))
    self.assertEqual(complain(["A"], {"A"}, {}), [])
    self.assertEqual(complain(["A"], set(), {"no-group A": "a reason"}), [])
    self.assertIn("A has no group", complain(["A"], set(), {})[0])
    self.assertIn("A has a group after all", complain(["A"], {"A"}, {"no-group A": "r"})[0])

  def test_the_list_can_be_read(self):
    exceptions = op_differential.read_exceptions()
    self.assertGreater(len(exceptions), 3)
    for name, reason in exceptions.items():
      self.assertGreater(len(reason), 5, name)


if __name__ == "__main__":
  unittest.main()
