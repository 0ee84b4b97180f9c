#include <gtest/gtest.h>

#include "graph/near_names.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

using Names = std::vector<std::string>;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(FindOutputTest, TakesNodeAndIndex) {
  const TestGraph g(R"(
    a = Const()
    p = Const() T=bool
    s = Switch(a, p)
  )");
  EXPECT_EQ(*FindOutput(g.graph(), "s"), (OutputRef{g.id("s"), 0}));
  EXPECT_EQ(*FindOutput(g.graph(), "s:1"), (OutputRef{g.id("s"), 1}));
}

TEST(FindOutputTest, SaysWhatOutputsThereAre) {
  const TestGraph g(R"(
    a = Const()
    p = Const() T=bool
    s = Switch(a, p)
    n = NoOp()
  )");
  EXPECT_CONTAINS(FindOutput(g.graph(), "s:2").status().ToString(), "'s:0' to 's:1'");
  EXPECT_CONTAINS(FindOutput(g.graph(), "a:1").status().ToString(), "one output, 'a:0'");
  EXPECT_CONTAINS(FindOutput(g.graph(), "n").status().ToString(), "no outputs");
}

TEST(FindOutputTest, RefusesControlEdgesAndNonsense) {
  const TestGraph g("a = Const()");
  for (const char* name : {"^a", "a:", "a:x", "a:-1", ":0", "", "^", "a:99999999999"}) {
    const Result<OutputRef> output = FindOutput(g.graph(), name);
    ASSERT_FALSE(output.ok()) << name;
    EXPECT_EQ(output.status().code(), Code::kInvalidArgument) << name;
  }
  EXPECT_CONTAINS(FindOutput(g.graph(), "^a").status().ToString(), "make it a target");
}

TEST(FindOutputTest, TakesAnyOutputOfAnUnknownOp) {
  const TestGraph g("a = Mystery()");
  EXPECT_EQ(FindOutput(g.graph(), "a:7")->index, 7);
}

TEST(FindOutputTest, SuggestsNearNames) {
  const TestGraph g(R"(
    loss = Const()
    train/step = Const()
    Weights = Const()
    unrelated = Const()
  )");
  EXPECT_CONTAINS(FindOutput(g.graph(), "losss").status().ToString(), "did you mean 'loss'?");
  EXPECT_EQ(FindOutput(g.graph(), "losss").status().code(), Code::kNotFound);
  EXPECT_EQ(NearNames(g.graph(), "step"), Names{"train/step"});
  EXPECT_EQ(NearNames(g.graph(), "weights"), Names{"Weights"});
  EXPECT_EQ(NearNames(g.graph(), "xyzzy"), Names{});
}

}  // namespace
}  // namespace tagflow
