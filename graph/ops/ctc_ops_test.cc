#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(CtcOpsTest, LossesAreOfTheBatchAndGradientsOfTheScores) {
  EXPECT_EQ(ShapesOf("CTCLoss", {}, {"[5,?,3]", "[4,2]", "[4]", "[2]"}), "[2] [5,2,3]");
  EXPECT_EQ(ShapesOf("CTCLoss", {}, {"<unknown>", "[4,2]", "[?]", "[?]"}), "[?] [?,?,?]");
  EXPECT_PRED2(Contains, ShapesOf("CTCLoss", {}, {"[5,2,3]", "[4,2]", "[4]", "[3]"}), "be equal");
  EXPECT_PRED2(Contains, ShapesOf("CTCLoss", {}, {"[5,2,3]", "[4,2]", "[5]", "[2]"}), "be equal");
  EXPECT_PRED2(Contains, ShapesOf("CTCLoss", {}, {"[5,2]", "[4,2]", "[4]", "[2]"}), "of rank 3");
}

TEST(CtcOpsTest, DecodedPathsAreSparseMatrices) {
  EXPECT_EQ(ShapesOf("CTCGreedyDecoder", {}, {"[5,?,3]", "[2]"}), "[?,2] [?] [2] [2,1]");
  EXPECT_PRED2(Contains, ShapesOf("CTCGreedyDecoder", {}, {"[5,2,3]", "[3]"}), "must be equal");
  EXPECT_EQ(
      ShapesOf("CTCBeamSearchDecoder", {{"beam_width", 3}, {"top_paths", 2}}, {"[5,?,3]", "[2]"}),
      "[?,2] [?,2] [?] [?] [2] [2] [2,2]");
}

TEST(CtcOpsTest, DistancesAreOfAllDimensionsButTheLast) {
  EXPECT_EQ(ShapesOf("EditDistance", {}, {"[4,3]", "[4]", "[3]", "[?,?]", "[?]", "<unknown>"}),
            "[?,?]");
  EXPECT_EQ(ShapesOf("EditDistance", {}, {"[4,3]", "[4]", "=[1,5,9]", "[2,3]", "[2]", "=[3,2,1]"}),
            "[3,5]");
  EXPECT_PRED2(Contains,
               ShapesOf("EditDistance", {}, {"[4,3]", "[4]", "[3]", "[2,2]", "[2]", "[2]"}),
               "must be equal");
  EXPECT_PRED2(Contains,
               ShapesOf("EditDistance", {}, {"[4,1]", "[4]", "[1]", "[2,1]", "[2]", "[1]"}),
               "two dimensions");
  EXPECT_PRED2(Contains,
               ShapesOf("EditDistance", {}, {"[4,2]", "[5]", "[2]", "[2,2]", "[2]", "[2]"}),
               "must be equal");
}

}  // namespace
}  // namespace tagflow
