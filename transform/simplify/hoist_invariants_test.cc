#include "transform/simplify/hoist_invariants.h"

#include "transform/simplify/test_simplify.h"

namespace tagflow {
namespace {

// i = x; while i < n: i = f(i), where f is in the line `body` and the predicate's bound in `bound`.
std::string Loop(const std::string& more, const std::string& bound, const std::string& sum) {
  return R"(
    x = Placeholder() dtype=float
    n = Placeholder() dtype=float
    e = Enter(x) frame_name=f
    ne = Enter(n) frame_name=f is_constant=true
    m = Merge(e, next)
    less = Less(m, )" +
         bound + R"()
    c = LoopCond(less)
    s = Switch(m, c)
    i = Identity(s:1)
    next = NextIteration(sum)
    out = Exit(s:0)
    sum = )" +
         sum + "\n" + more;
}

TEST(HoistInvariantsTest, WhatEveryLoopComputesMovesOut) {
  Simplified g(Loop("twice = Add(ne, ne)", "twice", "Add(i, twice)"), {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("twice"), "Add(n, n)");
  EXPECT_EQ(g.Line("twice/Enter"), "Enter(twice)");
  EXPECT_EQ(g.Line("less"), "Less(m, twice/inside)");
  EXPECT_EQ(g.Line("sum"), "Add(i, twice/inside)");
}

// In the last iteration, which is false, it is as dead as it was.
TEST(HoistInvariantsTest, WhatWaitsInTheBodyWaitsStill) {
  Simplified g(Loop("neg = Neg(ne, ^i)", "ne", "Add(i, neg)"), {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("neg"), "Neg(n)");
  EXPECT_EQ(g.Line("neg/inside"), "Identity(neg/Enter, ^i)");
}

// A loop of no trips does not run its body, and so must not fail in it.
TEST(HoistInvariantsTest, WhatCanFailStaysInTheBody) {
  Simplified g(Loop("q = FloorDiv(ne, ne, ^i)", "ne", "Add(i, q)"), {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 0);
  // Two shapes may not fit.
  Simplified two(Loop("q = Add(ne, ne, ^i)", "ne", "Add(i, q)"), {"x", "n"}, {"out"});
  EXPECT_EQ(two.Run(Pass::kInvariants), 0);
}

TEST(HoistInvariantsTest, ConstantsOfTheBodyGoAlong) {
  Simplified g(Loop("one = Const(^i) dtype=float value=1\n p = Add(ne, one)", "ne", "Add(i, p)"),
               {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("p"), "Add(n, one/outside)");
  EXPECT_EQ(g.Line("one/outside"), "Const() float[] 1");
  EXPECT_EQ(g.Line("p/inside"), "Identity(p/Enter, ^i)");
}

TEST(HoistInvariantsTest, ChainsMoveAtOnce) {
  Simplified g(Loop("a = Neg(ne, ^i)\n b = Exp(a)\n q = Square(b, ^a)", "ne", "Add(i, q)"),
               {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 3);
  EXPECT_EQ(g.Line("b"), "Exp(a)");
  EXPECT_EQ(g.Line("q"), "Square(b)");
  EXPECT_EQ(g.Line("q/inside"), "Identity(q/Enter, ^a/inside, ^i)");
}

TEST(HoistInvariantsTest, EffectsAndTargetsStay) {
  Simplified random(Loop("r = RandomUniform(shape, ^i) dtype=float T=int32\n"
                         "shape = Enter(k) frame_name=f is_constant=true T=int32\n"
                         "k = Const() dtype=int32 value=1",
                         "ne", "Add(i, r)"),
                    {"x", "n"}, {"out"});
  EXPECT_EQ(random.Run(Pass::kInvariants), 0);
  Simplified target(Loop("neg = Neg(ne)", "ne", "Add(i, neg)"), {"x", "n"}, {"out"}, {"neg"});
  EXPECT_EQ(target.Run(Pass::kInvariants), 0);
}

TEST(HoistInvariantsTest, AnEnterThatWaitsIsWaitedFor) {
  Simplified g(Loop("w = NoOp()\n ke = Enter(n, ^w) frame_name=f is_constant=true\n neg = Neg(ke)",
                    "ne", "Add(i, neg)"),
               {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("neg/Enter"), "Enter(neg, ^w)");
}

// The order leaves out what comes after its Merge, as no Enter leads there at once.
TEST(HoistInvariantsTest, AVariableOfAnotherFormTakesWhatMoved) {
  Simplified g(R"(
    x = Placeholder() dtype=float
    n = Placeholder() dtype=float
    e = Enter(x) frame_name=f
    ne = Enter(n) frame_name=f is_constant=true
    neg = Neg(ne)
    start = Identity(e)
    m = Merge(start, next)
    less = Less(m, neg)
    c = LoopCond(less)
    s = Switch(m, c)
    sum = Add(s:1, neg)
    next = NextIteration(sum)
    out = Exit(s:0)
  )",
               {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("neg"), "Neg(n)");
  EXPECT_EQ(g.Line("less"), "Less(m, neg/inside)");
  EXPECT_EQ(g.Line("sum"), "Add(s:1, neg/inside)");
}

// From the inner loop to the outer one, and out of that when the pass runs again.
TEST(HoistInvariantsTest, InnerLoopsGiveToOuterOnes) {
  Simplified g(Loop(R"(
    nee = Enter(ne) frame_name=g is_constant=true
    ie = Enter(i) frame_name=g
    im = Merge(ie, inext)
    ione = Const(^im) dtype=float value=1
    bound = Mul(nee, ione)
    iless = Less(im, bound)
    ic = LoopCond(iless)
    is = Switch(im, ic)
    isum = Square(is:1)
    inext = NextIteration(isum)
    iout = Exit(is:0)
  )",
                    "ne", "Neg(iout)"),
               {"x", "n"}, {"out"});
  EXPECT_EQ(g.Run(Pass::kInvariants), 1);
  EXPECT_EQ(g.Line("bound"), "Mul(n, ione/outside/outside)");
  EXPECT_EQ(g.Line("iless"), "Less(im, bound/inside)");
  EXPECT_EQ(g.Line("bound/inside"), "Identity(bound/Enter, ^im)");
  EXPECT_EQ(g.Line("bound/Enter"), "Enter(bound/inside_1)");
  g.CheckValid();
}

// Every variable of the outer loop goes round through its Switch but `all`, which has none. In the
// iteration that begins with `all` alone, `ie` never comes, and `nee` alone makes the inner frame,
// which stays open and so ends the outer loop. `both` must not take `nee` away.
TEST(HoistInvariantsTest, WhatAloneMayEnterAnInnerFrameStays) {
  const auto loop = [](const std::string& round) {
    return Loop(R"(
    ae = Enter(x) frame_name=f
    all = Merge(ae, anext)
    as = Switch(all, c)
    anext = NextIteration()" +
                    round + R"()
    nee = Enter(ne) frame_name=g is_constant=true
    ie = Enter(i) frame_name=g is_constant=true
    je = Enter(i) frame_name=g
    jm = Merge(je, jnext)
    both = Maximum(nee, ie)
    jless = Less(jm, both)
    jc = LoopCond(jless)
    js = Switch(jm, jc)
    jnext = NextIteration(js:1)
    jout = Exit(js:0)
  )",
                "ne", "Neg(jout)");
  };
  Simplified partial(loop("all"), {"x", "n"}, {"out"}, {"anext"});
  EXPECT_EQ(partial.Run(Pass::kInvariants), 0);
  Simplified whole(loop("as:1"), {"x", "n"}, {"out"}, {"anext"});
  EXPECT_EQ(whole.Run(Pass::kInvariants), 1);
  EXPECT_EQ(whole.Line("both"), "Maximum(ne, i)");
}

}  // namespace
}  // namespace tagflow
