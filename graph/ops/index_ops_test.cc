#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(IndexOpsTest, Lists) {
  EXPECT_EQ(ShapesOf("ListDiff", {}, {"[3]", "<unknown>"}), "[?] [?]");
  EXPECT_EQ(ShapesOf("UnravelIndex", {}, {"[5]", "[3]"}), "[3,5]");
  EXPECT_EQ(ShapesOf("UnravelIndex", {}, {"[]", "<unknown>"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("UnravelIndex", {}, {"[5,1]", "[3]"}), "a scalar or a vector");
  EXPECT_EQ(ShapesOf("LowerBound", {}, {"[2,9]", "[?,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("UpperBound", {}, {"<unknown>", "[?,3]"}), "[?,3]");
  EXPECT_PRED2(Contains, ShapesOf("UpperBound", {}, {"[2,9]", "[3,3]"}), "differ in dimension 0");
  EXPECT_EQ(ShapesOf("BroadcastArgs", {}, {"[2]", "[3]"}), "[3]");
  EXPECT_EQ(ShapesOf("BroadcastArgs", {}, {"[2]", "[?]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("BroadcastArgs", {}, {"[]", "[?]"}), "of rank 1");
}

TEST(IndexOpsTest, TensorsFromLittle) {
  EXPECT_EQ(ShapesOf("LinSpace", {}, {"[]", "[]", "=5"}), "[5]");
  EXPECT_EQ(ShapesOf("LinSpace", {}, {"[]", "[]", "[]"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("LinSpace", {}, {"[]", "[]", "=0"}), "must be positive");
  EXPECT_PRED2(Contains, ShapesOf("LinSpace", {}, {"[1]", "[]", "=2"}), "must be a scalar");
  EXPECT_EQ(ShapesOf("Empty", {{"dtype", DType::kFloat}}, {"=[2,0]"}), "[2,0]");
  EXPECT_PRED2(Contains, ShapesOf("Empty", {{"dtype", DType::kFloat}}, {"=[-2]"}), "dimension -2");
}

TEST(IndexOpsTest, BitcastTradesElementsForBytes) {
  EXPECT_EQ(ShapesOf("Bitcast", {{"type", DType::kInt32}}, {"[2,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("Bitcast", {{"type", DType::kInt8}}, {"[2,?]"}), "[2,?,4]");
  EXPECT_EQ(ShapesOf("Bitcast", {{"type", DType::kDouble}}, {"[3,?]"}), "[3]");
  EXPECT_EQ(ShapesOf("Bitcast", {{"type", DType::kQInt8}}, {"[3]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("Bitcast", {{"type", DType::kDouble}}, {"[3,3]"}), "needs 2");
  EXPECT_PRED2(Contains, ShapesOf("Bitcast", {{"type", DType::kDouble}}, {"[]"}),
               "of rank 1 or more");
}

}  // namespace
}  // namespace tagflow
