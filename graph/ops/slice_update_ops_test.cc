#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SliceUpdateOpsTest, TheTargetKeepsItsShape) {
  EXPECT_EQ(ShapesOf("TensorStridedSliceUpdate", {}, {"[2,?]", "[2]", "[2]", "[2]", "[]"}),
            "[2,?]");
  EXPECT_EQ(ShapesOf("StridedSliceAssign", {}, {"[2,?]", "[2]", "[2]", "[2]", "[]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("ResourceStridedSliceAssign", {}, {"[]", "[2]", "[2]", "[2]", "[]"}), "");
  EXPECT_EQ(ShapesOf("InplaceUpdate", {}, {"[2,?]", "[1]", "[1,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("InplaceAdd", {}, {"[2,?]", "[1]", "[1,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("InplaceSub", {}, {"[2,?]", "[1]", "[1,?]"}), "[2,?]");
}

TEST(SliceUpdateOpsTest, AGradientHasTheShapeItIsGiven) {
  EXPECT_EQ(ShapesOf("StridedSliceGrad", {}, {"=[2,3]", "[1]", "[1]", "[1]", "[2]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("StridedSliceGrad", {}, {"[2]", "[1]", "[1]", "[1]", "[2]"}), "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("StridedSliceGrad", {}, {"=[-2]", "[1]", "[1]", "[1]", "[2]"}),
               "dimension -2");
  EXPECT_PRED2(Contains, ShapesOf("StridedSliceGrad", {}, {"[2]", "[1]", "[2]", "[1]", "[2]"}),
               "differ in dimension 0");
}

}  // namespace
}  // namespace tagflow
