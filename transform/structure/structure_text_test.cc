// Tests: structure_text.cc places.cc roles.cc work.cc uses.h arrange.cc ordering.cc wires.cc
// Tests: liveness.cc recover_tree.cc
#include "transform/structure/structure_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "graph/test_graph.h"
#include "transform/limits.h"

namespace tagflow {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string TextOf(const std::string& graph) {
  return StructureText(TestGraph(graph, OpRegistry::Standard()).graph());
}

constexpr char kCond[] = R"(
  p = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  s = Switch(x, p)
  t = Neg(s:1)
  f = Exp(s:0)
  m = Merge(f, t)
  y = Neg(m)
)";

TEST(StructureTextTest, ACondIsIfAndElse) {
  EXPECT_EQ(TextOf(kCond),
            "if p:\n"
            "  t = Neg(x)\n"
            "  m = t\n"
            "else:\n"
            "  f = Exp(x)\n"
            "  m = f\n"
            "y = Neg(m)\n");
}

constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=f parallel_iterations=3
  k = Enter(n) frame_name=f is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  b = Add(s:1, k)
  next = NextIteration(b)
  out = Exit(s:0)
)";

TEST(StructureTextTest, ALoopIsWhile) {
  EXPECT_EQ(TextOf(kLoop),
            "loop f:\n"
            "  m = x, next b\n"
            "  less = Less(m, n)\n"
            "  while less:\n"
            "    b = Add(m, n)\n"
            "out = m\n");
}

// No pass looks at the names of nodes: with others the text is the same but for them.
TEST(StructureTextTest, NamesDoNotMatter) {
  std::string other = kCond;
  for (const auto& [from, to] :
       {std::pair{" m = Merge(f, t)", " while = Merge(f, t)"}, {"Neg(m)", "Neg(while)"}}) {
    other.replace(other.find(from), std::string(from).size(), to);
  }
  EXPECT_THAT(TextOf(other), HasSubstr("else:\n  f = Exp(x)\n  while = f\ny = Neg(while)\n"));
}

TEST(StructureTextTest, CondsAndLoopsInEachOther) {
  EXPECT_EQ(TextOf(R"(
    x = Placeholder() dtype=float
    n = Placeholder() dtype=float
    e = Enter(x) frame_name=f
    k = Enter(n) frame_name=f is_constant=true
    m = Merge(e, next)
    less = Less(m, k)
    c = LoopCond(less)
    s = Switch(m, c)
    odd = Less(s:1, k)
    s2 = Switch(s:1, odd)
    e2 = Enter(s2:1) frame_name=g
    k2 = Enter(k) frame_name=g is_constant=true
    m2 = Merge(e2, next2)
    less2 = Less(m2, k2)
    c2 = LoopCond(less2)
    w2 = Switch(m2, c2)
    b2 = Neg(w2:1)
    next2 = NextIteration(b2)
    out2 = Exit(w2:0)
    j = Merge(s2:0, out2)
    next = NextIteration(j)
    out = Exit(s:0)
  )"),
            "loop f:\n"
            "  m = x, next j\n"
            "  less = Less(m, n)\n"
            "  while less:\n"
            "    odd = Less(m, n)\n"
            "    if odd:\n"
            "      loop g:\n"
            "        m2 = m, next b2\n"
            "        less2 = Less(m2, n)\n"
            "        while less2:\n"
            "          b2 = Neg(m2)\n"
            "      out2 = m2\n"
            "      j = out2\n"
            "    else:\n"
            "      j = m\n"
            "out = m\n");
}

TEST(StructureTextTest, ACondWithSeveralMerges) {
  EXPECT_EQ(TextOf(R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    z = Placeholder() dtype=float
    s = Switch(x, p)
    r = Switch(z, p)
    t = Neg(s:1)
    m1 = Merge(s:0, t)
    m2 = Merge(t, r:0)
    y = Add(m1, m2)
  )"),
            "if p:\n"
            "  t = Neg(x)\n"
            "  m1 = t\n"
            "  m2 = t\n"
            "else:\n"
            "  m1 = x\n"
            "  m2 = z\n"
            "y = Add(m1, m2)\n");
}

