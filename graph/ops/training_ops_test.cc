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
  const std::vector<std::string> scalars(11, "[]");
  EXPECT_EQ(ShapesOf("ResourceApplyAdamWithAmsgrad", {}, scalars), "");
  EXPECT_PRED2(Contains, ShapesOf("ResourceApplyMomentum", {}, {"[]", "[1]", "[]", "[]", "[]"}),
               "must be a scalar");
}

TEST(TrainingOpsTest, RowsOfAGradientAreLikeThoseOfTheVariables) {
  const char* op = "SparseApplyAdagrad";
  EXPECT_EQ(ShapesOf(op, {}, {"[?,3]", "[5,?]", "[]", "[2,3]", "[2]"}), "[5,3]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[5,?]", "[]", "<unknown>", "[?]"}), "[5,?]");
  EXPECT_EQ(ShapesOf("ResourceSparseApplyFtrl", {},
                     {"[]", "[]", "[]", "[2,3]", "[?]", "[]", "[]", "[]", "[]"}),
            "");
  EXPECT_EQ(ShapesOf("SparseApplyAdagradDA", {},
                     {"[4]", "[4]", "[4]", "[2]", "[2]", "[]", "[]", "[]", "[]"}),
            "[4]");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5,3]", "[5,3]", "[]", "[2,4]", "[2]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5,3]", "[5,3]", "[]", "[2,3]", "[3]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[5,3]", "[5,3]", "[]", "[2,3]", "[1,2]"}), "rank 1");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"<unknown>", "[]", "[]", "[]", "[1]"}), "a scalar");
  EXPECT_PRED2(Contains,
               ShapesOf("ResourceSparseApplyAdagrad", {}, {"[]", "[]", "[]", "[2,3]", "[3]"}),
               "must be equal");
}

}  // namespace
}  // namespace tagflow
