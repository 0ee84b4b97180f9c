#include "graph/call.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

using Names = std::vector<std::string>;

// The names of the nodes a call needs, in order of id, separated by spaces.
std::string Needed(const TestGraph& g, const CallSpec& call) {
  const std::vector<bool> needed = NeededNodes(g.graph(), call);
  std::string names;
  for (NodeId id : g.graph().NodeIds()) {
    if (needed[Index(id)]) names += (names.empty() ? "" : " ") + g.graph().node(id).name;
  }
  return names;
}

std::string ResolveError(const TestGraph& g, const Names& feeds, const Names& fetches,
                         const Names& targets) {
  const Result<CallSpec> call = ResolveCall(g.graph(), feeds, fetches, targets);
  return call.status().ToString();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(ResolveCallTest, NamesTheRoleAndTheName) {
  const TestGraph g("a = Const()");
  EXPECT_CONTAINS(ResolveError(g, {"b"}, {}, {}), "feed 'b': the graph has no node 'b'");
  EXPECT_CONTAINS(ResolveError(g, {}, {"b:1"}, {}), "fetch 'b:1'");
  EXPECT_CONTAINS(ResolveError(g, {}, {}, {"b"}), "target 'b'");
}

TEST(ResolveCallTest, ATargetIsANode) {
  const TestGraph g("a = Const()");
  EXPECT_CONTAINS(ResolveError(g, {}, {}, {"a:0"}), "a target is a node, write 'a'");
  EXPECT_CONTAINS(ResolveError(g, {}, {}, {"^a"}), "a target is a node, write 'a'");
}

TEST(ResolveCallTest, RefusesAnOutputFedTwice) {
  const TestGraph g("a = Const()");
  EXPECT_CONTAINS(ResolveError(g, {"a", "a:0"}, {}, {}), "fed twice, as 'a' and as 'a:0'");
}

TEST(ResolveCallTest, KeepsOrderAndDuplicateFetches) {
  const TestGraph g(R"(
    a = Const()
    b = Const()
  )");
  const CallSpec call = g.Call({}, {"b", "a", "b"});
  const OutputRef a{g.id("a"), 0};
  const OutputRef b{g.id("b"), 0};
  EXPECT_EQ(call.fetches, (std::vector<OutputRef>{b, a, b}));
}

TEST(NeededNodesTest, FollowsDataAndControlEdgesBackwards) {
  const TestGraph g(R"(
    a = Const()
    side = NoOp()
    x = Neg(a, ^side)
    unused = Neg(x)
  )");
  EXPECT_EQ(Needed(g, g.Call({}, {"x"})), "a side x");
  EXPECT_EQ(Needed(g, g.Call({}, {}, {"side"})), "side");
  EXPECT_EQ(Needed(g, g.Call({}, {})), "");
}

TEST(NeededNodesTest, DoesNotFollowAFedOutput) {
  const TestGraph g(R"(
    a = Const()
    x = Neg(a)
    y = Neg(x)
  )");
  EXPECT_EQ(Needed(g, g.Call({"x"}, {"y"})), "y");
  EXPECT_EQ(Needed(g, g.Call({"x"}, {"x"})), "");
}

TEST(NeededNodesTest, AFedNodeStillRunsForItsOtherOutputsAndControlEdges) {
  const TestGraph g(R"(
    a = Const()
    p = Const() T=bool
    s = Switch(a, p)
    t = Neg(s:1)
    f = Neg(s:0)
    after = Neg(f, ^s)
  )");
  EXPECT_EQ(Needed(g, g.Call({"s:1"}, {"t"})), "t");
  EXPECT_EQ(Needed(g, g.Call({"s:1"}, {"t", "f"})), "a p s t f");
  EXPECT_EQ(Needed(g, g.Call({"f"}, {"after"})), "a p s after");
}

TEST(NeededNodesTest, AFedPlaceholderNeedsNothing) {
  const TestGraph g(R"(
    a = Const()
    before = NoOp()
    x = PlaceholderWithDefault(a, ^before)
    y = NoOp(^x)
  )");
  EXPECT_EQ(Needed(g, g.Call({}, {}, {"y"})), "a before x y");
  EXPECT_EQ(Needed(g, g.Call({"x"}, {}, {"y"})), "x y");
}

TEST(NeededNodesTest, FollowsEdgesInAnyOrderOfTheNodes) {
  const TestGraph g(R"(
    y = Neg(b, ^d)
    unused = Neg(y)
    b = Neg(e)
    c = Const()
    d = Neg(c)
    e = Neg(a)
    a = Const()
  )");
  EXPECT_EQ(Needed(g, g.Call({}, {"y"})), "y b c d e a");
  EXPECT_EQ(Needed(g, g.Call({"b"}, {"y"})), "y c d");
  EXPECT_EQ(Needed(g, g.Call({}, {"b"})), "b e a");
}

TEST(NeededNodesTest, FollowsCycles) {
  const TestGraph g(R"(
    a = Const()
    m = Merge(a, n)
    n = NextIteration(m)
  )");
  EXPECT_EQ(Needed(g, g.Call({}, {"m"})), "a m n");
}

}  // namespace
}  // namespace tagflow
