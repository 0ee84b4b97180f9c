#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ArrayOpsTest, ShapesOfShapes) {
  EXPECT_EQ(ShapesOf("Shape", {}, {"[2,?]"}), "[2]");
  EXPECT_EQ(ShapesOf("Shape", {}, {"<unknown>"}), "[?]");
  EXPECT_EQ(ShapesOf("ShapeN", {}, {"[]", "[3]"}), "[0] [1]");
  EXPECT_EQ(ShapesOf("Size", {}, {"[3]"}), "[]");
  EXPECT_EQ(ShapesOf("Rank", {}, {"[3]"}), "[]");
  EXPECT_EQ(ShapesOf("Where", {{"T", DType::kBool}}, {"[2,3]"}), "[?,2]");
  EXPECT_EQ(ShapesOf("BroadcastGradientArgs", {}, {"[2]", "[1]"}), "[?] [?]");
}

TEST(ArrayOpsTest, ReshapeFillsInOneDimension) {
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[2,6]", "=[3,-1]"}), "[3,4]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[2,?]", "=[3,-1]"}), "[3,?]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[2,6]", "=[12]"}), "[12]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[0]", "=[3,-1]"}), "[3,0]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[0]", "=[0,-1]"}), "[0,?]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[6]", "[2]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("Reshape", {}, {"[6]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("Reshape", {}, {"[7]", "=[2,-1]"}), "7 elements cannot have");
  EXPECT_PRED2(Contains, ShapesOf("Reshape", {}, {"[7]", "=[2,3]"}), "7 elements cannot have");
  EXPECT_PRED2(Contains, ShapesOf("Reshape", {}, {"[7]", "=[-1,-1]"}), "may be -1");
  EXPECT_PRED2(Contains, ShapesOf("Reshape", {}, {"[7]", "=[-2]"}), "the dimension -2");
  EXPECT_PRED2(Contains, ShapesOf("Reshape", {}, {"[7]", "=7"}), "must be of rank 1");
}

TEST(ArrayOpsTest, ExpandDimsAndSqueeze) {
  AttrList second;
  second.ints = {-1};
  EXPECT_EQ(ShapesOf("ExpandDims", {}, {"[2,3]", "=1"}), "[2,1,3]");
  EXPECT_EQ(ShapesOf("ExpandDims", {}, {"[2,3]", "=-1"}), "[2,3,1]");
  EXPECT_EQ(ShapesOf("ExpandDims", {}, {"[2,3]", "[]"}), "[?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf("ExpandDims", {}, {"[2]", "=2"}), "axis 2 is outside of [-2, 2)");
  EXPECT_EQ(ShapesOf("Squeeze", {}, {"[1,2,1]"}), "[2]");
  EXPECT_EQ(ShapesOf("Squeeze", {}, {"[1,?]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("Squeeze", {{"squeeze_dims", second}}, {"[1,?]"}), "[1]");
  EXPECT_PRED2(Contains, ShapesOf("Squeeze", {{"squeeze_dims", second}}, {"[1,2]"}), "is not 1");
}

TEST(ArrayOpsTest, FillRangeAndOneHot) {
  EXPECT_EQ(ShapesOf("Fill", {}, {"=[2,3]", "[]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("Fill", {}, {"[2]", "[]"}), "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("Fill", {}, {"=[-1]", "[]"}), "the dimension -1");
  const auto ints = {std::pair<std::string, AttrValue>("Tidx", DType::kInt32)};
  EXPECT_EQ(ShapesOf("Range", ints, {"=0", "=10", "=3"}), "[4]");
  EXPECT_EQ(ShapesOf("Range", ints, {"=9", "=0", "=-3"}), "[3]");
  EXPECT_EQ(ShapesOf("Range", ints, {"=3", "=3", "=1"}), "[0]");
  EXPECT_EQ(ShapesOf("Range", ints, {"=0", "[]", "=1"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("Range", ints, {"=0", "=1", "=0"}), "must not be 0");
  EXPECT_PRED2(Contains, ShapesOf("Range", ints, {"=0", "=1", "=-1"}), "leads away");
  EXPECT_EQ(ShapesOf("OneHot", {}, {"[2]", "=5", "[]", "[]"}), "[2,5]");
  EXPECT_EQ(ShapesOf("OneHot", {{"axis", 0}}, {"[2]", "[]", "[]", "[]"}), "[?,2]");
}

TEST(ArrayOpsTest, BroadcastToWantsAShapeThatFits) {
  EXPECT_EQ(ShapesOf("BroadcastTo", {}, {"[2,1]", "=[4,2,3]"}), "[4,2,3]");
  EXPECT_PRED2(Contains, ShapesOf("BroadcastTo", {}, {"[2]", "=[1]"}), "cannot be broadcast to");
  EXPECT_PRED2(Contains, ShapesOf("BroadcastTo", {}, {"[2,2]", "=[2]"}), "cannot be broadcast to");
}

TEST(ArrayOpsTest, EnsureShapeAndInvertPermutation) {
  EXPECT_EQ(ShapesOf("EnsureShape", {{"shape", PartialShape(Dims{-1, 3})}}, {"[2,?]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("InvertPermutation", {}, {"<unknown>"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("InvertPermutation", {}, {"[2,2]"}), "differ in rank");
}

}  // namespace
}  // namespace tagflow
