#!/usr/bin/env python3
"""Tests: statements.py. Calls and assignments are found, wrapped once each, and nothing else is."""

import unittest

import statements


def found(text):
    return [text[start:stop] for start, stop in statements.statements_of(text)]


def body(*lines):
    return "void f() {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


class StatementsTest(unittest.TestCase):
    def test_calls_and_assignments_are_found(self):
        lines = ["g(1, {2, 3});", "a.b(x)->c = d ? e : f;", "++n;", "*p = 1;", "v[i].x += y;",
                 "TAGFLOW_RETURN_IF_ERROR(g(x));", "std::sort(v);"]
        self.assertEqual(found(body(*lines)), [line[:-1] for line in lines])

    def test_several_lines_are_one_statement(self):
        self.assertEqual(found(body("g(a,", "  h(b));")), ["g(a,\n    h(b))"])

    def test_what_cannot_be_left_out_is_not_found(self):
        self.assertEqual(found(body("int x = 1;", "const auto y = g();", "Type name(x);",
                                    "return g();", "if (x) g();", "Type other;", "// g();",
                                    "TAGFLOW_ASSIGN_OR_RETURN(int z, g());", "x = T{1};")), [])

    def test_a_statement_within_another_is_left(self):
        text = body("each(v, [&](int x) {", "  g(x);", "});")
        self.assertEqual(found(text), [text[text.index("each"):text.rindex(";")]])

    def test_statements_are_wrapped_and_told(self):
        sources = {"a.cc": "#include <x>\n" + body("g();", "TAGFLOW_RETURN_IF_ERROR(h());")}
        meanings = statements.instrument(sources)
        told = [(meaning["number"], meaning["line"], meaning["part"]) for meaning in meanings]
        self.assertEqual(told, [(0, 3, "g()"), (1, 4, "TAGFLOW_RETURN_IF_ERROR(h())")])
        wrapped = body("TagflowKeeps(0) ? static_cast<void>(g()) : static_cast<void>(0);",
                       "TAGFLOW_RETURN_IF_ERROR(TagflowKeeps(1) ? ::tagflow::Status(h()) : "
                       "::tagflow::Status());")
        self.assertEqual(sources["a.cc"], "#include <x>\n" + statements.DECLARATION + wrapped)


if __name__ == "__main__":
    unittest.main()
