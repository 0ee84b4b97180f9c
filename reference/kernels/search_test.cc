// Tests: unique.cc, top_k.cc, histogram.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"
#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr char kBad[] = "INVALID_ARGUMENT:";

TEST(Unique, Elements) {
  Check({
      {"Unique", {Ints({3, 1, 3, 2})}, {}, "int32[3] [3, 1, 2]; int32[4] [0, 1, 0, 2]"},
      {"Unique", {Strings({"b", "a", "b"})}, {}, "string[2] [\"b\", \"a\"]; int32[3] [0, 1, 0]"},
      {"Unique",
       {Floats({kNan, kNan, 0, -0.0f})},
       {},
       "float[3] [nan, nan, 0]; int32[4] [0, 1, 2, 2]"},
      {"UniqueWithCounts",
       {Ints({3, 1, 3})},
       {{"out_idx", DType::kInt64}},
       "int32[2] [3, 1]; int64[3] [0, 1, 0]; int64[2] [2, 1]"},
      {"Unique", {Ints({})}, {}, "int32[0] []; int32[0] []"},
      {"Unique", {Int(1)}, {}, kBad},
      {"Unique", {Ints(Dims{1, 1}, {1})}, {}, kBad},
      {"Unique", {Numbers(DType::kComplex64, {1})}, {}, "UNIMPLEMENTED:"},
  });
}

TEST(Unique, Slices) {
  const Tensor matrix = Ints(Dims{3, 2}, {1, 2, 3, 4, 1, 2});
  Check({
      {"UniqueV2", {matrix, Ints({0})}, {}, "int32[2,2] [[1, 2], [3, 4]]; int32[3] [0, 1, 0]"},
      {"UniqueWithCountsV2",
       {Ints(Dims{1, 3}, {5, 6, 5}), Ints({-1})},
       {},
       "int32[1,2] [[5, 6]]; int32[3] [0, 1, 0]; int32[2] [2, 1]"},
      {"UniqueV2", {Ints({7, 7}), Ints({})}, {}, "int32[1] [7]; int32[2] [0, 0]"},
      {"UniqueV2",
       {Empty(DType::kInt32, Dims{0, 3}), Ints({1})},
       {},
       "int32[0,1] []; int32[3] [0, 0, 0]"},
      {"UniqueV2", {matrix, Ints({})}, {}, kBad},
      {"UniqueV2", {matrix, Ints({2})}, {}, kBad},
      {"UniqueV2", {matrix, Ints({0, 1})}, {}, kBad},
      {"UniqueV2", {matrix, Int(0)}, {}, kBad},
      {"UniqueV2",
       {Empty(DType::kInt32, Dims{int64_t{1} << 60, 0}), Ints({0})},
       {},
       "RESOURCE_EXHAUSTED:"},
  });
}

TEST(TopK, LargestFirstAndEqualOnesInOrder) {
  const AttrMap two = {{"k", 2}};
  Check({
      {"TopKV2", {Ints({3, 1, 4, 4}), Int(3)}, {}, "int32[3] [4, 4, 3]; int32[3] [2, 3, 0]"},
      {"TopK",
       {Ints(Dims{2, 2}, {1, 2, 4, 3})},
       two,
       "int32[2,2] [[2, 1], [4, 3]]; int32[2,2] [[1, 0], [0, 1]]"},
      {"TopKV2",
       {Floats({1, kNan, kInf}), Int(2)},
       {{"index_type", DType::kInt16}},
       "float[2] [nan, inf]; int16[2] [1, 2]"},
      {"TopKV2",
       {Ints(Dims{2, 5}, {1, 5, 2, 4, 3, 3, 3, 3, 1, 2}), Int(3)},
       {{"sorted", false}},
       "int32[2,3] [[3, 5, 4], [3, 3, 3]]; int32[2,3] [[4, 1, 3], [2, 1, 0]]"},
      {"TopKV2",
       {Ints({1, 3, 2}), Int(3)},
       {{"sorted", false}},
       "int32[3] [3, 2, 1]; int32[3] [1, 2, 0]"},
      {"TopKV2", {Ints({3}), Int(0)}, {}, "int32[0] []; int32[0] []"},
      {"TopKV2", {Empty(DType::kInt32, Dims{0, 3}), Int(2)}, {}, "int32[0,2] []; int32[0,2] []"},
      {"TopKV2", {Ints({3}), Int(2)}, {}, kBad},
      {"TopKV2", {Ints({3}), Int(-1)}, {}, kBad},
      {"TopKV2", {Ints({3}), Ints({1})}, {}, kBad},
      {"TopKV2", {Int(3), Int(0)}, {}, kBad},
      {"TopKV2", {Empty(DType::kInt32, Dims{0, int64_t{1} << 40}), Int(1)}, {}, kBad},
  });
}

