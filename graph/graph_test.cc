#include "graph/graph.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(GraphTest, NodesKeepTheirIds) {
  Graph graph(TestOps());
  const NodeId a = *graph.AddNode("a", "Const");
  const NodeId b = *graph.AddNode("b", "Neg");
  const NodeId c = *graph.AddNode("c", "Mystery");
  EXPECT_EQ(graph.node(b).def, TestOps().Find("Neg"));
  EXPECT_EQ(graph.node(c).def, nullptr);
  graph.RemoveNode(b);
  EXPECT_EQ(graph.NodeIds(), (std::vector<NodeId>{a, c}));
  EXPECT_EQ(graph.num_nodes(), 2u);
  EXPECT_EQ(graph.id_limit(), 3u);
  EXPECT_TRUE(graph.node(b).removed());
  EXPECT_EQ(graph.Find("b"), NodeId::kNone);
  const NodeId again = *graph.AddNode("b", "Neg");
  EXPECT_NE(again, b);
  EXPECT_EQ(graph.Find("b"), again);
  EXPECT_EQ(graph.Find("c"), c);
}

TEST(GraphTest, NamesAreCheckedAndDiffer) {
  Graph graph(TestOps());
  for (const char* good : {"a", "A.b/c_d-e>f\\g", "0", ".x", "_sent"}) {
    EXPECT_TRUE(graph.AddNode(good, "Const").ok()) << good;
  }
  for (const char* bad : {"", "a b", "a:0", "^a", "/a", "-a", "a\n", "\xc3\xa9", ">a"}) {
    EXPECT_EQ(graph.AddNode(bad, "Const").status().code(), Code::kInvalidArgument) << bad;
  }
  EXPECT_EQ(graph.AddNode("a", "Const").status().code(), Code::kAlreadyExists);
}

TEST(GraphTest, UniqueNames) {
  Graph graph(TestOps());
  EXPECT_EQ(graph.UniqueName("x"), "x");
  ASSERT_TRUE(graph.AddNode("x", "Const").ok());
  ASSERT_TRUE(graph.AddNode("x_1", "Const").ok());
  EXPECT_EQ(graph.UniqueName("x"), "x_2");
}

TEST(GraphTest, ACloneIsIndependent) {
  TestGraph g("a = Const() k=1");
  const Graph& original = g.graph();
  Graph copy = original.Clone();
  copy.SetAttr(g.id("a"), "k", 2);
  ASSERT_TRUE(copy.AddNode("b", "Const").ok());
  EXPECT_EQ(*IntAttr(original.node(g.id("a")), "k"), 1);
  EXPECT_EQ(*IntAttr(copy.node(g.id("a")), "k"), 2);
  EXPECT_EQ(original.Find("b"), NodeId::kNone);
  EXPECT_EQ(copy.Find("a"), g.id("a"));
}

TEST(AttrTest, SetReadAndDefault) {
  TestGraph g("e = Enter(e) frame_name=f");
  const Node& e = g.node("e");
  EXPECT_EQ(*StringAttr(e, "frame_name"), "f");
  EXPECT_EQ(*IntAttr(e, "parallel_iterations"), 10);  // the op's default
  EXPECT_EQ(*BoolAttr(e, "is_constant"), false);
  EXPECT_EQ(*TypeAttr(e, "T"), DType::kFloat);
  EXPECT_EQ(FindAttr(e, "nothing"), nullptr);
  g.mutable_graph().SetAttr(g.id("e"), "frame_name", "g");
  EXPECT_EQ(*StringAttr(e, "frame_name"), "g");
}

TEST(AttrTest, ErrorsNameNodeOpAndAttr) {
  const TestGraph g("e = Enter(e) frame_name=3");
  const Status missing = IntAttr(g.node("e"), "swap").status();
  EXPECT_CONTAINS(missing.message(), "node 'e' (op Enter) lacks the attr 'swap'");
  const Status wrong = StringAttr(g.node("e"), "frame_name").status();
  EXPECT_CONTAINS(wrong.message(), "'frame_name' = 3, which is not a string");
  EXPECT_EQ(wrong.node(), "e");
}

TEST(AttrTest, AttrsStaySortedByName) {
  TestGraph g("a = Const()");
  for (const char* name : {"zebra", "apple", "mango"}) {
    g.mutable_graph().SetAttr(g.id("a"), name, 1);
  }
  const AttrMap& attrs = g.node("a").attrs;
  for (size_t i = 1; i < attrs.size(); ++i) EXPECT_LT(attrs[i - 1].first, attrs[i].first);
  for (const char* name : {"zebra", "apple", "mango"})
    EXPECT_NE(FindAttr(g.node("a"), name), nullptr);
}

TEST(TensorNameTest, Forms) {
  EXPECT_EQ(ParseTensorName("a/b")->node, "a/b");
  EXPECT_EQ(ParseTensorName("a/b")->index, 0);
  EXPECT_EQ(ParseTensorName("a:12")->index, 12);
  EXPECT_EQ(ParseTensorName("^a")->index, TensorName::kControl);
  EXPECT_EQ(ParseTensorName("^a")->node, "a");
  for (const char* bad : {"a:", "a:-1", "a:1x", "a: 1", ":1", "", "^", "a:2147483648"}) {
    EXPECT_FALSE(ParseTensorName(bad).ok()) << bad;
  }
}

TEST(TensorNameTest, OutputNames) {
  const TestGraph g("a = Const()");
  EXPECT_EQ(OutputName(g.graph(), {g.id("a"), 0}), "a");
  EXPECT_EQ(OutputName(g.graph(), {g.id("a"), 3}), "a:3");
}

}  // namespace
}  // namespace tagflow
