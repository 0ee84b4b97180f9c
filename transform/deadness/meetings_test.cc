#include "transform/deadness/meetings.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/limits.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kInputs[] = R"(
  p = Placeholder() dtype=bool
  q = Placeholder() dtype=bool
  i = Placeholder() dtype=int32
  x = Placeholder() dtype=float
  s = Switch(x, p)
  t = Switch(x, q)
)";

// Whether two live inputs may meet in the Merge 'm'.
bool MayMeet(const std::string& text, std::vector<std::string> feeds = {"p", "q", "i", "x"},
             const std::string& fetch = "m") {
  TestGraph g(kInputs + text, OpRegistry::Standard());
  const CallSpec call = g.Call(feeds, {fetch});
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  return MergesWhereTwoMayMeet(g.graph(), call, *valid)[Index(g.id("m"))];
}

TEST(Meetings, TheWaysOfOnePredicateDoNotMeet) {
  EXPECT_FALSE(MayMeet("m = Merge(s:0, s:1)"));
  EXPECT_FALSE(MayMeet("a = Add(s:1, t:1)\n b = Add(s:0, x)\n m = Merge(a, b)"));
  EXPECT_FALSE(
      MayMeet("c = NoOp(^s)\n a = Identity(s:1)\n b = Identity(x, ^d)\n"
              "d = Identity(s:0, ^c)\n m = Merge(a, b)"));
  EXPECT_FALSE(MayMeet("w = _SwitchN(x, i) num_outs=3\n m = Merge(w:0, w:1, w:2) N=3"));
}

TEST(Meetings, OthersMay) {
  EXPECT_TRUE(MayMeet("m = Merge(s:1, x)"));
  EXPECT_TRUE(MayMeet("m = Merge(s:1, t:0)"));
  EXPECT_TRUE(MayMeet("a = Add(s:1, t:1)\n m = Merge(s:0, t:0, a) N=3"));
  EXPECT_TRUE(MayMeet("m = Merge(x, x)"));
  EXPECT_TRUE(MayMeet("c = ControlTrigger(^s)\n a = Identity(x, ^c)\n m = Merge(a, s:0)"));
}

TEST(Meetings, WhatOneInputHasAloneIsNotNeededByTheMerge) {
  // n needs p alone; the ways of q are joined in it.
  const std::string nested = "u = Switch(s:1, q)\n n = Merge(u:0, u:1)\n";
  EXPECT_FALSE(MayMeet(nested + "m = Merge(n, s:0)"));
  EXPECT_TRUE(MayMeet(nested + "m = Merge(n, t:0)"));
}

TEST(Meetings, AFedTensorIsLive) {
  EXPECT_TRUE(MayMeet("m = Merge(s:0, s:1)", {"s:0", "p", "x"}));
  EXPECT_FALSE(MayMeet("m = Merge(s:0, s:1)", {"p", "x"}));
}

// "a" hangs on so many conditions, one of which is that p says no.
TEST(Meetings, ANodeMayHangOnSoManyConditions) {
  for (const int32_t conditions : {kMostConditions - 1, kMostConditions, kMostConditions + 1}) {
    std::string text = "a1 = Identity(s:1)\n";
    std::vector<std::string> feeds = {"p", "x"};
    for (int32_t i = 2; i <= conditions; ++i) {
      const std::string at = std::to_string(i), before = std::to_string(i - 1);
      text += "p" + at + " = Placeholder() dtype=bool\n" + "s" + at + " = Switch(a" + before +
              ", p" + at + ")\n" + "a" + at + " = Identity(s" + at + ":1)\n";
      feeds.push_back("p" + at);
    }
    text += "m = Merge(a" + std::to_string(conditions) + ", s:0)";
    EXPECT_EQ(MayMeet(text, feeds), conditions > kMostConditions) << conditions;
  }
}

TEST(Meetings, AnIrregularGraphIsTold) {
  EXPECT_FALSE(MayMeet("n = Merge(s:1, x)\n u = Switch(n, q)\n m = Merge(u:0, u:1)"));
}

TEST(Meetings, AVariableMayChangeBetweenTwoThatAskIt) {
  const std::string text = R"(
    v = VariableV2() dtype=bool shape=[]
    a = Switch(x, v)
    b = Switch(x, v)
    m = Merge(a:0, b:1)
  )";
  EXPECT_TRUE(MayMeet(text));
  EXPECT_FALSE(MayMeet(R"(
    v = VariableV2() dtype=bool shape=[]
    read = Identity(v) T=bool
    a = Switch(x, read)
    b = Switch(x, read)
    m = Merge(a:0, b:1)
  )"));
}

TEST(Meetings, ALoopVariableHasOneInputAtATime) {
  const auto loop = [](const std::string& body, const std::string& merge) {
    return R"(
      e = Enter(x) frame_name=loop
      f = Enter(x) frame_name=loop
      k = Enter(x) frame_name=loop is_constant=true
      )" + merge +
           R"(
      less = Less(m, k)
      c = LoopCond(less)
      way = Switch(m, c)
      )" + body +
           R"(
      next = NextIteration(way:1)
      out = Exit(way:0)
    )";
  };
  const std::vector<std::string> feeds = {"x"};
  EXPECT_FALSE(MayMeet(loop("", "m = Merge(e, next)"), feeds, "out"));
  EXPECT_TRUE(MayMeet(loop("", "m = Merge(e, f, next) N=3"), feeds, "out"));
  EXPECT_TRUE(MayMeet(loop("", "m = Merge(e, k, next) N=3"), feeds, "out"));
}

}  // namespace
}  // namespace tagflow
