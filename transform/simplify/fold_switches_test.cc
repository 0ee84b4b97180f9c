#include "transform/simplify/fold_switches.h"

#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

constexpr char kCond[] = R"(
  x = Placeholder() dtype=float
  p = Const() dtype=bool value=1
  s = Switch(x, p)
  t = Neg(s:1)
  f = Square(s:0)
  m = Merge(f, t)
)";

TEST(FoldSwitchesTest, TheDeadSideGoesUpToTheMerge) {
  Simplified g(kCond, {"x"}, {"m"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Line("s"), "Identity(x)");
  EXPECT_EQ(g.Line("t"), "Neg(s)");
  EXPECT_EQ(g.Line("m"), "Merge(t)");
  EXPECT_EQ(g.Needed(), "m s t");
}

TEST(FoldSwitchesTest, AFedPredicateIsNoConstant) {
  Simplified g(kCond, {"x", "p"}, {"m"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 0);
}

// The fetch is dead, and says why.
TEST(FoldSwitchesTest, AFetchOfTheDeadSideStays) {
  Simplified g(kCond, {"x"}, {"m", "f"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 1);
  EXPECT_EQ(g.Line("f"), "Square(s)");
  EXPECT_EQ(g.Line("s"), "Switch(x, p)");
  EXPECT_EQ(g.Line("m"), "Merge(t)");
}

// What is computed before the dead side, for it alone, runs; what is in it does not.
TEST(FoldSwitchesTest, WhatRunsAndMayFailIsNotLost) {
  const auto cond = [](const std::string& value, const std::string& f) {
    return R"(
      x = Placeholder() dtype=float
      p = Const() dtype=bool value=1
      value = )" +
           value + R"(
      s = Switch(x, p)
      v = Switch(value, p)
      t = Neg(s:1)
      f = )" +
           f + R"(
      m = Merge(f, t)
    )";
  };
  Simplified harmless(cond("Neg(x)", "Square(v:0)"), {"x"}, {"m"});
  EXPECT_EQ(harmless.Run(Pass::kSwitches), 2);
  EXPECT_EQ(harmless.Needed(), "m s t");
  Simplified before(cond("FloorDiv(x, x)", "Square(v:0)"), {"x"}, {"m"});
  EXPECT_EQ(before.Run(Pass::kSwitches), 1);
  EXPECT_EQ(before.Line("m"), "Merge(f, t)");
  EXPECT_EQ(before.Line("s"), "Identity(x)");
  Simplified inside(cond("Neg(x)", "FloorDiv(v:0, v:0)"), {"x"}, {"m"});
  EXPECT_EQ(inside.Run(Pass::kSwitches), 2);
  EXPECT_EQ(inside.Needed(), "m s t");
}

TEST(FoldSwitchesTest, WhatTwoMergesShareStaysAtBoth) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=1
    value = FloorDiv(x, x)
    v = Switch(value, p)
    s = Switch(x, p)
    m1 = Merge(v:0, s:1)
    m2 = Merge(v:0, s:1)
  )",
               {"x"}, {"m1", "m2"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 1);
  EXPECT_EQ(g.Line("m1"), "Merge(v, s)");
  EXPECT_EQ(g.Line("m2"), "Merge(v, s)");
  EXPECT_EQ(g.Line("value"), "FloorDiv(x, x)");
}

// What may fail hangs on the dead side of one Merge, and that on the dead side of another.
TEST(FoldSwitchesTest, WhatIsNeededThroughTwoMergesIsNotLost) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=1
    s = Switch(x, p)
    value = FloorDiv(x, x)
    never = Identity(s:0, ^value)
    inner = Merge(never, s:1)
    v = Switch(inner, p)
    m = Merge(v:0, s:1)
  )",
               {"x"}, {"m"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 0);
  EXPECT_EQ(g.Line("inner"), "Merge(never, s:1)");
  EXPECT_EQ(g.Line("m"), "Merge(v, s:1)");
}

