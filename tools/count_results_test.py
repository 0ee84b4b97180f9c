#!/usr/bin/env python3
"""The closing line of .ci/run agrees with what Bazel recorded."""

import unittest

import count_results


def _configured(label, is_test):
    return {"id": {"targetConfigured": {"label": label}},
            "configured": {"testSize": "SMALL"} if is_test else {}}


def _completed(label, success):
    return {"id": {"targetCompleted": {"label": label}},
            "completed": {"success": True} if success else {}}


def _tested(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


def _test(label, status):
    return [_configured(label, True), _completed(label, True), _tested(label, status)]


class CountResultsTest(unittest.TestCase):

    def test_counts_tests_only_when_all_is_well(self):
        events = _test("//a:t", "PASSED") + _test("//a:u", "PASSED")
        events += [_configured("//a:lib", False), _completed("//a:lib", True)]
        self.assertEqual(count_results.summary(events, 0), "2 passed, 0 failed")

    def test_every_way_to_fail_counts_once(self):
        for status in ("FAILED", "TIMEOUT", "FLAKY", "INCOMPLETE", "NO_STATUS"):
            events = _test("//a:t", "PASSED") + _test("//a:u", status)
            self.assertEqual(count_results.summary(events, 3), "1 passed, 1 failed", status)

    def test_what_does_not_build_failed(self):
        events = [_configured("//a:t", True), _completed("//a:t", False)]
        events += [_configured("//a:lib", False), _completed("//a:lib", False)]
        self.assertEqual(count_results.summary(events, 1), "0 passed, 2 failed")

    def test_a_cause_is_not_counted_beside_the_target(self):
        events = _test("//a:t", "PASSED")
        events += [_configured("//b:b", False)]
        events += [{"id": {"targetCompleted": {"label": "//b:b"}}, "aborted": {}}]
        events += [{"id": {"configuredLabel": {"label": "//missing:c"}}, "aborted": {}}]
        self.assertEqual(count_results.summary(events, 1), "1 passed, 1 failed")

    def test_filtered_tests_are_skipped(self):
        events = _test("//a:t", "PASSED") + [_configured("//a:s", True), _completed("//a:s", True)]
        self.assertEqual(count_results.summary(events, 0), "1 passed, 0 failed, 1 skipped")

    def test_failure_without_a_record_is_a_failure(self):
        self.assertEqual(count_results.summary([], 37), "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
