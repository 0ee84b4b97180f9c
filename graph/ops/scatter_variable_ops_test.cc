#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(ScatterVariableOpsTest, ScatterWantsARowPerIndex) {
  for (const char* op : {"ScatterAdd", "ScatterUpdate", "ScatterDiv", "ScatterMin"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[2]", "[2,3]"}), "[4,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[2]", "[]"}), "[4,3]") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,3]", "[2]", "[2,4]"}), "in dimension 1") << op;
  }
}

TEST(ScatterVariableOpsTest, SlicesAndHandles) {
  EXPECT_EQ(ShapesOf("ScatterNdAdd", {}, {"[4,3]", "[2,1]", "[2,3]"}), "[4,3]");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNdMax", {}, {"[4]", "[]", "[2]"}), "rank 1 or more");
  EXPECT_EQ(ShapesOf("ScatterNdAdd", {}, {"<unknown>", "[2,1]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNdAdd", {}, {"[4,3]", "[2,1]", "[]"}), "rank 1 or more");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNdSub", {}, {"[4,3]", "[2,1]", "[2,4]"}),
               "[3] and [4] differ");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNdMin", {}, {"[4,3]", "[2,1]", "[3,3]"}),
               "[2] and [3] differ");
  EXPECT_PRED2(Contains, ShapesOf("ResourceScatterNdAdd", {}, {"[]", "[2,1]", "[3,3]"}),
               "[2] and [3] differ");
  EXPECT_EQ(ShapesOf("ResourceScatterNdUpdate", {}, {"[]", "[2,1]", "[2,3]"}), "");
  EXPECT_EQ(ShapesOf("ResourceScatterMul", {}, {"[]", "[2]", "[2,3]"}), "");
  EXPECT_EQ(ShapesOf("ResourceGather", {}, {"[]", "[2]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("ResourceGatherNd", {}, {"[]", "[2]"}), "<unknown>");
}

}  // namespace
}  // namespace tagflow
