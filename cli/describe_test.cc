#include "cli/describe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/branches.h"
#include "cli/dot.h"
#include "cli/loops.h"
#include "graph/io/import.h"
#include "graph/io/random_graph_def.h"
#include "graph/test_graph.h"

namespace tagflow::cli {
namespace {

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

FrameTree Frames(const TestGraph& g) {
  return *AssignFrames(g.graph(), AllNodes(g.graph()), CallSpec());
}

// A loop whose body is a cond on the loop's own predicate, with a captured tensor on each level.
constexpr std::string_view kLoop = R"(
  x       = Placeholder() dtype=float
  limit   = Const()
  w       = Const()
  e       = Enter(x) frame_name=loop parallel_iterations=4
  cl      = Enter(limit) frame_name=loop is_constant=true parallel_iterations=4
  cw      = Enter(w) frame_name=loop is_constant=true parallel_iterations=4
  m       = Merge(e, n)
  less    = Less(m, cl)
  cond    = LoopCond(less)
  s       = Switch(m, cond)
  body    = Identity(s:1)
  odd     = Less(body, cw)
  odd_id  = Identity(odd) T=bool
  sb      = Switch(body, odd_id)
  sw      = Switch(cw, odd_id)
  yes     = Add(sb:1, sw:1)
  no      = Neg(sb:0)
  joined  = Merge(no, yes)
  n       = NextIteration(joined)
  out     = Exit(s)
)";

TestGraph LoopGraph() {
  TestGraph g(kLoop);
  g.mutable_graph().SetAttr(g.id("limit"), "value", Tensor::Scalar(10.0f));
  g.mutable_graph().mutable_node(g.id("w")).device = "/device:CPU:1";
  return g;
}

TEST(FindLoopsTest, VariablesInvariantsBounds) {
  const TestGraph g = LoopGraph();
  const std::vector<Loop> loops = FindLoops(g.graph(), Frames(g));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].conditions, std::vector<NodeId>{g.id("cond")});
  EXPECT_EQ(loops[0].invariants, (std::vector<NodeId>{g.id("cl"), g.id("cw")}));
  EXPECT_EQ(loops[0].bounds, std::vector<std::string>{"m < 10"});
  ASSERT_EQ(loops[0].variables.size(), 1u);
  const LoopVariable& variable = loops[0].variables[0];
  EXPECT_EQ(variable.merge, g.id("m"));
  EXPECT_EQ(variable.enter, g.id("e"));
  EXPECT_EQ(variable.switch_node, g.id("s"));
  EXPECT_EQ(variable.next_iteration, g.id("n"));
  EXPECT_EQ(variable.exit, g.id("out"));
}

TEST(FindBranchesTest, ACondInALoop) {
  const TestGraph g = LoopGraph();
  const std::vector<Branch> branches = FindBranches(g.graph());
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].predicate, (OutputRef{g.id("odd"), 0}));
  EXPECT_EQ(branches[0].switches, (std::vector<NodeId>{g.id("sb"), g.id("sw")}));
  EXPECT_EQ(branches[0].merges, std::vector<NodeId>{g.id("joined")});
}

TEST(FindBranchesTest, NestedConds) {
  const TestGraph g(R"(
    p  = Const() T=bool
    q  = Const() T=bool
    x  = Const()
    sp = Switch(x, p)
    sq = Switch(sp:1, q)
    a  = Neg(sq:0)
    b  = Neg(sq:1)
    mq = Merge(a, b)
    c  = Neg(sp:0)
    mp = Merge(mq, c)
  )");
  const std::vector<Branch> branches = FindBranches(g.graph());
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].merges, std::vector<NodeId>{g.id("mp")});
  EXPECT_EQ(branches[1].merges, std::vector<NodeId>{g.id("mq")});
}

TEST(FindBranchesTest, ThePivotsControlEdgesCount) {
  const TestGraph g(R"(
    p     = Const() T=bool
    sp    = Switch(p, p) T=bool
    true  = Identity(sp:1) T=bool
    false = Identity(sp:0) T=bool
    one   = Const(^true)
    two   = Const(^false)
    m     = Merge(two, one)
  )");
  ASSERT_EQ(FindBranches(g.graph()).size(), 1u);
  EXPECT_EQ(FindBranches(g.graph())[0].merges, std::vector<NodeId>{g.id("m")});
}

TEST(DescribeGraphTest, SaysWhatThereIs) {
  const TestGraph g = LoopGraph();
  const std::string text = DescribeGraph(g.graph(), Frames(g));
  EXPECT_CONTAINS(text, "graph: 20 nodes, 25 data edges, 0 control edges");
  EXPECT_CONTAINS(text, "to feed:\n  x: float of any shape\n");
  EXPECT_CONTAINS(text, "frames:\n  root: 6 nodes\n  loop: 14 nodes\n");
  EXPECT_CONTAINS(text, "loop loop:\n  parallel_iterations: 4\n  goes on while less (cond)\n");
  EXPECT_CONTAINS(text, "  bound: m < 10\n");
  EXPECT_CONTAINS(text, "  variable m: starts as x, becomes joined, leaves as out\n");
  EXPECT_CONTAINS(text, "  captures w (invariant cw)\n");
  EXPECT_CONTAINS(text, "branch on odd (in frame loop):\n  captures body\n  captures cw\n");
  EXPECT_CONTAINS(text, "  joins in joined\n");
  EXPECT_CONTAINS(text, "devices:\n  (any): 19 nodes\n  /device:CPU:1: 1 node\n");
  EXPECT_EQ(text.find("unknown ops"), std::string::npos);
}

TEST(DescribeGraphTest, NamesUnknownOps) {
  const TestGraph g("a = Mystery()\n b = Mystery(a)");
  EXPECT_CONTAINS(DescribeGraph(g.graph(), Frames(g)), "Mystery: 2 nodes, such as a");
}

TEST(DrawDotTest, FramesAreBoxesAndQuotesAreEscaped) {
  TestGraph g = LoopGraph();
  g.mutable_graph().SetAttr(g.id("limit"), "value", Tensor::Scalar(std::string("\"\\")));
  const std::string dot = DrawDot(g.graph(), Frames(g));
  EXPECT_CONTAINS(dot, "subgraph cluster_1 {");
  EXPECT_CONTAINS(dot, "label=\"loop  (parallel_iterations 4)\"");
  EXPECT_CONTAINS(dot, "constraint=false");
  EXPECT_CONTAINS(dot, "label=T");
  EXPECT_CONTAINS(dot, R"(label="limit\nstring[] \"\\\"\\\\\"")");
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}

TEST(DescribeGraphTest, RandomGraphsWhateverIsWrongWithThem) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const Result<Graph> graph = ImportGraph(RandomGraphDef(seed));
    ASSERT_TRUE(graph.ok()) << seed << ": " << graph.status().ToString();
    std::string problem;
    const FrameTree frames = FramesOrRoot(*graph, problem);
    EXPECT_CONTAINS(DescribeGraph(*graph, frames), "graph: ");
    const std::string dot = DrawDot(*graph, frames);
    for (NodeId id : graph->NodeIds()) {
      EXPECT_CONTAINS(dot, "    n" + std::to_string(Index(id)) + " [label=");
    }
  }
}

}  // namespace
}  // namespace tagflow::cli
