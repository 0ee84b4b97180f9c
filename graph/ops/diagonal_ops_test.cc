#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(DiagonalOpsTest, MainDiagonals) {
  EXPECT_EQ(ShapesOf("MatrixDiag", {}, {"[2,3]"}), "[2,3,3]");
  EXPECT_EQ(ShapesOf("MatrixDiagPart", {}, {"[2,3,5]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("MatrixDiagPart", {}, {"[2,3,?]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("MatrixSetDiag", {}, {"[2,3,5]", "[2,3]"}), "[2,3,5]");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiag", {}, {"[]"}), "of rank 1 or more");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagPart", {}, {"[3]"}), "of rank 2 or more");
  EXPECT_PRED2(Contains, ShapesOf("MatrixSetDiag", {}, {"[3,5]", "[5]"}), "differ in dimension 0");
}

TEST(DiagonalOpsTest, MatricesAroundDiagonals) {
  EXPECT_EQ(ShapesOf("MatrixDiagV3", {}, {"[3]", "=1", "=-1", "=-1", "[]"}), "[4,4]");
  EXPECT_EQ(ShapesOf("MatrixDiagV3", {}, {"[2,3]", "=[0,1]", "=3", "=-1", "[]"}), "[3,3]");
  EXPECT_EQ(ShapesOf("MatrixDiagV2", {}, {"[2,3]", "=0", "[]", "=4", "[]"}), "[2,?,4]");
  EXPECT_EQ(ShapesOf("MatrixDiagV2", {}, {"[2,3]", "[]", "[]", "[]", "[]"}), "<unknown>");
  EXPECT_EQ(ShapesOf("MatrixDiagV2", {}, {"[9223372036854775807]", "=1", "=-1", "=-1", "[]"}),
            "[?,?]");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagV3", {}, {"[3]", "=0", "=2", "=-1", "[]"}),
               "at least 3 rows");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagV3", {}, {"[3]", "=0", "=4", "=4", "[]"}),
               "do not reach an edge");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagV3", {}, {"[3]", "=[1,0]", "[]", "[]", "[]"}),
               "above the highest");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagV3", {}, {"[3,3]", "=[0,1]", "[]", "[]", "[]"}),
               "names 2 diagonals");
}

TEST(DiagonalOpsTest, DiagonalsOfMatrices) {
  EXPECT_EQ(ShapesOf("MatrixDiagPartV3", {}, {"[5,3,4]", "=[-1,1]", "[]"}), "[5,3,3]");
  EXPECT_EQ(ShapesOf("MatrixDiagPartV2", {}, {"[3,4]", "=3", "[]"}), "[1]");
  EXPECT_EQ(ShapesOf("MatrixDiagPartV2", {}, {"[?,4]", "=[0,1]", "[]"}), "[2,?]");
  EXPECT_EQ(ShapesOf("MatrixSetDiagV3", {}, {"[3,3]", "[2]", "=1"}), "[3,3]");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagPartV3", {}, {"[3,4]", "=4", "[]"}),
               "has no diagonal 4");
  EXPECT_PRED2(Contains, ShapesOf("MatrixDiagPartV3", {}, {"[3,4]", "=[0,1,2]", "[]"}),
               "one or two elements");
  EXPECT_PRED2(Contains, ShapesOf("MatrixSetDiagV3", {}, {"[3,3]", "[3]", "=1"}), "differ");
}

TEST(DiagonalOpsTest, BandsAndTensors) {
  EXPECT_EQ(ShapesOf("MatrixBandPart", {}, {"[2,?]", "=0", "=-1"}), "[2,?]");
  EXPECT_PRED2(Contains, ShapesOf("MatrixBandPart", {}, {"[2]", "[]", "[]"}), "of rank 2 or more");
  EXPECT_EQ(ShapesOf("Diag", {}, {"[2,3]"}), "[2,3,2,3]");
  EXPECT_EQ(ShapesOf("DiagPart", {}, {"[2,?,?,3]"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("DiagPart", {}, {"[2,3]"}), "differ");
  EXPECT_PRED2(Contains, ShapesOf("DiagPart", {}, {"[2]"}), "must be even");
}

}  // namespace
}  // namespace tagflow
