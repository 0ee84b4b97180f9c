#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ReductionOpsTest, ConstantAxesGoAway) {
  for (const char* op : {"Sum", "Max", "All", "EuclideanNorm"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,3,4]", "=[0,-1]"}), "[3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2,3]", "=1"}), "[2]") << op;
    EXPECT_EQ(ShapesOf(op, {{"keep_dims", true}}, {"[2,3]", "=[1]"}), "[2,1]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2,3]", "[?]"}), "<unknown>") << op;
    EXPECT_EQ(ShapesOf(op, {{"keep_dims", true}}, {"[2,3]", "[?]"}), "[?,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "=[0]"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "=[1]"}), "axis 1 is outside of [-1, 1)");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2,3]", "=[1,-1]"}), "reduced twice");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "[1,1]"}), "a scalar or a vector");
  }
}

TEST(ReductionOpsTest, ArgOpsDropOneDimension) {
  EXPECT_EQ(ShapesOf("ArgMax", {}, {"[2,3,4]", "=1"}), "[2,4]");
  EXPECT_EQ(ShapesOf("ArgMin", {}, {"[2,3,4]", "[]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("ArgMax", {}, {"[3]", "[]"}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("ArgMax", {}, {"[2,3]", "=2"}), "axis 2 is outside");
}

TEST(ReductionOpsTest, ScansKeepTheShape) {
  for (const char* op : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[2,?]", "=-1"}), "[2,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "=7"}), "<unknown>") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2]", "<unknown>"}), "[2]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "=1"}), "axis 1 is outside of [-1, 1)");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[2]", "=[0]"}), "must be a scalar");
  }
}

}  // namespace
}  // namespace tagflow
