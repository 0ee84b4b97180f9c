#include "graph/validate.h"

#include <gtest/gtest.h>

#include "graph/control_ops.h"
#include "graph/cycles.h"
#include "graph/exit_of.h"
#include "graph/test_graph.h"
#include "graph/validate_node.h"

namespace tagflow {
namespace {

using Names = std::vector<std::string>;

std::string Check(const TestGraph& g, const Names& feeds, const Names& fetches,
                  const Names& targets = {}) {
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), g.Call(feeds, fetches, targets));
  return valid.ok() ? "OK" : valid.status().ToString();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

constexpr std::string_view kLoop = R"(
  x     = Placeholder()
  limit = Const()
  e     = Enter(x) frame_name=loop
  c     = Enter(limit) frame_name=loop is_constant=true
  m     = Merge(e, n)
  less  = Less(m, c)
  cond  = LoopCond(less)
  s     = Switch(m, cond)
  body  = Neg(s:1)
  n     = NextIteration(body)
  out   = Exit(s)
)";

TEST(ValidateCallTest, ALoopIsFine) {
  const TestGraph g(kLoop);
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), g.Call({"x"}, {"out"}));
  ASSERT_TRUE(valid.ok()) << valid.status().ToString();
  EXPECT_FALSE(valid->needed[Index(g.id("x"))]);
  EXPECT_TRUE(valid->needed[Index(g.id("body"))]);
  EXPECT_EQ(valid->frames.frames.size(), 2u);
}

TEST(ValidateCallTest, AnUnknownOpIsNamedWhereItIsNeeded) {
  const TestGraph g(R"(
    a = Mystery()
    b = Neg(a)
    c = Const()
  )");
  const std::string error = Check(g, {}, {"b"});
  EXPECT_CONTAINS(error, "UNIMPLEMENTED");
  EXPECT_CONTAINS(error, "'Mystery'");
  EXPECT_CONTAINS(error, "'a'");
  EXPECT_EQ(Check(g, {}, {"c"}), "OK");
  EXPECT_EQ(Check(g, {"a"}, {"b"}), "OK");
}

TEST(ValidateCallTest, AMissingOrBadAttr) {
  TestGraph missing(R"(
    x = Const()
    e = Enter(x)
  )");
  EXPECT_CONTAINS(Check(missing, {}, {}, {"e"}), "frame_name");
  const TestGraph empty("m = Merge()");
  EXPECT_CONTAINS(Check(empty, {}, {"m"}), "'N'");
}

TEST(ValidateCallTest, TheNumberOfInputs) {
  const TestGraph g(R"(
    x = Const()
    few = Add(x)
    many = Neg(x, x)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"few"}), "node 'few' (op Add) takes 2 inputs and has 1");
  EXPECT_CONTAINS(Check(g, {}, {"many"}), "node 'many' (op Neg) takes 1 input and has 2");
}

TEST(ValidateCallTest, TheTypesOfInputs) {
  const TestGraph g(R"(
    x = Const() T=int32
    y = Neg(x)
    s = Switch(y, x)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "input 0 ('x') of node 'y' (op Neg) is int32 where float");
  EXPECT_CONTAINS(Check(g, {"y"}, {"s"}), "input 1 ('x') of node 's' (op Switch) is int32");
}

TEST(ValidateCallTest, AFedInputHasTheTypeThatItsNodeDeclares) {
  const TestGraph g(R"(
    x = Placeholder() T=int32
    y = Neg(x)
  )");
  EXPECT_CONTAINS(Check(g, {"x"}, {"y"}),
                  "input 0 ('x') of node 'y' (op Neg) is int32 where float");
}

TEST(ValidateCallTest, AValueInputTakesAReferenceAndNotTheOtherWayRound) {
  const TestGraph g(R"(
    v = Variable()
    x = Const()
    y = Neg(v)
    set = Assign(v, v)
    bad = Assign(x, x)
  )");
  EXPECT_EQ(Check(g, {}, {"y", "set"}), "OK");
  EXPECT_CONTAINS(Check(g, {}, {"bad"}),
                  "is float where float_ref is expected: connect a variable");
  EXPECT_CONTAINS(Check(g, {"v"}, {"set"}), "a feed is a value");
  EXPECT_EQ(Check(g, {"v"}, {"y"}), "OK");
}

TEST(ValidateCallTest, AnOutputThatIsNotThere) {
  TestGraph g(R"(
    x = Const()
    y = Neg(x:3)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}),
                  "input 0 ('x:3') of node 'y' (op Neg) does not exist: node 'x' (op Const) has 1");
  g.mutable_graph().mutable_node(g.id("y")).inputs[0] = {NodeId(77), 0};
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "a node that does not exist");
  g.mutable_graph().mutable_node(g.id("y")).inputs[0] = {g.id("x"), 0};
  g.mutable_graph().mutable_node(g.id("y")).control_inputs.push_back(NodeId::kNone);
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "control input from a node that does not exist");
}

TEST(ValidateCallTest, ACycleWithoutNextIterationIsPrinted) {
  const TestGraph g(R"(
    x = Const()
    a = Add(x, c)
    b = Neg(a)
    c = Neg(b)
    d = Neg(c)
  )");
  const std::string error = Check(g, {}, {"d"});
  EXPECT_CONTAINS(error, "cycle without NextIteration");
  EXPECT_CONTAINS(error, "'a' -> 'b' -> 'c' -> 'a'");
  EXPECT_EQ(error.find("'d'"), std::string::npos) << error;
  EXPECT_EQ(Check(g, {}, {"x"}), "OK");
  EXPECT_EQ(Check(g, {"b"}, {"d"}), "OK");
}

