#!/usr/bin/env python3
"""Every rule of the standard is cited by a case, and every rule that a case cites is there."""

import os
import unittest

import rules_cited

STANDARD = "docs/semantics.md"
CASES = "conformance/cases"


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _cited():
    """The labels that each text case cites, by its path."""
    return {
        os.path.join(here, name): rules_cited.citations(_read(os.path.join(here, name)))
        for here, _, names in os.walk(CASES)
        for name in names
        if name.endswith(".textproto")
    }


class RulesCitedTest(unittest.TestCase):

    def test_the_standard_and_the_cases_agree(self):
        defined = rules_cited.labels(_read(STANDARD))
        cited = _cited()
        # A check of nothing would pass.
        self.assertGreater(len(defined), 50)
        self.assertGreater(len(cited), 50)
        self.assertEqual(rules_cited.complaints(defined, cited, rules_cited.EXCEPTIONS), [])


class CheckerTest(unittest.TestCase):
    """The checker can fail."""

    def _assert_complains(self, complaint, defined, cited, exceptions=None):
        found = rules_cited.complaints(defined, cited, exceptions or {})
        self.assertEqual(len(found), 1, found)
        self.assertIn(complaint, found[0])

    def test_agreement(self):
        self.assertEqual(rules_cited.complaints(["a.1"], {"one": ["a.1"]}, {}), [])
        self.assertEqual(
            rules_cited.complaints(["a.1", "a.2"], {"one": ["a.1"]}, {"a.2": "a reason"}), [])

    def test_a_rule_without_a_case(self):
        self._assert_complains("a.2 is cited by no case", ["a.1", "a.2"], {"one": ["a.1"]})

    def test_a_citation_of_nothing(self):
        self._assert_complains("one cites a.3", ["a.1"], {"one": ["a.1", "a.3"]})

    def test_a_case_that_cites_nothing(self):
        self._assert_complains("two cites no rule", ["a.1"], {"one": ["a.1"], "two": []})

    def test_an_exception_that_is_cited(self):
        self._assert_complains("a.1 is cited after all", ["a.1"], {"one": ["a.1"]},
                               {"a.1": "a reason"})

    def test_an_exception_that_is_no_rule(self):
        self._assert_complains("a.4 is an exception", ["a.1"], {"one": ["a.1"]},
                               {"a.4": "a reason"})

    def test_a_rule_defined_twice(self):
        self._assert_complains("a.1 is defined twice", ["a.1", "a.1"], {"one": ["a.1"]})

    def test_reads_labels_where_they_are_defined(self):
        text = "**[a.1]** One, as in [b.2].\n\n**[a.2]** *Two.*\n**[not a label]**\n"
        self.assertEqual(rules_cited.labels(text), ["a.1", "a.2"])

    def test_reads_citations_in_each_form(self):
        self.assertEqual(rules_cited.citations('rules: ["a.1", "b.2"]\n'), ["a.1", "b.2"])
        self.assertEqual(rules_cited.citations('rules: [\n  "a.1",\n  "b.2"\n]\n'), ["a.1", "b.2"])
        self.assertEqual(rules_cited.citations('rules: "a.1"\nrules: "b.2"\n'), ["a.1", "b.2"])
        self.assertEqual(rules_cited.citations('about: "no rules: [here]"\n'), [])


if __name__ == "__main__":
    unittest.main()
