#include <gtest/gtest.h>

#include <string>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

Tensor Matrix() { return Ints(Dims{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}); }

TEST(DiagonalKernelsTest, TakeDiagonals) {
  const AttrMap right = {{"align", "RIGHT_LEFT"}};
  const AttrMap left = {{"align", "LEFT_RIGHT"}};
  Check({
      {"MatrixDiagPart", {Ints(Dims{1, 2, 3}, {1, 2, 3, 4, 5, 6})}, {}, "int32[1,2] [[1, 5]]"},
      {"MatrixDiagPartV3",
       {Matrix(), Ints({-1, 1}), Int(0)},
       right,
       "int32[3,3] [[0, 2, 6], [1, 5, 9], [4, 8, 0]]"},
      {"MatrixDiagPartV3",
       {Matrix(), Ints({-1, 1}), Int(0)},
       left,
       "int32[3,3] [[2, 6, 0], [1, 5, 9], [0, 4, 8]]"},
      {"MatrixDiagPartV2", {Matrix(), Ints({-2, -1}), Int(7)}, {}, "int32[2,2] [[4, 8], [7, 7]]"},
      {"MatrixDiagPartV2", {Matrix(), Int(3), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagPartV2", {Matrix(), Ints({1, 0}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagPartV2", {Matrix(), Ints({0, 0, 0}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagPart", {Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(DiagonalKernelsTest, MakeMatrices) {
  const AttrMap right = {{"align", "RIGHT_LEFT"}};
  const Tensor band = Ints(Dims{2, 2}, {8, 1, 2, 3});
  Check({
      {"MatrixDiag", {Ints({1, 2})}, {}, "int32[2,2] [[1, 0], [0, 2]]"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Int(1), Int(-1), Int(-1), Int(9)},
       {},
       "int32[3,3] [[9, 1, 9], [9, 9, 2], [9, 9, 9]]"},
      {"MatrixDiagV3",
       {band, Ints({0, 1}), Int(2), Int(2), Int(0)},
       right,
       "int32[2,2] [[2, 1], [0, 3]]"},
      {"MatrixDiagV2", {Ints({1, 2}), Int(0), Int(1), Int(-1), Int(9)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagV2", {Ints({1, 2}), Int(0), Int(3), Int(3), Int(9)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Ints({0, 1}), Int(3), Int(3), Int(9)},
       {},
       "INVALID_ARGUMENT:"},
      {"MatrixDiagV2", {Ints({1, 2}), Int(0), Ints({2}), Int(3), Int(9)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiag", {Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixDiagV2",
       {Empty(DType::kFloat, Dims{int64_t{1} << 31, 0}), Ints({0, INT32_MAX}), Int(0), Int(-1),
        Float(0)},
       {},
       "float[0,0] []"},
  });
}

TEST(DiagonalKernelsTest, PutDiagonals) {
  Check({
      {"MatrixSetDiag",
       {Matrix(), Ints({0, 0, 0})},
       {},
       "int32[3,3] [[0, 2, 3], [4, 0, 6], [7, 8, 0]]"},
      {"MatrixSetDiagV2",
       {Matrix(), Ints(Dims{2, 2}, {-1, -2, -3, 0}), Ints({-2, -1})},
       {},
       "int32[3,3] [[1, 2, 3], [-1, 5, 6], [-3, -2, 9]]"},
      {"MatrixSetDiagV3",
       {Matrix(), Ints({-1, -2}), Int(1)},
       {},
       "int32[3,3] [[1, -1, 3], [4, 5, -2], [7, 8, 9]]"},
      {"MatrixSetDiag", {Matrix(), Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"MatrixSetDiag", {Ints({1}), Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(DiagonalKernelsTest, KeepABand) {
  Check({
      {"MatrixBandPart",
       {Matrix(), Int(1), Int(0)},
       {},
       "int32[3,3] [[1, 0, 0], [4, 5, 0], [0, 8, 9]]"},
      {"MatrixBandPart",
       {Matrix(), Int(0), Int(-1)},
       {},
       "int32[3,3] [[1, 2, 3], [0, 5, 6], [0, 0, 9]]"},
      {"MatrixBandPart", {Matrix(), Int(4), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixBandPart", {Matrix(), Ints({1}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"MatrixBandPart", {Ints({1}), Int(1), Int(0)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(DiagonalKernelsTest, AnyRank) {
  Check({
      {"Diag", {Ints(Dims{1, 2}, {1, 2})}, {}, "int32[1,2,1,2] [[[[1, 0]], [[0, 2]]]]"},
      {"Diag", {Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"DiagPart", {Matrix()}, {}, "int32[3] [1, 5, 9]"},
      {"DiagPart", {Int(1)}, {}, "int32[] 1"},
      {"DiagPart", {Ints(Dims{1, 2}, {1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"DiagPart", {Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
