#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(NormalizationOpsTest, BatchNorm) {
  const char* v1 = "FusedBatchNorm";
  EXPECT_EQ(ShapesOf(v1, {}, {"[2,?,4,?]", "[3]", "[?]", "[0]", "[0]"}),
            "[2,?,4,3] [3] [3] [3] [3]");
  EXPECT_EQ(
      ShapesOf(v1, {{"is_training", false}}, {"[2,?,4,?]", "<unknown>", "[?]", "[5]", "<unknown>"}),
      "[2,?,4,5] [5] [5] [5] [5]");
  EXPECT_EQ(ShapesOf(v1, {{"data_format", "NCHW"}},
                     {"<unknown>", "<unknown>", "<unknown>", "<unknown>", "<unknown>"}),
            "[?,?,?,?] [?] [?] [?] [?]");
  EXPECT_EQ(ShapesOf("FusedBatchNormV3", {{"data_format", "NCDHW"}},
                     {"[1,3,2,2,2]", "[3]", "[3]", "[3]", "[3]"}),
            "[1,3,2,2,2] [3] [3] [3] [3] []");
  EXPECT_PRED2(Contains, ShapesOf(v1, {}, {"[2,2,2]", "[2]", "[2]", "[2]", "[2]"}), "rank 4");
  EXPECT_PRED2(Contains, ShapesOf(v1, {}, {"[2,2,2,2]", "[3]", "[2]", "[2]", "[2]"}),
               "2 and 3 must be equal");
  EXPECT_PRED2(Contains, ShapesOf(v1, {}, {"[2,2,2,2]", "[2,1]", "[2]", "[2]", "[2]"}), "rank 1");
  EXPECT_PRED2(Contains,
               ShapesOf(v1, {{"is_training", false}}, {"[2,2,2,2]", "[2]", "[2]", "[0]", "[2]"}),
               "2 and 0 must be equal");
}

TEST(NormalizationOpsTest, BatchNormGrad) {
  const char* v1 = "FusedBatchNormGrad";
  EXPECT_EQ(ShapesOf(v1, {}, {"[2,?,4,?]", "[?,3,?,?]", "[?]", "[5]", "[?]"}),
            "[2,3,4,5] [5] [5] [0] [0]");
  EXPECT_EQ(ShapesOf("FusedBatchNormGradV3", {{"data_format", "NCHW"}},
                     {"<unknown>", "<unknown>", "[3]", "[?]", "[?]", "[]"}),
            "[?,3,?,?] [3] [3] [0] [0]");
  EXPECT_PRED2(Contains, ShapesOf(v1, {}, {"[2,2,2,2]", "[2,2,2,3]", "[2]", "[2]", "[2]"}),
               "differ in dimension 3");
  EXPECT_PRED2(Contains, ShapesOf(v1, {}, {"[2,2,2,2]", "[2,2,2,2]", "[2]", "[2]", "[3]"}),
               "2 and 3 must be equal");
}

TEST(NormalizationOpsTest, LocalResponse) {
  EXPECT_EQ(ShapesOf("LRN", {}, {"[2,?,3,4]"}), "[2,?,3,4]");
  EXPECT_EQ(ShapesOf("LRN", {}, {"<unknown>"}), "[?,?,?,?]");
  EXPECT_EQ(ShapesOf("LRNGrad", {}, {"[2,?,3,4]", "[?,5,3,4]", "<unknown>"}), "[2,5,3,4]");
  EXPECT_PRED2(Contains, ShapesOf("LRN", {}, {"[2,3]"}), "rank");
}

}  // namespace
}  // namespace tagflow
