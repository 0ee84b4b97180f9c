#!/usr/bin/env python3
"""Tests: conditions.py. Parts of conditions are found, wrapped once each, and nothing else is."""

import unittest

import conditions


def parts(text):
    return [text[start:stop] for start, stop in conditions.parts_of(text)]


class ConditionsTest(unittest.TestCase):
    def test_conditions_are_taken_apart(self):
        self.assertEqual(parts("if (a && (b || c)) f();"), ["a", "(b || c)"])
        self.assertEqual(parts("while (!x.ok() ||\n  y < 3) {}"), ["!x.ok()", "y < 3"])
        self.assertEqual(parts("return a == b && c;"), ["a == b", "c"])

    def test_what_is_no_condition_is_left(self):
        self.assertEqual(parts("if constexpr (kOne) f();"), [])
        self.assertEqual(parts("if (int x = f()) g();"), [])
        self.assertEqual(parts("if (auto x = f(); x && y) g();"), [])
        self.assertEqual(parts("return a;"), [])
        self.assertEqual(parts("return a ? b && c : d;"), [])
        self.assertEqual(parts('// if (a && b)\nf("if (c)");'), [])

    def test_brackets_in_texts_do_not_count(self):
        self.assertEqual(parts("if (c == ')' && d == \")\") f();"), ["c == ')'", 'd == ")"'])

    def test_a_condition_within_a_part_is_left(self):
        text = "if (any_of(v, [](int x) { return x > 0 && x < 9; })) f();"
        self.assertEqual(parts(text), ["any_of(v, [](int x) { return x > 0 && x < 9; })"])

    def test_parts_are_wrapped_and_told(self):
        sources = {"a.cc": "#include <x>\n\nvoid f() {\n  if (a && b) g();\n}\n"}
        meanings = conditions.instrument(sources)
        told = [(meaning["number"], meaning["line"], meaning["part"]) for meaning in meanings]
        self.assertEqual(told, [(0, 4, "a"), (1, 4, "b")])
        wrapped = ("  if (TagflowPart(0, static_cast<bool>(a)) && "
                   "TagflowPart(1, static_cast<bool>(b))) g();\n")
        self.assertEqual(sources["a.cc"], "#include <x>\n" + conditions.DECLARATION +
                         "\nvoid f() {\n" + wrapped + "}\n")


if __name__ == "__main__":
    unittest.main()
