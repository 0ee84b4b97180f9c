// Diagonals of matrices. The expected values and refusals are TensorFlow's.
// Tests: diagonal_kernels.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

const Tensor kGrid = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});

const Tensor kSquare = Ints(Dims{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});

TEST(Diagonals, ToMatrices) {
  Check({
      {"MatrixDiag", {Ints({1, 2})}, {}, "int32[2,2] [[1, 0], [0, 2]]"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Int(1), Int(-1), Int(-1), Int(9)},
       {},
       "int32[3,3] [[9, 1, 9], [9, 9, 2], [9, 9, 9]]"},
      {"MatrixDiagV3",
       {Ints({1, 2}), Int(0), Int(2), Int(3), Int(0)},
       {},
       "int32[2,3] [[1, 0, 0], [0, 2, 0]]"},
      {"MatrixDiagV3",
       {Ints(Dims{2, 2}, {0, 1, 2, 3}), Ints({0, 1}), Int(-1), Int(-1), Int(0)},
       {},
       "int32[2,2] [[2, 1], [0, 3]]"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Ints({1, 0}), Int(-1), Int(-1), Int(0)},
       {},
       "INVALID_ARGUMENT: lower_diag_index must not be larger than upper_diag_index: 1 > 0"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Int(0), Int(1), Int(-1), Int(0)},
       {},
       "INVALID_ARGUMENT: The number of rows or columns is too small: the diagonals need 2 and 2"},
      {"MatrixDiagV2",
       {Ints({1, 2}), Ints({0, 1}), Int(-1), Int(-1), Int(0)},
       {},
       "INVALID_ARGUMENT: diagonal must be at least 2-dim, received shape: [2]"},
  });
}

TEST(Diagonals, OfMatrices) {
  const auto k = Ints({-1, 1});
  Check({
      {"MatrixDiagPart", {kGrid}, {}, "int32[2] [1, 5]"},
      {"MatrixDiagPartV2",
       {kSquare, k, Int(0)},
       {},
       "int32[3,3] [[2, 6, 0], [1, 5, 9], [4, 8, 0]]"},
      {"MatrixDiagPartV3",
       {kSquare, k, Int(0)},
       {},
       "int32[3,3] [[0, 2, 6], [1, 5, 9], [4, 8, 0]]"},
      {"MatrixDiagPartV3",
       {kSquare, k, Int(0)},
       {{"align", "LEFT_RIGHT"}},
       "int32[3,3] [[2, 6, 0], [1, 5, 9], [0, 4, 8]]"},
      {"MatrixDiagPartV3", {kSquare, Int(-2), Int(0)}, {}, "int32[1] [7]"},
      {"MatrixDiagPartV3",
       {kSquare, Int(3), Int(0)},
       {},
       "INVALID_ARGUMENT: diag_index is out of bound: 3. It must be between -3 and 3"},
      {"MatrixDiagPart",
       {Ints({1})},
       {},
       "INVALID_ARGUMENT: input must be at least 2-dim, received shape: [1]"},
  });
}

TEST(Diagonals, IntoMatrices) {
  Check({
      {"MatrixSetDiag", {kGrid, Ints({8, 9})}, {}, "int32[2,3] [[8, 2, 3], [4, 9, 6]]"},
      {"MatrixSetDiagV2",
       {kSquare, Ints({8, 9}), Int(-1)},
       {},
       "int32[3,3] [[1, 2, 3], [8, 5, 6], [7, 9, 9]]"},
      {"MatrixSetDiagV3",
       {kGrid, Ints(Dims{2, 2}, {0, 0, 0, 0}), Ints({0, 1})},
       {{"align", "LEFT_LEFT"}},
       "int32[2,3] [[0, 0, 3], [4, 0, 0]]"},
      {"MatrixSetDiag",
       {kGrid, Ints({8})},
       {},
       "INVALID_ARGUMENT: the diagonals of an input of shape [2,3] must have shape [2], but have "
       "[1]"},
  });
}

TEST(Diagonals, BandsAndTensors) {
  Check({
      {"MatrixBandPart",
       {kSquare, Tensor::Scalar(int64_t{0}), Tensor::Scalar(int64_t{1})},
       {},
       "int32[3,3] [[1, 2, 0], [0, 5, 6], [0, 0, 9]]"},
      {"MatrixBandPart",
       {kSquare, Tensor::Scalar(int64_t{4}), Tensor::Scalar(int64_t{1})},
       {},
       "INVALID_ARGUMENT: num_lower and num_upper must be negative or at most the rows 3 and "
       "columns 3, but are 4 and 1"},
      {"Diag", {Ints({1, 2})}, {}, "int32[2,2] [[1, 0], [0, 2]]"},
      {"Diag", {Int(1)}, {}, "INVALID_ARGUMENT: Input must be at least rank 1, got 0"},
      {"DiagPart", {kSquare}, {}, "int32[3] [1, 5, 9]"},
      {"DiagPart", {kGrid}, {}, "INVALID_ARGUMENT: Invalid shape [2,3]: the halves do not match"},
      {"MatrixDiag",
       {Strings({"a"})},
       {},
       "UNIMPLEMENTED: no kernel of op MatrixDiag for dtype string"},
  });
}

}  // namespace
}  // namespace tagflow::reference
