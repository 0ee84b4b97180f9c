// Tests: frames.cc, frame_mismatch.cc

#include "graph/frames.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

Result<FrameTree> Frames(const TestGraph& g, const CallSpec& call) {
  return AssignFrames(g.graph(), NeededNodes(g.graph(), call), call);
}

std::string Error(const TestGraph& g, const std::vector<std::string>& feeds,
                  const std::vector<std::string>& targets) {
  const Result<FrameTree> tree = Frames(g, g.Call(feeds, {}, targets));
  return tree.ok() ? "OK" : tree.status().ToString();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// while (i < limit) i = -i, with a loop inside the body.
constexpr std::string_view kNested = R"(
  x     = Placeholder()
  limit = Const()
  e     = Enter(x) frame_name=outer
  c     = Enter(limit) frame_name=outer is_constant=true
  m     = Merge(e, n)
  less  = Less(m, c)
  cond  = LoopCond(less)
  s     = Switch(m, cond)
  body  = Identity(s:1)
  e2    = Enter(body) frame_name=inner parallel_iterations=1
  m2    = Merge(e2, n2)
  s2    = Switch(m2, cond2)
  cond2 = LoopCond(less2)
  less2 = Less(m2, m2)
  n2    = NextIteration(s2:1)
  x2    = Exit(s2)
  n     = NextIteration(x2)
  out   = Exit(s)
  done  = NoOp(^out)
)";

TEST(FramesTest, NestedLoops) {
  const TestGraph g(kNested);
  const Result<FrameTree> tree = Frames(g, g.Call({}, {}, {"done"}));
  ASSERT_TRUE(tree.ok()) << tree.status().ToString();
  ASSERT_EQ(tree->frames.size(), 3u);
  EXPECT_EQ(tree->Path(0), "");
  EXPECT_EQ(tree->Path(1), "outer");
  EXPECT_EQ(tree->Path(2), "outer/inner");
  EXPECT_EQ(tree->frames[1].parallel_iterations, 10);
  EXPECT_EQ(tree->frames[2].parallel_iterations, 1);
  EXPECT_EQ(tree->frames[1].enters, (std::vector<NodeId>{g.id("e"), g.id("c")}));
  auto frame = [&](const char* name) { return tree->frame_of[Index(g.id(name))]; };
  auto after = [&](const char* name) { return tree->OutputFrame(g.node(name)); };
  EXPECT_EQ(frame("x"), 0);
  EXPECT_EQ(frame("e"), 0);
  EXPECT_EQ(after("e"), 1);
  EXPECT_EQ(frame("m"), 1);
  EXPECT_EQ(frame("e2"), 1);
  EXPECT_EQ(after("e2"), 2);
  EXPECT_EQ(frame("n2"), 2);
  EXPECT_EQ(after("n2"), 2);
  EXPECT_EQ(frame("x2"), 2);
  EXPECT_EQ(after("x2"), 1);
  EXPECT_EQ(frame("out"), 1);
  EXPECT_EQ(after("out"), 0);
  EXPECT_EQ(frame("done"), 0);
}

TEST(FramesTest, NodesTheCallDoesNotNeedAreNotLookedAt) {
  const TestGraph g(R"(
    x = Const()
    y = Neg(x)
    bad = Exit(x)
  )");
  const Result<FrameTree> tree = Frames(g, g.Call({}, {"y"}));
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->frame_of[Index(g.id("bad"))], FrameTree::kUnreached);
}

TEST(FramesTest, InputsFromDifferentFrames) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    y = Add(x, e)
  )");
  const std::string error = Error(g, {}, {"y"});
  EXPECT_CONTAINS(error, "node 'y' (op Add) has inputs from different frames");
  EXPECT_CONTAINS(error, "'x' gives it a token in the root frame");
  EXPECT_CONTAINS(error, "'e' one in frame 'f'");
  EXPECT_CONTAINS(error, "INVALID_ARGUMENT");
}

