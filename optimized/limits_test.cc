// Each limit of limits.h: below it, at it, and above.

#include "optimized/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

TEST(LimitsTest, ANodeOfMoreOutputsThanStraightCodeCountsRunsByTokens) {
  for (const uint32_t outputs :
       {kMaxStraightOutputs - 1, kMaxStraightOutputs, kMaxStraightOutputs + 1}) {
    std::vector<float> elements(outputs);
    for (uint32_t i = 0; i < outputs; ++i) elements[i] = static_cast<float>(i);
    const auto session = *Session::Create(TestGraph("axis = Const() dtype=int32 value=0\n"
                                                    "x = Placeholder() dtype=float\n"
                                                    "parts = Split(axis, x) T=float num_split=" +
                                                        std::to_string(outputs),
                                                    OpRegistry::Standard())
                                              .Take());
    const std::vector<std::string> fetches = {"parts:0", "parts:" + std::to_string(outputs - 1)};
    const auto values = session->Run({{"x", Tensor::Vector(elements)}}, fetches);
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ(*(*values)[0].data<float>(), 0);
    EXPECT_EQ(*(*values)[1].data<float>(), static_cast<float>(outputs - 1));
    const bool is_straight =
        (*session->MakeCallable({"x"}, fetches))->about().starts_with("straight");
    EXPECT_EQ(is_straight, outputs <= kMaxStraightOutputs) << outputs;
  }
}

// A node that waits so often for another.
TEST(LimitsTest, ANodeOfMoreInputsThanTokensCountIsRefused) {
  for (const uint32_t inputs : {kMaxTokenInputs - 1, kMaxTokenInputs, kMaxTokenInputs + 1}) {
    TestGraph graph("x = Const() dtype=float value=3\ny = Identity(x) T=float",
                    OpRegistry::Standard());
    graph.mutable_graph()
        .mutable_node(graph.id("y"))
        .control_inputs.assign(inputs - 1, graph.id("x"));
    SessionOptions options;
    options.executor = ExecutorChoice::kTokens;
    const auto session = *Session::Create(graph.Take(), options);
    const Status status = session->Run({}, {"y"}).status();
    EXPECT_EQ(status.code(), inputs <= kMaxTokenInputs ? Code::kOk : Code::kResourceExhausted)
        << inputs << ": " << status.ToString();
  }
}

TEST(LimitsTest, ASessionOfMoreThreadsIsRefused) {
  const auto open = [](int threads) {
    SessionOptions options;
    options.threads = threads;
    return Session::Create(Graph(), options).status();
  };
  EXPECT_TRUE(open(kMaxThreads - 1).ok());
  EXPECT_TRUE(open(kMaxThreads).ok());
  const Status error = open(kMaxThreads + 1);
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_NE(error.message().find(std::to_string(kMaxThreads)), std::string::npos);
}

}  // namespace
}  // namespace tagflow::optimized
