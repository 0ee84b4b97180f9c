#!/usr/bin/env python3
"""Each rule of the house style sees the breach it is for, and lets good files pass."""

import unittest

import tidy_rules

_GUARDED = "#ifndef TAGFLOW_A_B_H_\n#define TAGFLOW_A_B_H_\n{}#endif  // TAGFLOW_A_B_H_\n"


def _breaches(rule, path, text):
    return len(list(rule(path, text)))


def _tree_breaches(rule, tree):
    return [path for path, _ in rule(sorted(tree), tree.get)]


class FileRulesTest(unittest.TestCase):

    def test_lines(self):
        self.assertEqual(_breaches(tidy_rules.lines, "a.cc", "x\n" * 600), 0)
        self.assertEqual(_breaches(tidy_rules.lines, "a.cc", "x\n" * 601), 1)
        self.assertEqual(_breaches(tidy_rules.lines, "a.h", "x\n" * 301), 1)
        self.assertEqual(_breaches(tidy_rules.lines, "a.md", "x\n" * 2000), 0)

    def test_guard(self):
        self.assertEqual(_breaches(tidy_rules.guard, "a/b.h", _GUARDED.format("")), 0)
        self.assertEqual(_breaches(tidy_rules.guard, "a/b.h", "// Why.\n\n" + _GUARDED), 0)
        self.assertEqual(_breaches(tidy_rules.guard, "a/c.h", _GUARDED.format("")), 1)
        self.assertEqual(_breaches(tidy_rules.guard, "a/b.h", "#pragma once\n"), 1)

    def test_whitespace(self):
        self.assertEqual(_breaches(tidy_rules.whitespace, "a.cc", "int a;\n\nint b;\n"), 0)
        for text in ("int\ta;\n", "int a; \n", "int a;\r\n", "int a;", "int a;\n\n"):
            self.assertEqual(_breaches(tidy_rules.whitespace, "a.cc", text), 1, repr(text))

    def test_unfinished(self):
        self.assertEqual(_breaches(tidy_rules.unfinished, "a.cc", "// All done.\n"), 0)
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "for " + "now"):
            self.assertEqual(_breaches(tidy_rules.unfinished, "a.cc", f"// {word}: it\n"), 1, word)

    def test_machine_path(self):
        fine = "see ../work/a, https://x.org/home/a, /usr/local/cuda, a/root/b, $X/tmp/a\n"
        self.assertEqual(_breaches(tidy_rules.machine_path, "a.md", fine), 0)
        for folder in ("work", "root", "tmp", "home"):
            text = f"open('/{folder}/me')\n"
            self.assertEqual(_breaches(tidy_rules.machine_path, "a.py", text), 1, text)

    def test_function_length(self):
        body = "  f();\n" * 58
        short = "namespace n {\nint F(int a) {\n" + body + "}\n}  // namespace n\n"
        long = "void C::G(\n    int a) {\n" + body + "}\n"
        self.assertEqual(_breaches(tidy_rules.function_length, "a.cc", short), 0)
        self.assertEqual(list(tidy_rules.function_length("a.cc", long)),
                         [("a.cc:1", "C::G has 61 lines (at most 60)")])
        self.assertEqual(_breaches(tidy_rules.function_length, "a.py", "def f():\n" + body), 0)
        self.assertEqual(
            _breaches(tidy_rules.function_length, "a.py", "def f():\n" + body + "  g()\n" * 2), 1)
        table = "const Op kOps[] = {\n" + "    {F(1)},\n" * 100 + "};\n"
        self.assertEqual(_breaches(tidy_rules.function_length, "a.cc", table), 0)


    def test_function_length_in_a_class(self):
        body = "    f();\n" * 58
        text = "class C : public B {\n public:\n  int F(int a) override {\n" + body + "  }\n};\n"
        self.assertEqual(_breaches(tidy_rules.function_length, "a.cc", text), 0)
        long = text.replace("    f();\n", "    f();\n    g();\n    h();\n", 1)
        self.assertEqual(list(tidy_rules.function_length("a.cc", long)),
                         [("a.cc:3", "F has 62 lines (at most 60)")])
        calls = "struct S {\n" + "  void f(int a);\n" * 100 + "};\n"
        self.assertEqual(_breaches(tidy_rules.function_length, "a.h", calls), 0)

    def test_class_length(self):
        short = "class C final : public B<int> {\n" + "  int a;\n" * 298 + "};\n"
        self.assertEqual(_breaches(tidy_rules.class_length, "a.cc", short), 0)
        long = short.replace("  int a;\n", "  int a;\n\n", 1)
        self.assertEqual(list(tidy_rules.class_length("a.cc", long)),
                         [("a.cc:1", "C has 301 lines (at most 300)")])
        inner = "class Outer {\n" + long.replace("class C", "  struct C").replace("};", "  };") + "};\n"
        self.assertEqual(_breaches(tidy_rules.class_length, "a.cc", inner), 2)

    def test_drawn_numbers(self):
        named = ("choices.Between(kFew); Below(items.size()); Between(0, (n + 1) / m);\n"
                 "Between(1, count - 1); Weighted(kShapes2); Chance(kSeldom);\n")
        self.assertEqual(_breaches(tidy_rules.drawn_numbers, "fuzz/a/b.cc", named), 0)
        for draw in ("Below(4)", "Between(0, 1)", "Between(2, n)", "Below(std::min(n, 4u))",
                     "Weighted({3, 1})", "Between(f(x),\n 0x10)", "Below(n * 2)"):
            self.assertEqual(_breaches(tidy_rules.drawn_numbers, "fuzz/a/b.cc", draw), 1, draw)
            self.assertEqual(_breaches(tidy_rules.drawn_numbers, "graph/b.cc", draw), 0, draw)
            self.assertEqual(_breaches(tidy_rules.drawn_numbers, "fuzz/a/b_test.cc", draw), 0, draw)

    def test_error_words(self):
        told = 'if (status.message().find("dead") != npos) return;\n'
        self.assertEqual(_breaches(tidy_rules.error_words, "a.cc", told), 1)
        self.assertEqual(_breaches(tidy_rules.error_words, "a_test.cc", told), 0)
        self.assertEqual(_breaches(tidy_rules.error_words, "a.cc", "text += status.message();"), 0)


