#!/usr/bin/env python3
"""Each layering rule sees the breach it is for, and lets good trees pass."""

import unittest

import build_files
import layering_rules


def _targets(tree):
    return build_files.read_targets(sorted(tree), tree.get)


def _includes(tree):
    return list(layering_rules.includes(sorted(tree), tree.get))


class IncludesTest(unittest.TestCase):

    def test_downward_includes_pass(self):
        self.assertEqual(_includes({
            "reference/a.cc": '#include "graph/b.h"\n#include <vector>\n#include "reference/a.h"\n',
            "cli/main.cc": '#include "reference/a.h"\n#include "optimized/b.h"\n',
        }), [])

    def test_engines_do_not_see_each_other(self):
        self.assertEqual(len(_includes({"reference/a.cc": '#include "optimized/b.h"\n'})), 1)
        self.assertEqual(len(_includes({"optimized/k/a.cu": '#  include "reference/b.h"\n'})), 1)

    def test_the_reference_does_not_see_transform(self):
        self.assertEqual(len(_includes({"reference/a.h": '#include "transform/b.h"\n'})), 1)

    def test_graph_sees_nothing_above(self):
        self.assertEqual(len(_includes({"graph/a_test.cc": '#include "reference/b.h"\n'})), 1)

    def test_only_graph_io_sees_generated_headers(self):
        header = '#include "graph/io/graph.pb.h"\n'
        self.assertEqual(_includes({"graph/io/import.cc": header}), [])
        self.assertEqual(len(_includes({"graph/a.cc": header})), 1)
        self.assertEqual(len(_includes({"reference/a.cc": header})), 1)
        self.assertEqual(len(_includes({"graph/a.h": "#include <google/protobuf/any.h>\n"})), 1)


class DependenciesTest(unittest.TestCase):

    def _count(self, tree):
        return len(list(layering_rules.dependencies(_targets(tree))))

    def test_downward_dependencies_pass(self):
        self.assertEqual(self._count({
            "graph/BUILD": 'cc_library(name = "graph")',
            "reference/BUILD": 'cc_library(name = "r", deps = [":s", "//graph", "@system//:x"])',
        }), 0)

    def test_engines_do_not_depend_on_each_other(self):
        self.assertEqual(self._count({
            "reference/BUILD": 'cc_library(name = "r", deps = ["//optimized/kernels"])',
            "optimized/BUILD": 'cuda_library(name = "o", deps = ["//reference:r"])',
        }), 2)

    def test_a_test_is_held_to_it_too(self):
        self.assertEqual(self._count({
            "graph/BUILD": '[cc_test(name = n, deps = ["//reference"]) for n in ["a", "b"]]',
        }), 2)

    def test_only_graph_io_depends_on_protos(self):
        wire = {"graph/io/BUILD": 'cc_proto_library(name = "wire")\n'
                                  'cc_library(name = "io", deps = [":wire"])'}
        self.assertEqual(self._count(wire), 0)
        user = {"reference/BUILD": 'cc_library(name = "r", deps = ["//graph/io:wire"])'}
        self.assertEqual(self._count({**wire, **user}), 1)
        library = {"graph/BUILD": 'cc_library(name = "g", deps = '
                                  '["@com_google_protobuf//:protobuf"])'}
        self.assertEqual(self._count(library), 1)


class ReachedTest(unittest.TestCase):

    def _count(self, layer, *labels):
        return len(list(layering_rules.reached(layer, labels)))

    def test_own_and_lower_layers_pass(self):
        self.assertEqual(self._count("reference", "//reference:r", "//graph:graph", ""), 0)

    def test_the_other_engine_is_a_breach(self):
        self.assertEqual(self._count("reference", "//reference:r", "//optimized/plan:plan"), 1)
        self.assertEqual(self._count("optimized", "//optimized:o", "//reference:r"), 1)

    def test_protobuf_is_a_breach(self):
        protobuf = "@com_google_protobuf//:protobuf"
        self.assertEqual(self._count("reference", "//reference:r", protobuf), 1)

    def test_what_the_compiler_has_read_is_none(self):
        precompiled = "//tools/precompiled:standard"
        self.assertEqual(self._count("reference", "//reference:r", precompiled), 0)
        self.assertEqual(self._count("reference", "//reference:r", "//tools:other"), 1)

    def test_an_empty_answer_is_a_breach(self):
        self.assertEqual(self._count("graph"), 1)

    def test_a_layer_without_a_query_is_a_breach(self):
        targets = _targets({"optimized/plan/BUILD": 'cc_library(name = "plan")'})
        self.assertEqual(len(list(layering_rules.unasked(targets, ["graph"]))), 1)
        self.assertEqual(len(list(layering_rules.unasked(targets, ["optimized"]))), 0)


if __name__ == "__main__":
    unittest.main()
