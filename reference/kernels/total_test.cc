// Tests: limits.cc, scan.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"
#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(TotalTest, Scans) {
  const Tensor matrix = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});
  Check({
      {"Cumsum", {matrix, Int(1)}, {}, "int32[2,3] [[1, 3, 6], [4, 9, 15]]"},
      {"Cumsum", {matrix, Int(-2)}, {}, "int32[2,3] [[1, 2, 3], [5, 7, 9]]"},
      {"Cumsum", {matrix, Int(1)}, {{"reverse", true}}, "int32[2,3] [[6, 5, 3], [15, 11, 6]]"},
      {"Cumprod", {matrix, Int(1)}, {{"exclusive", true}}, "int32[2,3] [[1, 1, 2], [1, 4, 20]]"},
      {"Cumprod",
       {Numbers(DType::kInt8, {100, 2, 1}), Int(0)},
       {{"exclusive", true}, {"reverse", true}},
       "int8[3] [2, 1, 1]"},
      {"CumulativeLogsumexp",
       {Floats({-kInf, -kInf, 2, kInf}), Int(0)},
       {},
       "float[4] [-inf, -inf, 2, inf]"},
      {"Cumsum", {Empty(DType::kFloat, Dims{2, 0}), Int(0)}, {}, "float[2,0] [[], []]"},
      {"Cumsum",
       {matrix, Int(2)},
       {},
       "INVALID_ARGUMENT: Expected scan axis in the range [-2, 2), but got 2"},
      {"Cumsum",
       {Int(1), Int(0)},
       {},
       "INVALID_ARGUMENT: Expected scan axis in the range [0, 0), but got 0"},
      {"Cumsum",
       {matrix, Ints({0, 1})},
       {},
       "INVALID_ARGUMENT: axis must be a scalar, but it has shape [2]"},
  });
}

TEST(TotalTest, Limits) {
  AttrList boundaries;
  boundaries.floats = {-1, 0, 0, 2.5};
  AttrList descending;
  descending.floats = {1, 0};
  Check({
      {"ClipByValue", {Ints({-5, 0, 5}), Int(-1), Int(2)}, {}, "int32[3] [-1, 0, 2]"},
      {"ClipByValue", {Ints({1, 1}), Ints({0, 5}), Int(2)}, {}, "int32[2] [1, 5]"},
      {"ClipByValue",
       {Ints({1, 1}), Ints({0}), Int(2)},
       {},
       "INVALID_ARGUMENT: a limit must be a scalar or have the shape of the input, [2], not [1]"},
      {"Bucketize",
       {Floats({-3, -1, 0, 2, 3, std::nanf("")})},
       {{"boundaries", boundaries}},
       "int32[6] [0, 1, 3, 3, 4, 4]"},
      {"Bucketize",
       {Ints({0})},
       {{"boundaries", descending}},
       "INVALID_ARGUMENT: the boundaries must ascend"},
  });
}

TEST(TotalTest, VectorsToNumbers) {
  Check({
      {"L2Loss", {Floats({3, 4})}, {}, "float[] 12.5"},
      {"L2Loss", {Empty(DType::kHalf, Dims{0, 2})}, {}, "half[] 0"},
      {"Cross", {Ints({1, 2, 3}), Ints({4, 5, 6})}, {}, "int32[3] [-3, 6, -3]"},
      {"Cross",
       {Empty(DType::kInt8, Dims{0, 3}), Empty(DType::kInt8, Dims{0, 3})},
       {},
       "int8[0,3] []"},
      {"Cross",
       {Int(1), Int(2)},
       {},
       "INVALID_ARGUMENT: a and b must have one shape, of rank 1 or more, not [] and []"},
      {"Cross",
       {Ints({1, 2}), Ints({1, 2})},
       {},
       "FAILED_PRECONDITION: cross products are of vectors of 3 numbers, not of 2"},
  });
}

}  // namespace
}  // namespace tagflow::reference
