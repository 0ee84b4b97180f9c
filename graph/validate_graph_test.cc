#include <gtest/gtest.h>

#include <algorithm>

#include "graph/test_graph.h"
#include "graph/validate.h"

namespace tagflow {
namespace {

std::string Problems(const TestGraph& g) {
  std::string text;
  for (const Status& problem : ValidateGraph(g.graph())) text += problem.ToString() + "\n";
  return text;
}

std::string Notes(const TestGraph& g) {
  std::string text;
  for (const std::string& note : GraphNotes(g.graph())) text += note + "\n";
  return text;
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

constexpr std::string_view kLoop = R"(
  x    = Placeholder()
  e    = Enter(x) frame_name=loop
  m    = Merge(e, n)
  less = Less(m, m)
  cond = LoopCond(less)
  s    = Switch(m, cond)
  n    = NextIteration(s:1)
  out  = Exit(s)
)";

TEST(ValidateGraphTest, NothingIsWrongWithALoop) { EXPECT_EQ(Problems(TestGraph(kLoop)), ""); }

TEST(ValidateGraphTest, ReportsEveryBadNode) {
  const TestGraph g(R"(
    a = Mystery()
    b = Neg(a)
    c = Add(b)
    d = Riddle()
    e = Neg(b:4)
  )");
  const std::string problems = Problems(g);
  EXPECT_CONTAINS(problems, "'Mystery'");
  EXPECT_CONTAINS(problems, "'Riddle'");
  EXPECT_CONTAINS(problems, "node 'c' (op Add) takes 2 inputs and has 1");
  EXPECT_CONTAINS(problems, "'b:4'");
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 4);
}

TEST(ValidateGraphTest, ReportsCycleAndFrameErrorTogether) {
  const TestGraph g(R"(
    a = Neg(b)
    b = Neg(a)
    x = Const()
    y = Exit(x)
  )");
  const std::string problems = Problems(g);
  EXPECT_CONTAINS(problems, "'a' -> 'b' -> 'a'");
  EXPECT_CONTAINS(problems, "node 'y' (op Exit) is in the root frame");
}

TEST(ValidateGraphTest, ReportsShapesThatContradict) {
  Graph graph;
  auto constant = [&graph](const char* name, Dims dims) {
    const NodeId id = *graph.AddNode(name, "Const");
    graph.SetAttr(id, "dtype", DType::kFloat);
    graph.SetAttr(id, "value", *Tensor::Allocate(DType::kFloat, dims));
    return id;
  };
  const NodeId a = constant("a", {2, 3});
  const NodeId b = constant("b", {2, 3});
  const NodeId product = *graph.AddNode("product", "MatMul");
  graph.SetAttr(product, "T", DType::kFloat);
  graph.mutable_node(product).inputs = {{a, 0}, {b, 0}};
  const std::vector<Status> problems = ValidateGraph(graph);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].node(), "product");
}

TEST(GraphNotesTest, NamesWhatDeservesALook) {
  const TestGraph g(R"(
    x = Const() shiny=3 _mine=4
    e = Enter(x) frame_name=f parallel_iterations=2
    c = Enter(x) frame_name=f parallel_iterations=3
    m = Merge(e, n)
    n = NextIteration(m)
    lost = Merge(lost2)
    lost2 = NextIteration(lost)
  )");
  const std::string notes = Notes(g);
  EXPECT_CONTAINS(notes, "node 'x' has the attr 'shiny' = 3");
  EXPECT_EQ(notes.find("_mine"), std::string::npos);
  EXPECT_CONTAINS(notes, "frame 'f' iterates without a LoopCond");
  EXPECT_CONTAINS(notes, "frame 'f' has no Exit");
  EXPECT_CONTAINS(notes, "node 'lost' waits for a cycle that no Enter leads into");
  EXPECT_CONTAINS(notes, "the smallest, 2, applies");
}

}  // namespace
}  // namespace tagflow
