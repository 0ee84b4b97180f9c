#include "transform/simplify/remove_dead_variables.h"

#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

// Two variables, of which the first gives the pivots: p in the predicate, b in the body.
std::string Loop(const std::string& first_next) {
  return R"(
    x = Placeholder() dtype=float
    e1 = Enter(x) frame_name=f
    e2 = Enter(x) frame_name=f
    m1 = Merge(e1, n1)
    m2 = Merge(e2, n2)
    bound = Const(^m1) dtype=float value=9
    less = Less(m2, bound)
    c = LoopCond(less)
    s1 = Switch(m1, c)
    s2 = Switch(m2, c)
    b = Identity(s1:1)
    one = Const(^b) dtype=float value=1
    next1 = )" +
         first_next + R"(
    next2 = Add(s2:1, one)
    n1 = NextIteration(next1)
    n2 = NextIteration(next2)
    o1 = Exit(s1:0)
    o2 = Exit(s2:0)
  )";
}

TEST(RemoveDeadVariablesTest, ThePivotsMoveAndTheVariableIsNeededNoMore) {
  Simplified g(Loop("Add(b, one)"), {"x"}, {"o2"});
  EXPECT_EQ(g.Run(Pass::kVariables), 2);
  EXPECT_EQ(g.Line("bound"), "Const(^m2) float[] 9");
  EXPECT_EQ(g.Line("one"), "Const(^m2/pivot) float[] 1");
  EXPECT_EQ(g.Line("m2/pivot"), "Identity(s2:1)");
  EXPECT_EQ(g.Line("m1"), "-");
}

TEST(RemoveDeadVariablesTest, AVariableWhoseExitIsFetchedStays) {
  Simplified g(Loop("Add(b, one)"), {"x"}, {"o1", "o2"});
  EXPECT_EQ(g.Run(Pass::kVariables), 0);
}

// An effect, or an error, would be lost.
TEST(RemoveDeadVariablesTest, WhatMayFailOrActStays) {
  Simplified fails(Loop("FloorDiv(b, b)"), {"x"}, {"o2"});
  EXPECT_EQ(fails.Run(Pass::kVariables), 0);
  Simplified acts(Loop("CheckNumerics(b) message=no"), {"x"}, {"o2"});
  EXPECT_EQ(acts.Run(Pass::kVariables), 0);
}

// The body's write would no longer come before the next iteration's read.
TEST(RemoveDeadVariablesTest, AVariableThatOrdersEffectsStays) {
  const auto loop = [](const std::string& next_token) {
    return R"(
      zero = Const() dtype=float value=0
      h = VarHandleOp() dtype=float
      e1 = Enter(zero) frame_name=f
      e2 = Enter(zero) frame_name=f
      he = Enter(h) frame_name=f is_constant=true T=resource
      m1 = Merge(e1, n1)
      m2 = Merge(e2, n2)
      bound = Const(^m2) dtype=float value=9
      less = Less(m2, bound)
      c = LoopCond(less)
      s1 = Switch(m1, c)
      s2 = Switch(m2, c)
      token = Identity(s1:1)
      b = Identity(s2:1)
      read = ReadVariableOp(he, ^token) dtype=float
      more = Add(b, read)
      write = AssignVariableOp(he, more) dtype=float
      next = Identity(token)" +
           next_token + R"()
      one = Const(^b) dtype=float value=1
      plus = Add(b, one)
      n1 = NextIteration(next)
      n2 = NextIteration(plus)
      out = Exit(s2:0)
    )";
  };
  const auto run = [&](const std::string& next_token) {
    Simplified g(loop(next_token), {}, {"out"}, {"write"});
    g.graph().SetAttr(g.graph().Find("h"), "shape", PartialShape());
    return g.Run(Pass::kVariables);
  };
  EXPECT_EQ(run(", ^write"), 0);
  EXPECT_EQ(run(""), 1);
}

TEST(RemoveDeadVariablesTest, OneThatFeedsAnotherStays) {
  Simplified g(Loop("Add(b, one)"), {"x"}, {"o2"});
  Node& next = g.graph().mutable_node(g.graph().Find("next2"));
  next.inputs[0] = {g.graph().Find("b"), 0};
  EXPECT_EQ(g.Run(Pass::kVariables), 0);
}

// A loop is left with a variable, though nobody needs any.
// With one iteration in flight, the loop does not go on before all have come, and this one never
// does: what waits for it starves.
TEST(RemoveDeadVariablesTest, OneThatBeginsWithWhatTheLoopGivesStays) {
  const std::string loop = Loop("Add(b, one)") + R"(
    e3 = Enter(between) frame_name=f
    m3 = Merge(e3, n3)
    s3 = Switch(m3, c)
    between = Identity(o2)
    n3 = NextIteration(s3:1)
    waits = Identity(s1:1, ^m3)
  )";
  Simplified g(loop, {"x"}, {"o2"}, {"waits"});
  EXPECT_EQ(g.Run(Pass::kVariables), 0);
}

TEST(RemoveDeadVariablesTest, TheLastVariableStays) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    y = Placeholder() dtype=float
    p = Placeholder() dtype=bool
    e = Enter(x) frame_name=f
    pe = Enter(p) frame_name=f is_constant=true T=bool
    ye = Enter(y) frame_name=f is_constant=true
    m = Merge(e, n)
    c = LoopCond(pe)
    s = Switch(m, c)
    b = Identity(s:1)
    print = Print(ye, ye, ^b) T=float
    n = NextIteration(b)
  )",
               {"x", "y", "p"}, {}, {"print"});
  AttrList types;
  types.types = {{DType::kFloat, false}};
  g.graph().SetAttr(g.graph().Find("print"), "U", types);
  EXPECT_EQ(g.Run(Pass::kVariables), 0);
}

}  // namespace
}  // namespace tagflow
