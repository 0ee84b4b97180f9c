#!/usr/bin/env python3
"""Tests: mutate.py and its modules. Places are found, wrapped once each, and nothing else is."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import conditions
import judging
import mutate
import pairs
import planting
import statements


def texts(kind, text):
    return [text[start:stop] for start, stop in kind.spans_of(text)]


def body(*lines):
    return "void f() {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


class ConditionsTest(unittest.TestCase):
    def test_conditions_are_taken_apart(self):
        self.assertEqual(texts(conditions, "if (a && (b || c)) f();"), ["a", "(b || c)"])
        self.assertEqual(texts(conditions, "while (!x.ok() ||\n  y < 3) {}"), ["!x.ok()", "y < 3"])
        self.assertEqual(texts(conditions, "return a == b && c;"), ["a == b", "c"])

    def test_what_is_no_condition_is_left(self):
        for text in ["if constexpr (kOne) f();", "if (int x = f()) g();",
                     "if (auto x = f(); x && y) g();", "return a;", "return a ? b && c : d;",
                     '// if (a && b)\nf("if (c)");']:
            self.assertEqual(texts(conditions, text), [], text)

    def test_brackets_in_texts_do_not_count(self):
        self.assertEqual(texts(conditions, "if (c == ')' && d == \")\") f();"),
                         ["c == ')'", 'd == ")"'])

    def test_a_condition_within_a_part_is_left(self):
        text = "if (any_of(v, [](int x) { return x > 0 && x < 9; })) f();"
        self.assertEqual(texts(conditions, text), ["any_of(v, [](int x) { return x > 0 && x < 9; })"])


class StatementsTest(unittest.TestCase):
    def test_calls_and_assignments_are_found(self):
        lines = ["g(1, {2, 3});", "a.b(x)->c = d ? e : f;", "++n;", "*p = 1;", "v[i].x += y;",
                 "TAGFLOW_RETURN_IF_ERROR(g(x));", "std::sort(v);"]
        self.assertEqual(texts(statements, body(*lines)), [line[:-1] for line in lines])

    def test_several_lines_are_one_statement(self):
        self.assertEqual(texts(statements, body("g(a,", "  h(b));")), ["g(a,\n    h(b))"])

    def test_what_cannot_be_left_out_is_not_found(self):
        text = body("int x = 1;", "const auto y = g();", "Type name(x);", "return g();", "if (x) g();",
                    "Type other;", "// g();", "TAGFLOW_ASSIGN_OR_RETURN(int z, g());", "x = T{1};")
        self.assertEqual(texts(statements, text), [])

    def test_a_statement_within_another_is_left(self):
        text = body("each(v, [&](int x) {", "  g(x);", "});")
        self.assertEqual(texts(statements, text), [text[text.index("each"):text.rindex(";")]])


class PlantingTest(unittest.TestCase):
    def test_parts_of_conditions_are_wrapped_and_told(self):
        sources = {"a.cc": "#include <x>\n\nvoid f() {\n  if (a && b) g();\n}\n"}
        places = planting.plant(sources, conditions)
        self.assertEqual([(place.number, place.where(), place.text) for place in places],
                         [(0, "a.cc:4", "a"), (1, "a.cc:4", "b")])
        wrapped = ("  if (TagflowPart(0, static_cast<bool>(a)) && "
                   "TagflowPart(1, static_cast<bool>(b))) g();\n")
        self.assertEqual(sources["a.cc"], "#include <x>\n" + planting.DECLARATION +
                         "\nvoid f() {\n" + wrapped + "}\n")
        self.assertEqual(places[1].switch(0), {"TAGFLOW_MUTANT": "2"})

    def test_statements_are_wrapped_and_numbered_through_all_files(self):
        sources = {"b.cc": body("TAGFLOW_RETURN_IF_ERROR(h());"), "a.cc": body("g();")}
        places = planting.plant(sources, statements)
        self.assertEqual([place.where() for place in places], ["a.cc:2", "b.cc:2"])
        self.assertIn("  TagflowKeeps(0) ? static_cast<void>(g()) : static_cast<void>(0);\n",
                      sources["a.cc"])
        self.assertIn("TAGFLOW_RETURN_IF_ERROR(TagflowKeeps(1) ? ::tagflow::Status(h()) : "
                      "::tagflow::Status());", sources["b.cc"])

    def test_a_file_without_places_is_left(self):
        sources = {"a.cc": "int x;\n"}
        self.assertEqual(planting.plant(sources, conditions), [])
        self.assertEqual(sources, {"a.cc": "int x;\n"})


class SampleTest(unittest.TestCase):
    def test_a_place_elsewhere_changes_nothing_that_is_drawn(self):
        sources = {"m.cc": body("if (m && n) g();")}
        more = dict(sources, **{"a.cc": body("if (other) g();")})
        before = mutate.drawn(planting.plant(sources, conditions), 4, 1)
        after = mutate.drawn(planting.plant(more, conditions), 6, 1)
        told = [[(place.where(), place.text, side) for place, side in mutants
                 if place.file == "m.cc"] for mutants in (before, after)]
        self.assertEqual(told[0], told[1])
        self.assertEqual(len(before), 4)

    def test_a_sample_is_of_the_property_that_failed(self):
        said = "gradient fails, program 3042 of seed 1: Prod, order 1"
        sample = judging.SAMPLE.search(said)
        self.assertEqual(sample.groupdict(), {"property": "gradient", "index": "3042", "seed": "1"})


# What a fuzzer prints that fails at program 7 whatever is planted, and at 9 where something is; a
# sample that is run alone holds.
FUZZER = """#!/bin/sh
case " $* " in *" --index "*) exit 0;; esac
echo "equal fails, program 7 of seed 1: a race"
[ -z "$TAGFLOW_MUTANT" ] || [ "$TAGFLOW_MUTANT" = none ] || echo "equal fails, program 9 of seed 1: x"
exit 1
"""


class JudgingTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.fuzzer = pathlib.Path(folder, "fuzzer")
        self.fuzzer.write_text(FUZZER, encoding="utf-8")
        self.fuzzer.chmod(0o755)

    def test_a_sample_that_fails_anyway_counts_for_no_mutant(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            known = judging.failing_without(self.fuzzer, [], 1, 1)
        self.assertIn("fails without a mutant, and does not count\tequal fails, program 7",
                      out.getvalue())
        self.assertEqual(known, {("equal", "7", "1")})
        found, _, _ = judging.fuzz(self.fuzzer, [], {"TAGFLOW_MUTANT": "none"}, 1, 1, known)
        self.assertFalse(found)
        found, _, said = judging.fuzz(self.fuzzer, [], {"TAGFLOW_MUTANT": "3"}, 1, 1, known)
        self.assertTrue(found)
        self.assertIn("program 9", said)

    def test_tests_find_a_mutant_where_they_pass_without(self):
        copy = self.fuzzer.parent
        folder = copy / "bazel-bin" / "some"
        folder.mkdir(parents=True)
        for name, text in {"a_test": "exit 1", "b_test": '[ "$TAGFLOW_MUTANT" != 3 ]'}.items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            tests = judging.tests_in(copy, ["some"])
        self.assertIn("does not count\ta_test", out.getvalue())
        self.assertEqual(tests, [folder / "b_test"])
        self.assertEqual(judging.failing_test(tests, {"TAGFLOW_MUTANT": "3"}), folder / "b_test")
        self.assertIsNone(judging.failing_test(tests, {"TAGFLOW_MUTANT": "4"}))


class PairsTest(unittest.TestCase):
    def test_only_what_is_the_same_in_both_is_planted(self):
        texts_of = {"old": {"a.cc": "1", "b.cc": "2", "gone.cc": "3"},
                    "new": {"a.cc": "1", "b.cc": "4", "more.cc": "3"}}
        pairs.listed = lambda revision, folders: texts_of[revision]
        self.assertEqual(pairs.same_files(["old", "new"], []), {"a.cc"})

    def test_a_place_counts_where_both_revisions_were_on_both_sides(self):
        notes = {"old": bytes([3, 3, 1]), "new": bytes([3, 2, 3])}
        pairs.judging.notes_after = lambda program, seconds, jobs: notes[program]
        places = [planting.Place(i, "conditions", "graph/a.cc", i, "x") for i in range(3)]
        reached = pairs.reached_by_both(["old", "new"], places, 1)
        self.assertEqual([place.number for place in reached], [0])


if __name__ == "__main__":
    unittest.main()