TEST(FramesTest, ABodyConstantInTheRootIsNamedAndNotTheNextIterationBehindIt) {
  const TestGraph g(R"(
    one   = Const()
    x     = Placeholder()
    e     = Enter(x) frame_name=loop
    m     = Merge(e, n)
    s     = Switch(m, cond)
    less  = Less(m, m)
    cond  = LoopCond(less)
    plus  = Add(s:1, one)
    n     = NextIteration(plus)
    out   = Exit(s)
  )");
  const std::string error = Error(g, {}, {"out"});
  EXPECT_CONTAINS(error, "node 'plus' (op Add) has inputs from different frames");
  EXPECT_CONTAINS(error, "'one'");
}

TEST(FramesTest, ControlEdgesCountToo) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    outside = NoOp()
    y = Neg(e, ^outside)
    z = Neg(x, ^e)
  )");
  EXPECT_CONTAINS(Error(g, {}, {"y"}), "has inputs from different frames");
  EXPECT_CONTAINS(Error(g, {}, {"z"}), "has inputs from different frames");
}

TEST(FramesTest, AnEnterTakesControlEdgesOfItsParentFrame) {
  const TestGraph g(R"(
    x = Const()
    pivot = NoOp()
    e = Enter(x, ^pivot) frame_name=f
    y = NoOp(^e)
    z = Exit(e, ^y)
    after = NoOp(^z, ^pivot)
  )");
  EXPECT_EQ(Error(g, {}, {"after"}), "OK");
}

TEST(FramesTest, AnEnterNeedsAFrameName) {
  TestGraph g(R"(
    x = Const()
    e = Enter(x)
  )");
  g.mutable_graph().SetAttr(g.id("e"), "frame_name", std::string());
  EXPECT_CONTAINS(Error(g, {}, {"e"}), "must have a frame name");
}

TEST(FramesTest, MismatchedParentFrames) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=outer
    inner = Enter(e) frame_name=f
    other = Enter(x) frame_name=f
    y = NoOp(^inner)
  )");
  const std::string error = Error(g, {}, {"y", "other"});
  EXPECT_CONTAINS(error, "Mismatched parent frames of frame 'f'");
  EXPECT_CONTAINS(error, "'other'");
  EXPECT_CONTAINS(error, "'inner'");
  EXPECT_CONTAINS(error, "two loops: give them different frame names");
}

TEST(FramesTest, AnEnterFromOutsideTheOuterLoopIsToldWhatItTakes) {
  const TestGraph g(R"(
    zero = Const()
    x = Placeholder()
    x_in = Enter(x) frame_name=outer
    x_deep = Enter(x_in) frame_name=inner
    zero_in = Enter(zero) frame_name=inner
    both = Add(x_deep, zero_in)
  )");
  const std::string error = Error(g, {"x"}, {"both"});
  EXPECT_CONTAINS(error, "'zero', which 'zero_in' takes, stands outside frame 'outer'");
  EXPECT_CONTAINS(error, "Enter of that frame, or give it a control edge from a node in there");
}

TEST(FramesTest, AFrameInsideItselfIsMismatched) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    again = Enter(e) frame_name=f
  )");
  EXPECT_CONTAINS(Error(g, {}, {"again"}), "Mismatched parent frames");
}

TEST(FramesTest, ParallelIterationsBelowOneAreRefused) {
  for (const char* text : {"0", "-1", "-2147483648"}) {
    const TestGraph g("x = Const()\n e = Enter(x) frame_name=f parallel_iterations=" +
                      std::string(text));
    EXPECT_CONTAINS(Error(g, {}, {"e"}), "parallel_iterations = " + std::string(text));
  }
  const TestGraph most("x = Const()\n e = Enter(x) frame_name=f parallel_iterations=2147483647");
  EXPECT_EQ(Error(most, {}, {"e"}), "OK");
}

TEST(FramesTest, TheSmallestParallelIterationsApplyWithAWarning) {
  const TestGraph g(R"(
    x = Const()
    a = Enter(x) frame_name=f parallel_iterations=32
    b = Enter(x) frame_name=f parallel_iterations=7
    c = Enter(x) frame_name=f parallel_iterations=9
  )");
  const Result<FrameTree> tree = Frames(g, g.Call({}, {}, {"a", "b", "c"}));
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->frames[1].parallel_iterations, 7);
  ASSERT_EQ(tree->warnings.size(), 1u);
  EXPECT_CONTAINS(tree->warnings[0], "the smallest, 7, applies");
}

