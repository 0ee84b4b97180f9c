#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

using Attrs = std::initializer_list<std::pair<std::string, AttrValue>>;

TEST(ScatterOpsTest, ScatterNdHasTheShapeItIsGiven) {
  const Attrs index = {{"Tindices", DType::kInt32}};
  EXPECT_EQ(ShapesOf("ScatterNd", index, {"[2,1]", "[2,3]", "=[4,3]"}), "[4,3]");
  EXPECT_EQ(ShapesOf("ScatterNd", index, {"<unknown>", "[2,3]", "[2]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("ScatterNd", index, {"[?,?]", "[2,3]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNd", index, {"[2,1]", "[2]", "=[-1]"}), "not hold -1");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNd", index, {"[2,1]", "[3,3]", "=[4,3]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNd", index, {"[2,1]", "[2,2]", "=[4,3]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf("ScatterNd", index, {"[2,3]", "[2]", "=[4,3]"}), "too many");
}

TEST(ScatterOpsTest, TensorScattersKeepTheShape) {
  for (const char* op : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
                         "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"}) {
    const Attrs index = {{"Tindices", DType::kInt32}};
    EXPECT_EQ(ShapesOf(op, index, {"[?,3]", "[2,1]", "[2,3]"}), "[?,3]");
    EXPECT_EQ(ShapesOf(op, index, {"<unknown>", "[2,1]", "[2,3]"}), "<unknown>");
    EXPECT_PRED2(Contains, ShapesOf(op, index, {"[4,3]", "[2,2,1]", "[2]"}), "must begin");
  }
}

TEST(ScatterOpsTest, SharesAndStitchesRows) {
  const Attrs two = {{"num_partitions", 2}};
  EXPECT_EQ(ShapesOf("DynamicPartition", two, {"[4,3]", "[4]"}), "[?,3] [?,3]");
  EXPECT_EQ(ShapesOf("DynamicPartition", two, {"[4,3]", "[4,3]"}), "[?] [?]");
  EXPECT_EQ(ShapesOf("DynamicPartition", two, {"[4,3]", "<unknown>"}), "<unknown> <unknown>");
  EXPECT_PRED2(Contains, ShapesOf("DynamicPartition", two, {"[4]", "[4,1]"}), "must begin");
  EXPECT_PRED2(Contains, ShapesOf("DynamicPartition", two, {"[4]", "[5]"}), "differ");
  EXPECT_EQ(ShapesOf("ParallelDynamicStitch", {}, {"=[0,2]", "=1", "[2,5]", "[5]"}), "[3,5]");
}

}  // namespace
}  // namespace tagflow