class TreeRulesTest(unittest.TestCase):

    def test_built(self):
        tree = {
            "BUILD": "",
            "a/BUILD": 'cc_library(name = "a", srcs = glob(["*.cc"], exclude = ["o.cc"]), '
                       'hdrs = ["a.h", "sub/b.h"])',
            "a/a.cc": "", "a/a.h": "", "a/sub/b.h": "", "a/o.cc": "", "a/sub/c.cc": "", "d.py": "",
        }
        self.assertEqual(_tree_breaches(tidy_rules.built, tree), ["a/o.cc", "a/sub/c.cc", "d.py"])

    def test_built_knows_targets_of_comprehensions(self):
        tree = {
            "a/BUILD": '[cc_test(name = t[:-3], srcs = [t]) for t in glob(["*_test.cc"])]',
            "a/x_test.cc": "", "a/y.cc": "",
        }
        self.assertEqual(_tree_breaches(tidy_rules.built, tree), ["a/y.cc"])

    def test_tested(self):
        tree = {
            "a/named.cc": "", "a/named_test.cc": "", "a/seen.cc": "", "a/bare.cc": "",
            "a/all_test.cc": '// Tests: one.cc,\n//        two.cc\n#include "a/seen.h"\n',
            "a/one.cc": "", "a/two.cc": "", "a/main.cc": "int main() { return 0; }\n",
            "a/kernels.cc": "Status RegisterMathKernels(KernelRegistry& registry) {\n",
            "a/part.cc": "// A part. Tested by b/math.ops.\n", "b/math.ops": "",
        }
        self.assertEqual(_tree_breaches(tidy_rules.tested, tree), ["a/bare.cc"])

    def test_cited_tests(self):
        tree = {"a/x_test.cc": "", "b/y_test.py": "", "b/z.ops": "",
                "a/a.h": "// Tested by x_test.cc.\n// b/y_test.py y_test.py a/x_test.cc b/z.ops\n"}
        self.assertEqual(_tree_breaches(tidy_rules.cited_tests, tree), [])
        for gone in ("z_test.cc", "b/x_test.cc", "x_test.py", "b/x.ops"):
            tree["a/a.h"] = f"// See {gone}.\n"
            self.assertEqual(_tree_breaches(tidy_rules.cited_tests, tree), ["a/a.h:1"], gone)

    def test_cited_labels(self):
        tree = {"docs/semantics.md": "**[merge.1]** **[loop_x.2]**\n",
                "a.cc": "int a = b[c.d];  // Spec: [merge.1], [merge.*] [loop_x.2] f[0]\n"}
        self.assertEqual(_tree_breaches(tidy_rules.cited_labels, tree), [])
        for gone in ("[merge.2]", "[fire.*]"):
            tree["a.cc"] = f"f();  // {gone}\n"
            self.assertEqual(_tree_breaches(tidy_rules.cited_labels, tree), ["a.cc:1"], gone)

    def test_links(self):
        page = "[a](docs/b.md) [c](docs/b.md#two-words) [d](https://x.org) `[no](no)` [e](#here)\n"
        tree = {"README.md": page + "# Here\n", "docs/b.md": "## Two words\n[up](../README.md)\n"}
        self.assertEqual(_tree_breaches(tidy_rules.links, tree), [])
        for broken in ("[a](docs/c.md)", "[a](docs/b.md#three)", "[a](#gone)"):
            tree["README.md"] = broken + "\n"
            self.assertEqual(_tree_breaches(tidy_rules.links, tree), ["README.md"], broken)


class JudgeTest(unittest.TestCase):

    def test_the_list_excuses_and_only_shrinks(self):
        breach = ("lines", "a.cc:7", "long")
        self.assertEqual(len(tidy_rules.judge([breach], "")), 1)
        self.assertEqual(tidy_rules.judge([breach], "# why\nlines a.cc\n"), [])
        self.assertEqual(len(tidy_rules.judge([breach], "guard a.cc\n")), 2)
        self.assertEqual(len(tidy_rules.judge([], "lines a.cc\n")), 1)

    def test_every_rule_is_asked(self):
        tree = {"a.cc": "int a;\t\n"}
        rules = {rule for rule, _, _ in tidy_rules.broken(sorted(tree), tree.get)}
        self.assertEqual(rules, {"whitespace", "built", "tested"})


if __name__ == "__main__":
    unittest.main()
