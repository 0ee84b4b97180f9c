#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(CompareOpsTest, ComparisonsBroadcast) {
  for (const char* op : {"Less", "GreaterEqual", "LogicalAnd", "Equal"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,1]", "[3]"}), "[2,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[3]"}), "cannot be broadcast") << op;
  }
  EXPECT_EQ(ShapesOf("LogicalNot", {}, {"[2]"}), "[2]");
  EXPECT_EQ(ShapesOf("IsNan", {}, {"[2]"}), "[2]");
  EXPECT_EQ(ShapesOf("ApproximateEqual", {}, {"[2]", "[?]"}), "[2]");
}

TEST(CompareOpsTest, EqualMayAllowShapesThatDiffer) {
  for (const char* op : {"Equal", "NotEqual"}) {
    const auto lenient = {std::pair<std::string, AttrValue>("incompatible_shape_error", false)};
    EXPECT_EQ(ShapesOf(op, lenient, {"[2]", "[3]"}), "[]");
    EXPECT_EQ(ShapesOf(op, lenient, {"[2,1]", "[3]"}), "[2,3]");
    EXPECT_EQ(ShapesOf(op, lenient, {"[?]", "[3]"}), "<unknown>");
  }
}

TEST(CompareOpsTest, SelectTakesAScalarRowsOrElements) {
  EXPECT_EQ(ShapesOf("Select", {}, {"[]", "[2,?]", "[?,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("Select", {}, {"[2]", "[2,3]", "[2,3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("Select", {}, {"[2,3]", "[2,?]", "<unknown>"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("Select", {}, {"[3]", "[2,3]", "[2,3]"}), "3 and 2 must be");
  EXPECT_PRED2(Contains, ShapesOf("Select", {}, {"[1]", "[]", "[]"}), "between scalars");
  EXPECT_PRED2(Contains, ShapesOf("Select", {}, {"[]", "[2]", "[3]"}), "differ in dimension 0");
}

TEST(CompareOpsTest, SelectV2Broadcasts) {
  EXPECT_EQ(ShapesOf("SelectV2", {}, {"[2,1]", "[3]", "[]"}), "[2,3]");
}

TEST(CompareOpsTest, CastKeepsTheShape) {
  EXPECT_EQ(ShapesOf("Cast", {{"DstT", DType::kInt32}}, {"[2,?]"}), "[2,?]");
}

TEST(CompareOpsTest, LimitsKeepTheShape) {
  EXPECT_EQ(ShapesOf("ClipByValue", {}, {"[2,?]", "[]", "<unknown>"}), "[2,?]");
  EXPECT_EQ(ShapesOf("Bucketize", {{"boundaries", AttrList()}}, {"[2,?]"}), "[2,?]");
}

}  // namespace
}  // namespace tagflow
