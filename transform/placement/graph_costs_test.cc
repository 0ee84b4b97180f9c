#include "transform/placement/graph_costs.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

class GraphCostsTest : public testing::Test {
 protected:
  GraphCostsTest()
      : graph_(R"(
          x = Const() dtype=int32 value=3
          y = Identity(x) T=int32
          square = Square(y) T=int32
          list = EmptyTensorList(x, x) element_dtype=int32 shape_type=int32
          push = TensorListPushBack(list, square) element_dtype=int32
        )",
               OpRegistry::Standard()),
        costs_(graph_.graph(), devices_, options_) {}

  const std::vector<DeviceInfo> devices_ = {{"/device:CPU:0", "CPU"}, {"/device:SIM:0", "SIM"}};
  const CostOptions options_;
  TestGraph graph_;
  GraphCosts costs_;
};

TEST_F(GraphCostsTest, AFiringCostsWhatTheModelSaysOfItsShapes) {
  EXPECT_EQ(costs_.FiringNs(graph_.node("square")),
            (std::vector<double>{100 + 8.0 / 10, 5000 + 8.0 / 200}));
}

TEST_F(GraphCostsTest, AMessageCostsItsLink) {
  const OutputRef square = {graph_.id("square"), 0};
  EXPECT_EQ(costs_.BytesOf(square), 4);
  EXPECT_EQ(costs_.MessageNs(square, 0, 1), 10000 + 4.0 / 10);
  EXPECT_EQ(costs_.MessageNs(square, 0, 0), 1000 + 4.0 / 10);
  EXPECT_EQ(costs_.BytesOf({graph_.id("square"), TensorName::kControl}), 1);
}

TEST_F(GraphCostsTest, WhatHandsOnTakesNoTimeOfAStep) {
  EXPECT_TRUE(costs_.Computes(graph_.node("square")));
  EXPECT_FALSE(costs_.Computes(graph_.node("y")));
  EXPECT_FALSE(costs_.Computes(graph_.node("push")));
  const StepTimes times = StepTimesBy(costs_, graph_.graph());
  EXPECT_EQ(times.firing(graph_.id("square"), 0), 100.8);
  EXPECT_EQ(times.firing(graph_.id("push"), 0), 0);
  EXPECT_EQ(times.message({graph_.id("x"), 0}, 1, 0), 10000.4);
}

}  // namespace
}  // namespace tagflow
