#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(SparseMathOpsTest, ProductsHaveTheOuterDimensions) {
  const auto product = [](bool adjoint_a, bool adjoint_b, const std::vector<std::string>& inputs) {
    return ShapesOf("SparseTensorDenseMatMul", {{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}},
                    inputs);
  };
  EXPECT_EQ(product(false, false, {"[4,2]", "[4]", "=[3,5]", "[5,7]"}), "[3,7]");
  EXPECT_EQ(product(true, true, {"[4,2]", "[4]", "=[5,3]", "[7,5]"}), "[3,7]");
  EXPECT_EQ(product(false, false, {"[4,2]", "[4]", "[2]", "<unknown>"}), "[?,?]");
  EXPECT_PRED2(Contains, product(false, false, {"[4,2]", "[4]", "=[3,5]", "[6,7]"}), "be equal");
  EXPECT_PRED2(Contains, product(false, false, {"[4,3]", "[4]", "[3]", "[6,7]"}), "be equal");
  EXPECT_PRED2(Contains, product(false, false, {"[4,2]", "[4]", "[2]", "[7]"}), "of rank 2");
}

TEST(SparseMathOpsTest, ReductionsAreDense) {
  for (const char* op : {"SparseReduceSum", "SparseReduceMax"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[4,2]", "[4]", "=[3,5]", "=[1]"}), "[3]");
    EXPECT_EQ(ShapesOf(op, {{"keep_dims", true}}, {"[4,2]", "[4]", "=[3,5]", "=[-2]"}), "[1,5]");
    EXPECT_EQ(ShapesOf(op, {}, {"[4,2]", "[4]", "=[3,5]", "[1]"}), "<unknown>");
    EXPECT_EQ(ShapesOf(op, {{"keep_dims", true}}, {"[4,2]", "[4]", "[2]", "[1]"}), "[?,?]");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,2]", "[4]", "=[3,5]", "=[2]"}), "outside of");
  }
}

TEST(SparseMathOpsTest, WithDenseTensorsTheSparseOneTellsTheShape) {
  EXPECT_EQ(ShapesOf("SparseTensorDenseAdd", {}, {"[4,2]", "[4]", "=[3,-1]", "[?,5]"}), "[3,5]");
  EXPECT_EQ(ShapesOf("SparseTensorDenseAdd", {}, {"[4,2]", "[4]", "[?]", "<unknown>"}), "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("SparseTensorDenseAdd", {}, {"[4,2]", "[4]", "=[3,5]", "[3,1]"}),
               "differ");
  for (const char* op : {"SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"[?,2]", "[4]", "[2]", "[]"}), "[4]");
  }
  EXPECT_EQ(ShapesOf("SparseSoftmax", {}, {"[4,2]", "<unknown>", "[2]"}), "[4]");
}

TEST(SparseMathOpsTest, CountsHaveARowForEachPlaceInTheFirstDimension) {
  const char* op = "SparseBincount";
  EXPECT_EQ(ShapesOf(op, {}, {"[4,1]", "[4]", "[1]", "=7", "[0]"}), "[7]");
  EXPECT_EQ(ShapesOf(op, {}, {"[4,3]", "[4]", "=[2,3,4]", "=7", "[0]"}), "[2,7]");
  EXPECT_EQ(ShapesOf(op, {}, {"[4,2]", "[4]", "[2]", "[]", "[0]"}), "[?,?]");
  EXPECT_EQ(ShapesOf(op, {}, {"<unknown>", "[4]", "[?]", "[]", "[0]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[4,1]", "[4]", "[1]", "=-7", "[0]"}), "negative");
}

TEST(SparseMathOpsTest, SumsHaveTheRankOfBoth) {
  EXPECT_EQ(ShapesOf("SparseAdd", {}, {"[4,?]", "[4]", "[?]", "[3,2]", "[3]", "[2]", "[]"}),
            "[?,2] [?] [2]");
  EXPECT_PRED2(Contains,
               ShapesOf("SparseAdd", {}, {"[4,1]", "[4]", "[1]", "[3,2]", "[3]", "[2]", "[]"}),
               "must be equal");
  EXPECT_EQ(ShapesOf("SparseAddGrad", {}, {"[5]", "[4,2]", "[3,2]", "[5,2]"}), "[4] [3]");
}

}  // namespace
}  // namespace tagflow
