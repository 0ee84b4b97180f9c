#include "graph/io/export.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/io/random_graph_def.h"

namespace tagflow {
namespace {

using ::testing::HasSubstr;

TEST(Export, RandomGraphsSurviveTheWayThroughTheNativeGraph) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const GraphDef def = RandomGraphDef(seed);
    Result<Graph> graph = ImportGraph(def);
    ASSERT_TRUE(graph.ok()) << "seed " << seed << ": " << graph.status().ToString();
    Result<std::string> bytes = ExportGraphToBytes(*graph);
    ASSERT_TRUE(bytes.ok()) << "seed " << seed << ": " << bytes.status().ToString();
    GraphDef back;
    ASSERT_TRUE(back.ParseFromString(*bytes));
    EXPECT_EQ(ToText(back), ToText(def)) << "seed " << seed;
    EXPECT_EQ(*bytes, SerializeDeterministic(def)) << "seed " << seed;
  }
}

TEST(Export, TextGivesTheSameGraph) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    const Result<Graph> graph = ImportGraph(RandomGraphDef(seed));
    ASSERT_TRUE(graph.ok());
    const Result<std::string> text = ExportGraphToText(*graph);
    ASSERT_TRUE(text.ok());
    const Result<Graph> back = ImportGraphFromBytes(*text);
    ASSERT_TRUE(back.ok()) << back.status().ToString() << "\n" << *text;
    EXPECT_EQ(*ExportGraphToText(*back), *text) << "seed " << seed;
  }
}

TEST(Export, AnyOrderOfNodesIsTheSameGraph) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    GraphDef def = RandomGraphDef(seed);
    const Graph graph = *ImportGraph(def);
    std::reverse(def.mutable_node()->begin(), def.mutable_node()->end());
    const Graph reversed = *ImportGraph(def);
    ASSERT_EQ(graph.num_nodes(), reversed.num_nodes());
    for (NodeId id : graph.NodeIds()) {
      const Node& a = graph.node(id);
      const Node& b = reversed.node(reversed.Find(a.name));
      EXPECT_EQ(a.attrs, b.attrs);
      ASSERT_EQ(a.inputs.size(), b.inputs.size());
      for (size_t i = 0; i < a.inputs.size(); ++i) {
        EXPECT_EQ(OutputName(graph, a.inputs[i]), OutputName(reversed, b.inputs[i]));
      }
    }
  }
}

TEST(Export, UnknownFieldsComeBack) {
  GraphDef def;
  def.add_node()->set_name("x");
  def.mutable_node(0)->set_op("F");
  def.mutable_node(0)->mutable_experimental_type()->set_type_id(TFT_TENSOR);
  def.mutable_node(0)->mutable_experimental_debug_info()->add_original_node_names("y");
  (*def.mutable_node(0)->mutable_attr())["a"];
  def.mutable_debug_info()->add_files("f.py");
  def.mutable_library()->add_gradient()->set_function_name("f");
  def.mutable_library()->mutable_gradient(0)->set_gradient_func("g");
  def.set_version(7);
  auto add_unknown = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(1000, 5);
  };
  add_unknown(&def);
  add_unknown(def.mutable_node(0));
  add_unknown(def.mutable_versions());
  add_unknown(def.mutable_library());
  add_unknown(&(*def.mutable_node(0)->mutable_attr())["a"]);
  const Result<Graph> graph = ImportGraph(def);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(*ExportGraphToBytes(*graph), SerializeDeterministic(def));
}

TEST(Export, OutputZeroHasTheShortName) {
  GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "node { name: 'x' op: 'F' } node { name: 'y' op: 'G' input: 'x:0' input: 'x:1' }", &def));
  const GraphDef back = *ExportGraph(*ImportGraph(def));
  EXPECT_EQ(back.node(1).input(0), "x");
  EXPECT_EQ(back.node(1).input(1), "x:1");
}

TEST(Export, RemovedNodesLeaveNoTrace) {
  Graph graph;
  const NodeId gone = *graph.AddNode("gone", "F");
  (void)*graph.AddNode("stays", "F");
  graph.RemoveNode(gone);
  const GraphDef def = *ExportGraph(graph);
  ASSERT_EQ(def.node_size(), 1);
  EXPECT_EQ(def.node(0).name(), "stays");
}

TEST(Export, WhatHasNoWireFormIsAnErrorThatNamesIt) {
  Graph graph;
  const NodeId id = *graph.AddNode("x", "F");
  graph.SetAttr(id, "a", OpaqueAttr{"\xff"});
  const Status status = ExportGraph(graph).status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("node 'x', attr 'a'"));
}

}  // namespace
}  // namespace tagflow
