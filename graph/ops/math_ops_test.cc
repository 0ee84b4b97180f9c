// Tests: activation_ops.cc, bitwise_ops.cc, complex_ops.cc, math_ops.cc, special_ops.cc

#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(MathOpsTest, UnaryOpsKeepTheShape) {
  for (const char* op : {"Neg", "Exp", "Relu", "Round", "Acosh", "LeakyRelu", "Selu", "Invert",
                         "PopulationCount", "Conj", "Angle", "Real", "Lgamma", "Ndtri"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
  }
}

TEST(MathOpsTest, BinaryOpsBroadcast) {
  for (const char* op : {"Add", "AddV2", "FloorMod", "Maximum", "Pow", "Xlogy", "Atan2",
                         "NextAfter", "LeftShift", "Complex", "Igamma", "Zeta"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,1]", "[3]"}), "[2,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[3]"}), "cannot be broadcast") << op;
  }
}

TEST(MathOpsTest, GradientsWantEqualShapes) {
  for (const char* op : {"TanhGrad", "SigmoidGrad", "ReluGrad", "LeakyReluGrad", "SeluGrad"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]", "[?,3]"}), "[2,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[1]", "[3]"}), "differ in dimension 0") << op;
  }
}

TEST(MathOpsTest, BetaincTakesScalarsWithAnyShape) {
  EXPECT_EQ(ShapesOf("Betainc", {}, {"[2,?]", "[]", "[?,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("Betainc", {}, {"[]", "[]", "[]"}), "[]");
  EXPECT_EQ(ShapesOf("Betainc", {}, {"[2]", "<unknown>", "[]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("Betainc", {}, {"[1]", "[3]", "[]"}), "differ in dimension 0");
}

}  // namespace
}  // namespace tagflow
