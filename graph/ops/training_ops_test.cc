#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(TrainingOpsTest, VariablesAndGradientHaveOneShape) {
  EXPECT_EQ(ShapesOf("ApplyGradientDescent", {}, {"[2,?]", "[]", "[?,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("ApplyMomentum", {}, {"[?]", "[2]", "[]", "<unknown>", "[]"}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("ApplyAdagrad", {}, {"[2]", "[3]", "[]", "[2]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf("ApplyGradientDescent", {}, {"[2]", "[1]", "[2]"}),
               "must be a scalar");
}

TEST(TrainingOpsTest, HandlesSayNothingOfTheirVariables) {
  EXPECT_EQ(ShapesOf("ResourceApplyGradientDescent", {}, {"[]", "[]", "[2]"}), "");
  EXPECT_EQ(ShapesOf("ResourceApplyKerasMomentum", {}, {"[]", "[]", "[]", "[2]", "[]"}), "");
  EXPECT_PRED2(Contains, ShapesOf("ResourceApplyMomentum", {}, {"[]", "[1]", "[]", "[]", "[]"}),
               "must be a scalar");
}

}  // namespace
}  // namespace tagflow