TEST(FoldSwitchesTest, TheIndexOfAMergeCountsItsInputs) {
  Simplified g(kCond, {"x"}, {"m:1"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 0);
}

TEST(FoldSwitchesTest, ASwitchOfItsOwnPredicateEnds) {
  Simplified g(R"(
    p = Const() dtype=bool value=0
    s = Switch(p, p) T=bool
    t = LogicalNot(s:1)
    m = Merge(s:0, t) T=bool
  )",
               {}, {"m"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Line("s"), "Identity(p)");
  EXPECT_EQ(g.Line("m"), "Merge(s)");
}

// The live side waits for what the predicate waited for, and for what the Switch did.
TEST(FoldSwitchesTest, WhatSaysWhenItIsLiveStays) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    q = Placeholder() dtype=bool
    w = NoOp()
    o = Switch(x, q)
    pivot = Identity(o:1)
    p = Const(^pivot) dtype=bool value=0
    s = Switch(o:1, p, ^w)
    t = Neg(s:1)
    f = Square(s:0)
    m = Merge(f, t)
    no = Neg(o:0)
    y = Merge(m, no)
  )",
               {"x", "q"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Line("s"), "Identity(o:1, ^w, ^pivot)");
  EXPECT_EQ(g.Line("y"), "Merge(m, no)");
}

// Dead tokens that something waits for stay.
TEST(FoldSwitchesTest, ATriggerKeepsTheDeadSide) {
  const std::string with_trigger = std::string(kCond) + "g = ControlTrigger(^f)\n";
  Simplified trigger(with_trigger, {"x"}, {"m"}, {"g"});
  EXPECT_EQ(trigger.Run(Pass::kSwitches), 0);
  Simplified merge(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=1
    s = Switch(x, p)
    t = Neg(s:1)
    f = Square(s:0)
    m = Merge(f, t, ^f)
  )",
                   {"x"}, {"m"});
  EXPECT_EQ(merge.Run(Pass::kSwitches), 0);
}

// A control edge out of a Switch is live towards both branches.
TEST(FoldSwitchesTest, AControlEdgeOfTheSwitchStaysLive) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=0
    s = Switch(x, p)
    t = Neg(s:1)
    f = Square(s:0)
    m = Merge(f, t)
    y = Neg(m, ^s)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Line("y"), "Neg(m, ^s)");
  EXPECT_EQ(g.Line("s"), "Identity(x)");
}

// The loop is in the dead side, and so is what runs in each of its iterations.
TEST(FoldSwitchesTest, WhatMayFailInALoopOfTheDeadSideGoes) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=1
    s = Switch(x, p)
    t = Neg(s:1)
    e = Enter(s:0) frame_name=f
    m = Merge(e, n)
    zero = Const(^m) dtype=float value=0
    less = Less(m, zero)
    c = LoopCond(less)
    ls = Switch(m, c)
    plus = FloorDiv(ls:1, zero)
    n = NextIteration(plus)
    out = Exit(ls:0)
    y = Merge(out, t)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Needed(), "s t y");
}

// A counter that jumps over its bound, or a loop of no trips, is not for this pass.
TEST(FoldSwitchesTest, LoopsStay) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    no = Const() dtype=bool value=0
    e = Enter(x) frame_name=f
    pe = Enter(no) frame_name=f is_constant=true T=bool
    m = Merge(e, n)
    c = LoopCond(pe)
    s = Switch(m, c)
    body = Square(s:1)
    n = NextIteration(body)
    out = Exit(s:0)
  )",
               {"x"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 0);
}

TEST(FoldSwitchesTest, ALoopInTheDeadBranchGoes) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    p = Const() dtype=bool value=1
    s = Switch(x, p)
    t = Neg(s:1)
    e = Enter(s:0) frame_name=f
    m = Merge(e, n)
    zero = Const(^m) dtype=float value=0
    less = Less(m, zero)
    c = LoopCond(less)
    ls = Switch(m, c)
    n = NextIteration(ls:1)
    out = Exit(ls:0)
    y = Merge(out, t)
  )",
               {"x"}, {"y"});
  EXPECT_EQ(g.Run(Pass::kSwitches), 2);
  EXPECT_EQ(g.Needed(), "s t y");
}

}  // namespace
}  // namespace tagflow