TEST(InTopK, CountsWhatIsLarger) {
  const Tensor row = Tensor::Of<float>(Dims{1, 3}, std::vector<float>{1, 3, 2});
  const Tensor infinite = Tensor::Of<float>(Dims{1, 2}, std::vector<float>{kInf, 1});
  Check({
      {"InTopKV2", {row, Ints({2}), Int(2)}, {}, "bool[1] [true]"},
      {"InTopKV2", {row, Ints({2}), Int(1)}, {}, "bool[1] [false]"},
      {"InTopK", {row, Ints({2})}, {{"k", 2}}, "bool[1] [true]"},
      {"InTopK", {row, Ints({3})}, {{"k", 9}}, "bool[1] [false]"},
      {"InTopK", {row, Ints({-1})}, {{"k", 9}}, "bool[1] [false]"},
      {"InTopK", {infinite, Ints({1})}, {{"k", 2}}, "bool[1] [false]"},
      {"InTopK", {row, Ints({0, 0})}, {{"k", 1}}, kBad},
      {"InTopKV2", {row, Ints({0}), Ints({1})}, {}, kBad},
      {"InTopK", {Floats({1}), Ints({0})}, {{"k", 1}}, kBad},
  });
}

TEST(Bincount, CountsOrAddsWeights) {
  const Tensor matrix = Ints(Dims{2, 2}, {0, 1, 1, 1});
  const AttrMap binary = {{"binary_output", true}};
  Check({
      {"Bincount", {Ints({0, 1, 1, 7}), Int(3), Ints({})}, {}, "int32[3] [1, 2, 0]"},
      {"Bincount", {matrix, Int(2), Floats({1, 2, 3, 4})}, {}, "float[2] [1, 9]"},
      {"DenseBincount", {matrix, Int(2), Ints({})}, {}, "int32[2,2] [[1, 1], [0, 2]]"},
      {"DenseBincount", {matrix, Int(2), Ints({})}, binary, "int32[2,2] [[1, 1], [0, 1]]"},
      {"DenseBincount", {Int(1), Int(2), Ints({})}, {}, "int32[2] [0, 1]"},
      {"DenseBincount",
       {Empty(DType::kInt32, Dims{2, 0}), Int(1), Ints({})},
       {},
       "int32[2,1] [[0], [0]]"},
      {"Bincount", {Ints({-1}), Int(3), Ints({})}, {}, kBad},
      {"Bincount", {Ints({1}), Int(-3), Ints({})}, {}, kBad},
      {"Bincount", {Ints({1}), Ints({3}), Ints({})}, {}, kBad},
      {"Bincount", {Ints({1, 1}), Int(3), Ints({5})}, {}, kBad},
      {"DenseBincount", {matrix, Int(3), Ints({1, 2, 3, 4})}, {}, kBad},
      {"DenseBincount", {Ints(Dims{1, 1, 1}, {0}), Int(3), Ints({})}, {}, kBad},
      {"DenseBincount",
       {Tensor::Vector<int64_t>({0}), Tensor::Scalar<int64_t>(int64_t{1} << 60), Ints({})},
       {},
       "RESOURCE_EXHAUSTED:"},
  });
}

TEST(Histogram, EndsTakeTheRest) {
  const Tensor range = Floats({0, 5});
  Check({
      {"HistogramFixedWidth",
       {Floats({-1, 0, 1.5, 2, 5, kInf}), range, Int(5)},
       {},
       "int32[5] [2, 1, 1, 0, 2]"},
      {"HistogramFixedWidth",
       {Ints({0, 4, 9}), Ints({0, 10}), Int(2)},
       {{"dtype", DType::kInt64}},
       "int64[2] [2, 1]"},
      {"HistogramFixedWidth", {Floats({1}), Floats({-kInf, 5}), Int(3)}, {}, "int32[3] [1, 0, 0]"},
      {"HistogramFixedWidth", {Floats({kNan}), range, Int(3)}, {}, kBad},
      {"HistogramFixedWidth", {Floats({1}), Floats({5, 5}), Int(3)}, {}, kBad},
      {"HistogramFixedWidth", {Floats({1}), Floats({kNan, 5}), Int(3)}, {}, kBad},
      {"HistogramFixedWidth", {Floats({1}), Floats({5}), Int(3)}, {}, kBad},
      {"HistogramFixedWidth", {Floats({1}), range, Int(0)}, {}, kBad},
      {"HistogramFixedWidth", {Floats({1}), range, Ints({3})}, {}, kBad},
  });
}

}  // namespace
}  // namespace tagflow::reference
