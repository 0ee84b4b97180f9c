#include "optimized/tokens/kept_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

using testing::HasSubstr;

class Kept : public testing::TestWithParam<Mode> {
 protected:
  static std::string Text(const std::string& graph, const Feeds& feeds,
                          const std::vector<std::string>& fetches) {
    return TestRun(graph, GetParam()).Text(feeds, fetches);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Kept, testing::ValuesIn(AllModes()));

constexpr char kThree[] = R"(
  p = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  y = Placeholder() dtype=float
  z = Placeholder() dtype=float
  way = Switch(x, p) T=float
  slow = Neg(way:1) T=float
  slower = Neg(slow) T=float
  m = Merge(slower, y, z) T=float N=3
  one = Const() dtype=float value=1
  more = AddV2(m, one) T=float
  out = Neg(more) T=float
)";

Feeds Of(bool p, std::vector<float> x, std::vector<float> y, std::vector<float> z) {
  return {{"p", Tensor::Scalar(p)},
          {"x", Tensor::Vector(x)},
          {"y", Tensor::Vector(y)},
          {"z", Tensor::Vector(z)}};
}

TEST_P(Kept, AllLiveInputsMustBeEqual) {
  EXPECT_EQ(Text(kThree, Of(true, {1, 2}, {1, 2}, {1, 2}), {"out"}), "float[2] [-2, -3]");
  EXPECT_EQ(Text(kThree, Of(false, {7}, {1, 2}, {1, 2}), {"out"}), "float[2] [-2, -3]");
  for (const Feeds& feeds : {Of(true, {1, 2}, {1, 2}, {1, 3}), Of(true, {1, 2}, {1, 3}, {1, 2}),
                             Of(true, {1, 3}, {1, 2}, {1, 2})}) {
    EXPECT_THAT(Text(kThree, feeds, {"out"}), HasSubstr("they hold other values"));
  }
  EXPECT_THAT(Text(kThree, Of(true, {1}, {1, 2}, {1}), {"out"}),
              HasSubstr("[node m, rule merge.3]"));
  EXPECT_THAT(Text(kThree, Of(true, {1}, {1}, {1}), {"out", "m:1"}),
              HasSubstr("value_index tells them apart"));
}

// "slower" comes when the Merge has fired, which lets go of it.
TEST_P(Kept, WhatComesSecondMayBeFetched) {
  EXPECT_EQ(Text(kThree, Of(true, {1, 2}, {1, 2}, {1, 2}), {"slower", "out"}),
            "float[2] [1, 2]; float[2] [-2, -3]");
}

TEST_P(Kept, OneTensorOnBothInputs) {
  const char* graph = R"(
    x = Placeholder() dtype=float
    y = Neg(x) T=float
    m = Merge(y, y) T=float
    out = Neg(m) T=float
  )";
  EXPECT_EQ(Text(graph, {{"x", Tensor::Vector<float>({1, 2})}}, {"out"}), "float[2] [1, 2]");
}

// The frame has the value while its second input, from a constant Enter of another loop, is late.
TEST_P(Kept, InEveryIteration) {
  const std::string graph = CountingLoop() + R"(
    twice = AddV2(sum, body) T=int32
    less_once = Sub(twice, body) T=int32
    joined = Merge(sum, less_once) T=int32
    total_in = Enter(zero) T=int32 frame_name=loop
    total = Merge(total_in, total_next) T=int32
    total_way = Switch(total, again) T=int32
    total_sum = AddV2(total_way:1, joined) T=int32
    total_next = NextIteration(total_sum) T=int32
    total_out = Exit(total_way:0) T=int32
  )";
  EXPECT_EQ(Text(graph, {{"n", Int(10)}}, {"total_out"}), "int32[] 55");
}

TEST_P(Kept, WhatIsNotComparedIsARace) {
  const char* strings = R"(
    x = Placeholder() dtype=string
    y = Identity(x) T=string
    m = Merge(x, y) T=string
  )";
  EXPECT_THAT(Text(strings, {{"x", Tensor::Scalar(std::string("a"))}}, {"m"}),
              HasSubstr("values of string are not compared"));
}

const PlanNode& MergeOf(const TokenPlan& plan) {
  return *std::ranges::find(plan.nodes, Role::kMerge, &PlanNode::role);
}

bool Keeps(const std::string& text, const std::vector<std::string>& feeds) {
  TestGraph graph(text, OpRegistry::Standard());
  const CallSpec call = graph.Call(feeds, {"m"});
  const ValidatedCall valid = *ValidateCall(graph.graph(), call);
  const Result<TokenPlan> plan =
      MakeTokenPlan({graph.graph(), call, valid, KernelRegistry::Standard(), 1});
  return MergeOf(*plan).keeps_live_input;
}

TEST(KeptInputs, NothingIsKeptWhereDeadnessExcludesASecond) {
  const std::string inputs =
      "p = Placeholder() dtype=bool\n x = Placeholder() dtype=float\n"
      "way = Switch(x, p) T=float\n";
  EXPECT_FALSE(Keeps(inputs + "m = Merge(way:0, way:1) T=float", {"p", "x"}));
  EXPECT_TRUE(Keeps(inputs + "m = Merge(way:0, x) T=float", {"p", "x"}));
}

}  // namespace
}  // namespace tagflow::optimized::tokens
