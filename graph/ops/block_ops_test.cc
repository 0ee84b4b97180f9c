#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(BlockOpsTest, BlocksGoToTheBatchAndBack) {
  EXPECT_EQ(ShapesOf("SpaceToBatchND", {}, {"[1,4,6,3]", "=[2,3]", "[2,2]"}), "[6,?,?,3]");
  EXPECT_EQ(ShapesOf("SpaceToBatchND", {}, {"[1,4,6,3]", "[2]", "[2,2]"}), "[?,?,?,3]");
  EXPECT_EQ(ShapesOf("SpaceToBatchND", {}, {"[1,4]", "[?]", "[?,2]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("BatchToSpaceND", {}, {"[6,2,2,3]", "=[2,3]", "[2,2]"}), "[1,?,?,3]");
  EXPECT_EQ(ShapesOf("SpaceToBatch", {{"block_size", 2}}, {"[1,2,2,3]", "[2,2]"}), "[4,?,?,3]");
  EXPECT_EQ(ShapesOf("BatchToSpace", {{"block_size", 2}}, {"[4,1,1,3]", "[2,2]"}), "[1,?,?,3]");
}

TEST(BlockOpsTest, BlocksHaveToFit) {
  EXPECT_PRED2(Contains, ShapesOf("SpaceToBatchND", {}, {"[4]", "=[2]", "[1,2]"}), "too many");
  EXPECT_PRED2(Contains, ShapesOf("SpaceToBatchND", {}, {"[1,4]", "=[0]", "[1,2]"}),
               "must not be empty");
  EXPECT_PRED2(Contains, ShapesOf("SpaceToBatchND", {}, {"[1,4]", "=[2]", "[2,2]"}),
               "must be equal");
  EXPECT_PRED2(Contains, ShapesOf("BatchToSpaceND", {}, {"[3,4]", "=[2]", "[1,2]"}),
               "not a multiple");
  EXPECT_PRED2(Contains, ShapesOf("SpaceToBatch", {{"block_size", 2}}, {"[1,2,2]", "[2,2]"}),
               "of rank 4");
}

TEST(BlockOpsTest, BlocksGoToTheDepthAndBack) {
  EXPECT_EQ(ShapesOf("SpaceToDepth", {{"block_size", 2}}, {"[1,4,?,3]"}), "[1,2,?,12]");
  EXPECT_EQ(ShapesOf("DepthToSpace", {{"block_size", 2}}, {"[1,2,?,12]"}), "[1,4,?,3]");
  EXPECT_EQ(ShapesOf("SpaceToDepth", {{"block_size", 2}, {"data_format", "NCHW"}}, {"[1,3,4,2]"}),
            "[1,12,2,1]");
  EXPECT_PRED2(Contains, ShapesOf("SpaceToDepth", {{"block_size", 2}}, {"[1,3,2,1]"}),
               "not a multiple");
  EXPECT_PRED2(Contains, ShapesOf("DepthToSpace", {{"block_size", 2}}, {"[1,3,2,3]"}),
               "not a multiple");
  EXPECT_EQ(ShapesOf("SpaceToDepth", {{"block_size", int64_t{1} << 40}}, {"[1,0,0,3]"}),
            "[1,0,0,?]");
}

}  // namespace
}  // namespace tagflow