TEST(ValidateCallTest, ControlEdgesMakeCyclesToo) {
  const TestGraph g(R"(
    a = NoOp(^b)
    b = NoOp(^a)
    self = NoOp(^self)
  )");
  EXPECT_CONTAINS(Check(g, {}, {}, {"a"}), "cycle without NextIteration");
  EXPECT_CONTAINS(Check(g, {}, {}, {"self"}), "'self' -> 'self'");
}

TEST(ValidateCallTest, AMergeDoesNotExcuseACycle) {
  const TestGraph g(R"(
    x = Const()
    m = Merge(x, y)
    y = Neg(m)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "cycle without NextIteration");
}

TEST(ValidateCallTest, ALongCycleIsCutShortInTheMessage) {
  constexpr int kLength = 100000;
  Graph graph(TestOps());
  for (int i = 0; i < kLength; ++i) ASSERT_TRUE(graph.AddNode("n" + std::to_string(i), "Neg").ok());
  for (int i = 0; i < kLength; ++i) {
    graph.SetAttr(NodeId(i), "T", DType::kFloat);
    graph.mutable_node(NodeId(i)).inputs.push_back({NodeId((i + 1) % kLength), 0});
  }
  const CallSpec call{{}, {{NodeId(0), 0}}, {}};
  EXPECT_EQ(FindIllegalCycle(graph, NeededNodes(graph, call), call).size(), size_t{kLength});
  const std::string error = ValidateCall(graph, call).status().ToString();
  EXPECT_CONTAINS(error, "(99980 more)");
}

TEST(ValidateCallTest, AFetchInALoopNamesTheFrameAndTheExit) {
  const TestGraph g(kLoop);
  for (const char* fetch : {"e", "m", "m:1", "s", "s:1", "body", "n"}) {
    const std::string error = Check(g, {"x"}, {fetch});
    EXPECT_CONTAINS(error, "INVALID_ARGUMENT: fetch '" + std::string(fetch) + "'");
    EXPECT_CONTAINS(error, "frame 'loop'");
    EXPECT_CONTAINS(error, "fetch the loop's Exit 'out' instead");
  }
  EXPECT_EQ(Check(g, {"x"}, {"x", "limit", "out"}), "OK");
  EXPECT_EQ(Check(g, {"x", "body"}, {"body"}), "OK");  // the value that was fed
}

TEST(ValidateCallTest, AFetchInALoopWithoutExit) {
  const TestGraph g(R"(
    x = Const()
    e = Enter(x) frame_name=f
    y = Neg(e)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "add an Exit");
}

TEST(ValidateCallTest, AFetchTwoLoopsDeepNamesTheOuterExit) {
  const TestGraph g(R"(
    x  = Const()
    p  = Const() T=bool
    e  = Enter(x) frame_name=f
    e2 = Enter(e) frame_name=g
    y  = Neg(e2)
    x2 = Exit(y)
    x1 = Exit(x2)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "frame 'f/g'");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "Exit 'x1'");
  EXPECT_CONTAINS(Check(g, {}, {"x2"}), "Exit 'x1'");
}

TEST(ValidateCallTest, ATargetMayBeInALoop) {
  const TestGraph g(kLoop);
  EXPECT_EQ(Check(g, {"x"}, {}, {"body"}), "OK");
}

TEST(ValidateCallTest, FrameErrorsComeThrough) {
  const TestGraph g(R"(
    x = Const()
    y = Exit(x)
  )");
  EXPECT_CONTAINS(Check(g, {}, {"y"}), "root frame");
}

TEST(NodeCheckerTest, LooksAtOneNodeAndItsInputsAlone) {
  const TestGraph g(R"(
    a = Mystery()
    b = Neg(a)
    c = Neg(b, b)
  )");
  NodeChecker checker(g.graph());
  const FeedSet no_feeds(g.graph(), {});
  EXPECT_EQ(checker.Check(g.node("a"), no_feeds).code(), Code::kUnimplemented);
  EXPECT_TRUE(checker.Check(g.node("b"), no_feeds).ok());
  EXPECT_EQ(checker.Check(g.node("c"), no_feeds).node(), "c");
}

TEST(FindExitOfTest, FollowsTheValueBeforeOtherOps) {
  const TestGraph g(R"(
    x     = Const()
    e     = Enter(x) frame_name=f
    m     = Merge(e, n)
    less  = Less(m, m)
    s     = Switch(m, less)
    other = Neg(s:0)
    wrong = Exit(other)
    n     = NextIteration(s:1)
    right = Exit(s)
  )");
  EXPECT_EQ(FindExitOf(g.graph(), g.id("m"), 1), g.id("right"));
  EXPECT_EQ(FindExitOf(g.graph(), g.id("other"), 1), g.id("wrong"));
  EXPECT_EQ(FindExitOf(g.graph(), g.id("m"), 2), NodeId::kNone);
}

TEST(ControlOpTest, RefFormsAreTheSamePrimitives) {
  EXPECT_EQ(ControlOpOf("RefSwitch"), ControlOp::kSwitch);
  EXPECT_EQ(ControlOpOf("RefNextIteration"), ControlOp::kNextIteration);
  EXPECT_EQ(ControlOpOf("LoopCond"), ControlOp::kLoopCond);
  for (const char* op : {"RefLoopCond", "RefIdentity", "switch", "", "Ref", "EnterRef"}) {
    EXPECT_EQ(ControlOpOf(op), ControlOp::kNone) << op;
  }
}

}  // namespace
}  // namespace tagflow
