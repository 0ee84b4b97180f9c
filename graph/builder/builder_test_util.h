#ifndef TAGFLOW_GRAPH_BUILDER_BUILDER_TEST_UTIL_H_
#define TAGFLOW_GRAPH_BUILDER_BUILDER_TEST_UTIL_H_

// What the builder's structural tests say about a graph.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "graph/validate.h"

namespace tagflow {

// The graph, which must be free of errors: of the builder's and the validator's.
inline Graph Finished(const Scope& scope) {
  Result<Graph> graph = scope.Finish();
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  if (!graph.ok()) return Graph();
  for (const Status& error : ValidateGraph(*graph)) ADD_FAILURE() << error.ToString();
  return *std::move(graph);
}

// "Op(input, input:1, ^control)", by name of the node; "" when there is none.
inline std::string Line(const Graph& graph, std::string_view name) {
  const NodeId id = graph.Find(name);
  if (id == NodeId::kNone) return "";
  const Node& node = graph.node(id);
  std::string args;
  auto add = [&args](const std::string& arg) { args += (args.empty() ? "" : ", ") + arg; };
  for (const OutputRef input : node.inputs) add(OutputName(graph, input));
  for (const NodeId control : node.control_inputs) add("^" + graph.node(control).name);
  return node.op + "(" + args + ")";
}

inline int CountOps(const Graph& graph, std::string_view op) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return static_cast<int>(
      std::count_if(ids.begin(), ids.end(), [&](NodeId id) { return graph.node(id).op == op; }));
}

inline std::vector<std::string> NodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.NodeIds()) names.push_back(graph.node(id).name);
  return names;
}

// That building has failed with `code` and a message that holds every one of `parts`.
inline void ExpectError(const Scope& scope, Code code, const std::vector<std::string>& parts) {
  const Result<Graph> graph = scope.Finish();
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), code) << graph.status().ToString();
  for (const std::string& part : parts) {
    EXPECT_THAT(graph.status().message(), testing::HasSubstr(part));
  }
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_BUILDER_TEST_UTIL_H_