// Of one predicate, and of one that is computed from what the first cond gives.
TEST(StructureTextTest, CondsOneAfterTheOther) {
  EXPECT_EQ(TextOf(std::string(kCond) + R"(
    s2 = Switch(y, p)
    t2 = Neg(s2:1)
    late = Add(t2, t)
    m2 = Merge(s2:0, late)
  )"),
            "if p:\n"
            "  t = Neg(x)\n"
            "  m = t\n"
            "else:\n"
            "  f = Exp(x)\n"
            "  m = f\n"
            "y = Neg(m)\n"
            "if p:\n"
            "  t2 = Neg(y)\n"
            "  late = Add(t2, t)\n"
            "  m2 = late\n"
            "else:\n"
            "  m2 = y\n");
}

// The second cond of p waits for what the first gives; q, which both ask in it, is made in the
// first.
TEST(StructureTextTest, APredicateIsMadeBeforeItsFirstCond) {
  EXPECT_EQ(TextOf(R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    q = Less(s:1, s:1)
    a = Switch(s:1, q)
    b = Neg(a:1)
    m2 = Merge(a:0, b)
    m = Merge(s:0, m2)
    y = Exp(m)
    s3 = Switch(y, p)
    a3 = Switch(s3:1, q)
    pivot = Identity(a3:1)
    c = Const(^pivot) dtype=float value=1
    m4 = Merge(a3:0, c)
    m3 = Merge(s3:0, m4)
  )"),
            "if p:\n"
            "  q = Less(x, x)\n"
            "  if q:\n"
            "    b = Neg(x)\n"
            "    m2 = b\n"
            "  else:\n"
            "    m2 = x\n"
            "  m = m2\n"
            "else:\n"
            "  m = x\n"
            "y = Exp(m)\n"
            "if p:\n"
            "  if q:\n"
            "    m4 = 1\n"
            "  else:\n"
            "    m4 = y\n"
            "  m3 = m4\n"
            "else:\n"
            "  m3 = y\n");
}

TEST(StructureTextTest, ACondForItsEffects) {
  EXPECT_EQ(TextOf(R"(
    p = Placeholder() dtype=bool
    v = VarHandleOp() dtype=float
    one = Const() dtype=float value=1
    s = Switch(p, p) T=bool
    pivot = Identity(s:1) T=bool
    w = Switch(v, p) T=resource
    add = AssignAddVariableOp(w:1, one, ^pivot) dtype=float
    done = NoOp(^add)
  )"),
            "v = VarHandleOp()\n"
            "if p:\n"
            "  add = AssignAddVariableOp(v, 1)\n"
            "  done = NoOp(^add)\n");
}

TEST(StructureTextTest, ASwitchNIsACase) {
  EXPECT_EQ(TextOf(R"(
    i = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    s = _SwitchN(x, i) num_outs=3
    a = Neg(s:0)
    b = Exp(s:1)
    m = Merge(a, b, s:2)
  )"),
            "case i:\n"
            "0:\n"
            "  a = Neg(x)\n"
            "  m = a\n"
            "1:\n"
            "  b = Exp(x)\n"
            "  m = b\n"
            "else:\n"
            "  m = x\n");
}

// ---- What stays ----

TEST(StructureTextTest, AMergeOfWhatIsNotOnePredicateStaysAndTheRestDoesNot) {
  EXPECT_EQ(TextOf(std::string(kCond) + R"(
    q = Placeholder() dtype=bool
    s2 = Switch(y, q)
    odd = Merge(s2:0, t)
  )"),
            "# stays: 't' is used where the cond is not\n"
            "s = Switch(x, p)\n"
            "t = Neg(s:1)\n"
            "f = Exp(s)\n"
            "m = Merge(f, t)\n"
            "y = Neg(m)\n"
            "# stays: 's2' is used where the cond is not\n"
            "s2 = Switch(y, q)\n"
            "# stays: 'odd' joins what is not the ways of one predicate\n"
            "odd = Merge(s2, t)\n");
}

