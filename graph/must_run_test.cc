#include "graph/must_run.h"

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
)";

// Whether 'n' must run in a call that fetches `fetch`.
bool MustRun(const std::string& text, const std::string& fetch = "n",
             const std::vector<std::string>& feeds = {"p", "q", "i", "x"}) {
  TestGraph g(kInputs + text, OpRegistry::Standard());
  const CallSpec call = g.Call(feeds, {fetch});
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  return NodesThatMustRun(g.graph(), call, *valid)[Index(g.id("n"))];
}

TEST(MustRun, ASwitchKillsWhatHangsOnIt) {
  EXPECT_TRUE(MustRun("n = Neg(x)"));
  EXPECT_FALSE(MustRun("n = Neg(s:1)"));
  EXPECT_FALSE(MustRun("n = Add(x, s:0)"));
  EXPECT_FALSE(MustRun("c = Identity(s:0)\n n = Neg(x, ^c)"));
  EXPECT_TRUE(MustRun("n = Neg(x, ^s)"));
  EXPECT_TRUE(MustRun("c = Identity(s:0)\n d = ControlTrigger(^c)\n n = Neg(x, ^d)"));
}

TEST(MustRun, AMergeOfAllWaysIsLive) {
  EXPECT_TRUE(MustRun("m = Merge(s:0, s:1)\n n = Neg(m)"));
  EXPECT_FALSE(MustRun("r = Switch(x, q)\n m = Merge(s:0, r:1)\n n = Neg(m)"));
  EXPECT_TRUE(MustRun("m = Merge(s:0, x)\n n = Neg(m)"));
  const std::string nested = "r = Switch(s:1, q)\n a = Neg(r:0)\n k = Merge(a, r:1)\n";
  EXPECT_TRUE(MustRun(nested + "m = Merge(s:0, k)\n n = Neg(m)"));
  EXPECT_TRUE(MustRun(nested + "m = Merge(s:0, a, r:1) N=3\n n = Neg(m)"));
  EXPECT_FALSE(MustRun(nested + "n = Neg(k)"));
  EXPECT_TRUE(MustRun("w = _SwitchN(x, i) num_outs=3\n m = Merge(w:0, w:2, w:1) N=3\n n = Neg(m)"));
  EXPECT_FALSE(MustRun("w = _SwitchN(x, i) num_outs=3\n m = Merge(w:0, w:2)\n n = Neg(m)"));
}

// A branch in a branch, and so on, so many deep, and all that is joined again.
std::string Nested(int32_t depth) {
  std::string text = "s0 = Switch(x, p0)\n", joins;
  for (int32_t i = 0; i < depth; ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i + 1);
    text += "p" + at + " = Placeholder() dtype=bool\n";
    if (i + 1 < depth) text += "s" + next + " = Switch(s" + at + ":1, p" + next + ")\n";
    const std::string then = i + 1 < depth ? "m" + next : "s" + at + ":1";
    joins = "m" + at + " = Merge(s" + at + ":0, " + then + ")\n" + joins;
  }
  return text + joins;
}

TEST(MustRun, ANodeMayHangOnSoManyConditions) {
  for (const int32_t depth : {kMostConditions - 1, kMostConditions, kMostConditions + 1}) {
    std::vector<std::string> feeds = {"x"};
    for (int32_t i = 0; i < depth; ++i) feeds.push_back("p" + std::to_string(i));
    EXPECT_EQ(MustRun(Nested(depth) + "n = Neg(m0)", "n", feeds), depth <= kMostConditions)
        << depth;
  }
}

TEST(MustRun, AVariableMayChangeBetweenTwoThatAskIt) {
  const std::string variable = "v = VariableV2() dtype=bool shape=[]\n";
  const std::string read = variable + "r = Identity(v) T=bool\n";
  const std::string merge = "m = Merge(a:0, b:1)\n n = Neg(m)";
  EXPECT_FALSE(MustRun(variable + "a = Switch(x, v)\n b = Switch(x, v)\n" + merge));
  EXPECT_TRUE(MustRun(variable + "a = Switch(x, v)\n m = Merge(a:0, a:1)\n n = Neg(m)"));
  EXPECT_TRUE(MustRun(read + "a = Switch(x, r)\n b = Switch(x, r)\n" + merge));
  EXPECT_FALSE(
      MustRun(read + "s2 = Identity(v) T=bool\n a = Switch(x, r)\n b = Switch(x, s2)\n" + merge));
}

TEST(MustRun, AFeedIsLive) { EXPECT_TRUE(MustRun("n = Neg(s:1)", "n", {"p", "x", "s:1"})); }

std::string Loop(const std::string& in_cond, const std::string& in_body, const std::string& after) {
  return R"(
    e = Enter(x) frame_name=loop
    k = Enter(x) frame_name=loop is_constant=true
    m = Merge(e, next)
    )" + in_cond +
         R"(
    less = Less(m, k)
    c = LoopCond(less)
    way = Switch(m, c)
    )" + in_body +
         R"(
    next = NextIteration(way:1)
    out = Exit(way:0)
    )" + after;
}

TEST(MustRun, ALoopMakesItsConditionOnceAndEnds) {
  EXPECT_TRUE(MustRun(Loop("", "", "n = Neg(out)")));
  EXPECT_TRUE(
      MustRun(Loop("n = Neg(m)", "extra = Switch(n, c)", "other = Exit(extra:0)"), "other"));
  EXPECT_FALSE(
      MustRun(Loop("", "n = Neg(way:1)\n on = Switch(n, c)", "other = Exit(on:1)"), "other"));
}

}  // namespace
}  // namespace tagflow
