#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(MathOpsTest, UnaryOpsKeepTheShape) {
  for (const char* op : {"Neg", "Exp", "Relu", "Round"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]"}), "[2,?]") << op;
  }
}

TEST(MathOpsTest, BinaryOpsBroadcast) {
  for (const char* op : {"Add", "AddV2", "FloorMod", "Maximum", "Pow"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,1]", "[3]"}), "[2,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[3]"}), "cannot be broadcast") << op;
  }
}

TEST(MathOpsTest, GradientsWantEqualShapes) {
  for (const char* op : {"TanhGrad", "SigmoidGrad", "ReluGrad"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]", "[?,3]"}), "[2,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[1]", "[3]"}), "differ in dimension 0") << op;
  }
}

}  // namespace
}  // namespace tagflow