// An If would wait for `two`, and not run where that is dead; the primitives of m do. The cond of
// another predicate is none the worse.
TEST(StructureTextTest, ACondWhoseInputMayBeDeadStays) {
  const std::string text = TextOf(R"(
    p = Placeholder() dtype=bool
    q = Placeholder() dtype=bool
    r = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    odd = Switch(x, q)
    even = Switch(x, r)
    two = Merge(odd:1, even:1)
    s = Switch(x, p)
    a = Neg(s:1)
    m = Merge(a, s:0)
    s2 = Switch(two, p)
    b = Exp(s2:1)
    o = Placeholder() dtype=bool
    w = Switch(x, o)
    e = Exp(w:1)
    j = Merge(e, w:0)
  )");
  EXPECT_THAT(text, HasSubstr("# stays: 'two', which it takes, may be dead where the cond is not\n"
                              "s = Switch(x, p)\n"));
  EXPECT_THAT(text, HasSubstr("if o:\n  e = Exp(x)\n  j = e\n"));
}

TEST(StructureTextTest, AFrameWithoutStructureStaysAndWhatIsAroundItDoesNot) {
  std::string graph = kLoop;
  graph += R"(
    p = Placeholder() dtype=bool
    late = Add(s:1, next)
    z = Switch(out, p)
    a = Neg(z:1)
    j = Merge(z:0, a)
  )";
  EXPECT_EQ(TextOf(graph),
            "e = Enter(x)\n"
            "k = Enter(n)\n"
            "frame f:  # stays: 'late' takes a value of NextIteration\n"
            "  m = Merge(e, next)\n"
            "  less = Less(m, k)\n"
            "  c = LoopCond(less)\n"
            "  s = Switch(m, c)\n"
            "  b = Add(s:1, k)\n"
            "  next = NextIteration(b)\n"
            "  out = Exit(s)\n"
            "  late = Add(s:1, next)\n"
            "if p:\n"
            "  a = Neg(out)\n"
            "  j = a\n"
            "else:\n"
            "  j = out\n");
}

// ---- Sizes ----

// x, in conds in conds; each has a Merge.
std::string Nested(int depth) {
  std::string text = "x = Placeholder() dtype=float\n";
  std::string inner = "x";
  for (int i = 0; i < depth; ++i) {
    const std::string number = std::to_string(i);
    text += "p" + number + " = Placeholder() dtype=bool\n";
    text += "s" + number + " = Switch(" + inner + ", p" + number + ")\n";
    inner = "s" + number + ":1";
  }
  text += "y = Neg(" + inner + ")\n";
  inner = "y";
  for (int i = depth - 1; i >= 0; --i) {
    const std::string number = std::to_string(i);
    text += "m" + number + " = Merge(" + inner + ", s" + number + ":0)\n";
    inner = "m" + number;
  }
  return text;
}

TEST(StructureTextTest, WhatIsTooDeepStays) {
  EXPECT_THAT(TextOf(Nested(kMostNestedRegions)), Not(HasSubstr("stays")));
  const std::string deep = TextOf(Nested(kMostNestedRegions + 1));
  EXPECT_THAT(deep, HasSubstr("# stays: it is in 64 loops and conds\n"));
  EXPECT_THAT(deep, HasSubstr("if p63:\n"));
}

TEST(StructureTextTest, NoDepthIsTooMuch) {
  EXPECT_THAT(TextOf(Nested(3000)), HasSubstr("if p0:\n"));
}

// The same predicate again and again, with something outside in between: a cond each.
TEST(StructureTextTest, ManyCondsOfOnePredicate) {
  std::string text = "p = Placeholder() dtype=bool\ny0 = Placeholder() dtype=float\n";
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    text += "s" + number + " = Switch(y" + number + ", p)\n";
    text += "t" + number + " = Neg(s" + number + ":1)\n";
    text += "m" + number + " = Merge(t" + number + ", s" + number + ":0)\n";
    text += "y" + std::to_string(i + 1) + " = Exp(m" + number + ")\n";
  }
  const std::string found = TextOf(text);
  int conds = 0;
  for (size_t at = 0; (at = found.find("if p:", at)) != std::string::npos; ++at) ++conds;
  EXPECT_EQ(conds, kMany);
}

// ---- Functions, and graphs that cannot run ----

TEST(StructureTextTest, AGraphThatNoCallCanBeMadeOfIsAListOfItsNodes) {
  EXPECT_EQ(TextOf("a = Neg(b)\nb = Neg(a)\n"), "");
}

}  // namespace
}  // namespace tagflow
