#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(MatrixOpsTest, ProductsOfMatrices) {
  EXPECT_EQ(ShapesOf("MatMul", {}, {"[2,3]", "[3,4]"}), "[2,4]");
  EXPECT_EQ(ShapesOf("MatMul", {{"transpose_a", true}}, {"[3,2]", "[3,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("MatMul", {{"transpose_b", true}}, {"<unknown>", "[4,3]"}), "[?,4]");
  EXPECT_PRED2(Contains, ShapesOf("MatMul", {}, {"[2,3]", "[4,3]"}), "columns on the left, 3");
  EXPECT_PRED2(Contains, ShapesOf("MatMul", {}, {"[3]", "[3,4]"}), "input 'a' must be of rank 2");
}

TEST(MatrixOpsTest, BatchesBroadcast) {
  EXPECT_EQ(ShapesOf("BatchMatMulV2", {}, {"[5,1,2,3]", "[6,3,4]"}), "[5,6,2,4]");
  EXPECT_EQ(ShapesOf("BatchMatMulV2", {{"adj_x", true}}, {"[3,2]", "[3,4]"}), "[2,4]");
  EXPECT_EQ(ShapesOf("BatchMatMulV2", {}, {"<unknown>", "[6,3,4]"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("BatchMatMulV2", {}, {"[3]", "[3,4]"}), "rank 2 or more");
}

TEST(MatrixOpsTest, OtherBatchProducts) {
  EXPECT_EQ(ShapesOf("BatchMatMul", {}, {"[5,2,3]", "[?,3,4]"}), "[5,2,4]");
  EXPECT_PRED2(Contains, ShapesOf("BatchMatMul", {}, {"[5,2,3]", "[1,3,4]"}), "differ");
  EXPECT_EQ(ShapesOf("BatchMatMulV3", {}, {"[5,2,3]", "[1,3,4]"}), "[5,2,4]");
}

TEST(MatrixOpsTest, BiasesOfOtherForms) {
  EXPECT_EQ(ShapesOf("BiasAddV1", {}, {"[2,?]", "[3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("BiasAddGrad", {}, {"[2,4,3]"}), "[3]");
  EXPECT_EQ(ShapesOf("BiasAddGrad", {{"data_format", "NCHW"}}, {"[2,4,3]"}), "[4]");
  EXPECT_EQ(ShapesOf("BiasAddGrad", {}, {"<unknown>"}), "[?]");
  EXPECT_PRED2(Contains, ShapesOf("BiasAddGrad", {}, {"[3]"}), "rank 2 or more");
}

TEST(MatrixOpsTest, BiasAddAndAddN) {
  EXPECT_EQ(ShapesOf("BiasAdd", {}, {"[2,?]", "[3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("BiasAdd", {{"data_format", "NCHW"}}, {"[2,?,4]", "[3]"}), "[2,3,4]");
  EXPECT_PRED2(Contains, ShapesOf("BiasAdd", {}, {"[2,4]", "[3]"}), "4 and 3 must be equal");
  EXPECT_EQ(ShapesOf("AddN", {}, {"[2,?]", "[?,3]", "<unknown>"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("AddN", {}, {"[2]", "[1]"}), "differ in dimension 0");
}

TEST(MatrixOpsTest, CrossAndL2Loss) {
  EXPECT_EQ(ShapesOf("Cross", {}, {"[2,?]", "[?,?]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("Cross", {}, {"<unknown>", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("Cross", {}, {"[2,4]", "[2,4]"}), "4 and 3 must be equal");
  EXPECT_PRED2(Contains, ShapesOf("Cross", {}, {"[]", "[]"}), "rank 1 or more");
  EXPECT_PRED2(Contains, ShapesOf("Cross", {}, {"[]", "<unknown>"}), "rank 1 or more");
  EXPECT_EQ(ShapesOf("L2Loss", {}, {"[2,?]"}), "[]");
}

}  // namespace
}  // namespace tagflow
