#include "transform/simplify/remove_identities.h"

#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

TEST(RemoveIdentitiesTest, AChainIsPassedAtOnce) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    c = Identity(b)
    b = StopGradient(a)
    a = Identity(x)
    y = Neg(c)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 3);
  EXPECT_EQ(g.Line("y"), "Neg(x)");
  EXPECT_EQ(g.Needed(), "y");  // and the feed
}

TEST(RemoveIdentitiesTest, WhatIsFetchedOrFedKeepsItsName) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    a = Identity(x)
    b = Identity(a)
    c = Identity(b)
    y = Neg(c)
  )",
               {"x", "b"}, {"y", "a"});
  g.Run(Pass::kIdentities);
  EXPECT_EQ(g.Line("y"), "Neg(b)");
  EXPECT_EQ(g.Line("a"), "Identity(x)");
}

TEST(RemoveIdentitiesTest, OneThatWaitsStays) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    w = NoOp()
    a = Identity(x, ^w)
    y = Neg(a)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 0);
}

// A control edge of the Switch itself would be live towards both branches.
TEST(RemoveIdentitiesTest, APivotStays) {
  Simplified g(R"(
    p = Placeholder() dtype=bool
    s = Switch(p, p) T=bool
    pivot = Identity(s:1) T=bool
    one = Const(^pivot) dtype=float value=1
    two = Const() dtype=float value=2
    other = Identity(s:0) T=bool
    d = Const(^other) dtype=float value=3
    m = Merge(one, d)
    read = LogicalNot(pivot)
  )",
               {"p"}, {"m", "read"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 1);
  EXPECT_EQ(g.Line("one"), "Const(^pivot) float[] 1");
  EXPECT_EQ(g.Line("read"), "LogicalNot(s:1)");
}

TEST(RemoveIdentitiesTest, AControlEdgeOfAnOrdinaryValueMoves) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    n = Neg(x)
    a = Identity(n)
    f = Identity(x)
    y = Neg(x, ^a, ^f, ^n)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 1);
  // Nothing is known of a feed's node.
  EXPECT_EQ(g.Line("y"), "Neg(x, ^n, ^f)");
}

TEST(RemoveIdentitiesTest, AReferenceIsReadWhereItWas) {
  Simplified g(R"(
    v = VariableV2() dtype=float shape=0
    a = Identity(v)
    y = Neg(a)
  )",
               {}, {});
  g.graph().SetAttr(g.graph().Find("v"), "shape", PartialShape());
  g.call.fetches = {{g.graph().Find("y"), 0}};
  EXPECT_EQ(g.Run(Pass::kIdentities), 0);
}

// In which iterations the Merge has that input would change.
TEST(RemoveIdentitiesTest, TheInputsOfAHeaderStay) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    e = Enter(x) frame_name=f
    pe = Enter(p) frame_name=f is_constant=true T=bool
    ie = Identity(e)
    m = Merge(ie, in)
    s = Switch(m, pe)
    body = Identity(s:1)
    n = NextIteration(body)
    in = Identity(n)
    out = Exit(s:0)
  )",
               {"x", "p"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 1);
  EXPECT_EQ(g.Line("m"), "Merge(ie, in)");
  EXPECT_EQ(g.Line("n"), "NextIteration(s:1)");
}

TEST(RemoveIdentitiesTest, AMergeOfOneInputIsAnIdentity) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    n = Neg(x)
    m = Merge(n)
    y = Neg(m)
    z = Neg(m:1) T=int32
  )",
               {"x"}, {"y", "z"});
  EXPECT_EQ(g.Run(Pass::kIdentities), 1);
  EXPECT_EQ(g.Line("y"), "Neg(n)");
  EXPECT_EQ(g.Line("z"), "Neg(m:1)");
}

// A graph that no call could run: a pass ends all the same.
TEST(RemoveIdentitiesTest, ACycleEnds) {
  TestGraph g(R"(
    a = Identity(b)
    b = Identity(a)
    y = Neg(a)
  )",
              OpRegistry::Standard());
  RemoveIdentities(g.mutable_graph(), g.Call({}, {"y"}));
}

}  // namespace
}  // namespace tagflow
