#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

std::string Einsum(const char* equation, const std::vector<std::string>& shapes) {
  return ShapesOf("Einsum", {{"equation", std::string(equation)}}, shapes);
}

TEST(ProductOpsTest, EinsumPutsDimensionsByLabel) {
  EXPECT_EQ(Einsum("ij,jk->ik", {"[2,3]", "[3,4]"}), "[2,4]");
  EXPECT_EQ(Einsum("ij->jji", {"[2,?]"}), "[?,?,2]");
  EXPECT_EQ(Einsum("ij,ij->", {"[?,3]", "[2,?]"}), "[]");
  EXPECT_EQ(Einsum("...ij,...jk->...ik", {"[5,1,2,3]", "[6,3,4]"}), "[5,6,2,4]");
  EXPECT_EQ(Einsum("...ij,jk->...ik", {"<unknown>", "[3,4]"}), "<unknown>");
  EXPECT_EQ(Einsum("ij->...i", {"[2,3]"}), "[2]");
  EXPECT_PRED2(Contains, Einsum("ij,jk->ik", {"[2,3]", "[4,4]"}), "3 and 4 must be equal");
  EXPECT_PRED2(Contains, Einsum("ij->ij", {"[2]"}), "has 1 dimensions");
  EXPECT_PRED2(Contains, Einsum("...i->i", {"[2,3]"}), "must have '...'");
  EXPECT_PRED2(Contains, Einsum("ij", {"[2,3]"}), "must have one '->'");
}

TEST(ProductOpsTest, SquareMatrices) {
  EXPECT_EQ(ShapesOf("MatrixInverse", {}, {"[5,?,3]"}), "[5,3,3]");
  EXPECT_EQ(ShapesOf("Cholesky", {}, {"<unknown>"}), "<unknown>");
  EXPECT_EQ(ShapesOf("MatrixDeterminant", {}, {"[5,3,3]"}), "[5]");
  EXPECT_EQ(ShapesOf("LogMatrixDeterminant", {}, {"[3,3]"}), "[] []");
  EXPECT_PRED2(Contains, ShapesOf("MatrixInverse", {}, {"[2,3]"}), "must hold square matrices");
  EXPECT_PRED2(Contains, ShapesOf("Cholesky", {}, {"[3]"}), "rank 2 or more");
}

TEST(ProductOpsTest, Decompositions) {
  const auto full = {std::pair<std::string, AttrValue>("full_matrices", true)};
  EXPECT_EQ(ShapesOf("Qr", {}, {"[5,3,2]"}), "[5,3,2] [5,2,2]");
  EXPECT_EQ(ShapesOf("Qr", {}, {"[2,3]"}), "[2,2] [2,3]");
  EXPECT_EQ(ShapesOf("Qr", full, {"[3,?]"}), "[3,3] [3,?]");
  EXPECT_EQ(ShapesOf("Qr", {}, {"[0,?]"}), "[0,0] [0,?]");
  EXPECT_EQ(ShapesOf("Svd", {}, {"[5,3,2]"}), "[5,2] [5,3,2] [5,2,2]");
  EXPECT_EQ(ShapesOf("Svd", full, {"[3,2]"}), "[2] [3,3] [2,2]");
  EXPECT_EQ(ShapesOf("Svd", {}, {"[3,?]"}), "[?] [3,?] [?,?]");
  EXPECT_EQ(ShapesOf("Svd", {{"compute_uv", false}}, {"[3,2]"}), "[2] [0] [0]");
  EXPECT_EQ(ShapesOf("Svd", {{"compute_uv", false}}, {"<unknown>"}), "<unknown> [0] [0]");
  EXPECT_EQ(ShapesOf("SelfAdjointEigV2", {}, {"[5,?,3]"}), "[5,3] [5,3,3]");
  EXPECT_EQ(ShapesOf("SelfAdjointEigV2", {{"compute_v", false}}, {"[3,3]"}), "[3] [0]");
  EXPECT_PRED2(Contains, ShapesOf("SelfAdjointEigV2", {}, {"[2,3]"}), "must hold square matrices");
  EXPECT_PRED2(Contains, ShapesOf("Qr", {}, {"[3]"}), "rank 2 or more");
  EXPECT_PRED2(Contains, ShapesOf("Svd", {}, {"[3]"}), "rank 2 or more");
}

TEST(ProductOpsTest, Solutions) {
  EXPECT_EQ(ShapesOf("MatrixSolve", {}, {"[?,3,3]", "[5,?,2]"}), "[5,3,2]");
  EXPECT_EQ(ShapesOf("MatrixTriangularSolve", {}, {"[4,1,3,3]", "[5,3,2]"}), "[4,5,3,2]");
  EXPECT_EQ(ShapesOf("MatrixSolve", {}, {"[3,3]", "<unknown>"}), "<unknown>");
  EXPECT_PRED2(Contains, ShapesOf("MatrixSolve", {}, {"[3,3]", "[2,2]"}), "must be equal");
  EXPECT_PRED2(Contains, ShapesOf("MatrixSolve", {}, {"[1,3,3]", "[5,3,2]"}), "differ");
}

}  // namespace
}  // namespace tagflow