TEST(FramesTest, ExitAndNextIterationNeedAFrame) {
  const TestGraph g(R"(
    x = Const()
    exit = Exit(x)
    next = NextIteration(x)
  )");
  EXPECT_CONTAINS(Error(g, {}, {"exit"}), "node 'exit' (op Exit) is in the root frame");
  EXPECT_CONTAINS(Error(g, {}, {"next"}), "node 'next' (op NextIteration) is in the root frame");
}

TEST(FramesTest, ACycleThatNothingEntersIsUnreached) {
  const TestGraph g(R"(
    m = Merge(n)
    n = NextIteration(m)
  )");
  const Result<FrameTree> tree = Frames(g, g.Call({}, {"m"}));
  ASSERT_TRUE(tree.ok()) << tree.status().ToString();
  EXPECT_EQ(tree->frame_of[Index(g.id("m"))], FrameTree::kUnreached);
  EXPECT_EQ(tree->OutputFrame(g.node("m")), FrameTree::kUnreached);
}

TEST(FramesTest, AFeedIsASourceOfTheRootFrame) {
  const TestGraph g(kNested);
  EXPECT_EQ(Error(g, {"x"}, {"done"}), "OK");
  EXPECT_EQ(Error(g, {"out"}, {"done"}), "OK");  // which still runs the loop for its control edge
}

TEST(FramesTest, AFeedConsumedInAFrameNamesFeedConsumerAndFrame) {
  const TestGraph g(kNested);
  for (const auto& [feed, consumer, frame] :
       std::vector<std::array<const char*, 3>>{{"e", "m", "outer"},
                                               {"body", "e2", "outer"},
                                               {"m", "less", "outer"},
                                               {"s", "out", "outer"},
                                               {"n", "m", "outer"},
                                               {"cond2", "s2", "outer/inner"},
                                               {"x2", "n", "outer"},
                                               {"s2:1", "n2", "outer/inner"}}) {
    const std::string error = Error(g, {feed}, {"done"});
    EXPECT_CONTAINS(error, "feed '" + std::string(feed) + "' is consumed by node '" + consumer +
                               "' in frame '" + frame + "'");
  }
}

TEST(FramesTest, AFeedThatCutsANodeOutIsNotBlamedForAnotherFeed) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    cut = Neg(e)
    y = Neg(cut)
    e2 = Enter(x) frame_name=f2
    fed = Neg(e2)
    bad = Add(e2, fed)
  )");
  EXPECT_CONTAINS(Error(g, {"cut", "fed"}, {"y", "bad"}),
                  "feed 'fed' is consumed by node 'bad' in frame 'f2'");
}

TEST(FramesTest, AFeedThatCutsANodeOutOfItsLoopIsFine) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    y = Neg(e)
  )");
  const Result<FrameTree> tree = Frames(g, g.Call({"e"}, {"y"}));
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->frame_of[Index(g.id("y"))], FrameTree::kRoot);
}

// A chain, and a nest of loops, too long for recursion.
TEST(FramesTest, DeepGraphs) {
  constexpr int kDepth = 100000;
  Graph graph(TestOps());
  NodeId last = *graph.AddNode("x", "Const");
  for (int i = 0; i < kDepth; ++i) {
    const bool enter = i % 10 == 0;
    const NodeId id = *graph.AddNode("n" + std::to_string(i), enter ? "Enter" : "Neg");
    if (enter) graph.SetAttr(id, "frame_name", "f" + std::to_string(i));
    graph.mutable_node(id).inputs.push_back({last, 0});
    last = id;
  }
  CallSpec call;
  call.targets.push_back(last);
  const Result<FrameTree> tree = AssignFrames(graph, NeededNodes(graph, call), call);
  ASSERT_TRUE(tree.ok()) << tree.status().ToString();
  EXPECT_EQ(tree->frames.size(), 1u + kDepth / 10);
  EXPECT_EQ(tree->OutputFrame(graph.node(last)), kDepth / 10);
  EXPECT_EQ(tree->Path(kDepth / 10).substr(0, 9), "f0/f10/f2");
}

}  // namespace
}  // namespace tagflow
