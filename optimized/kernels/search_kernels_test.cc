// Ops that look for elements, tell them apart or count them.
// Tests: array_search.cc, element_keys.cc, histogram.cc, index_kernels.cc, top_k.cc, unique.cc
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor Halves(const std::vector<float>& values) {
  std::vector<Half> halves;
  for (float value : values) halves.push_back(HalfFromFloat(value));
  return Tensor::Vector(halves);
}

TEST(SearchKernelsTest, ArgMaxAndArgMin) {
  const Tensor matrix = Ints(Dims{2, 3}, {3, 9, 9, 4, 1, 1});
  Check({
      {"ArgMax", {matrix, Int(1)}, {}, "int64[2] [1, 0]"},
      {"ArgMin", {matrix, Int(0)}, {{"output_type", DType::kInt32}}, "int32[3] [0, 1, 1]"},
      {"ArgMax", {Floats({NAN, 1, NAN, 2}), Int(0)}, {}, "int64[] 3"},
      {"ArgMax", {Floats({NAN, NAN}), Int(0)}, {}, "int64[] 0"},
      {"ArgMax", {Floats({NAN, -kInf}), Int(0)}, {}, "int64[] 1"},
      {"ArgMax", {Halves({1, 3, 2}), Int(0)}, {{"output_type", DType::kUInt16}}, "uint16[] 1"},
      {"ArgMin", {Tensor::Vector<uint8_t>({200, 100}), Int(-1)}, {}, "int64[] 1"},
      {"ArgMax", {Empty(DType::kFloat, Dims{0, 2}), Int(1)}, {}, "int64[0] []"},
      {"ArgMax", {Empty(DType::kFloat, Dims{0, 2}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"ArgMax", {matrix, Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"ArgMax", {matrix, Ints({0})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SearchKernelsTest, WhereAndInvertPermutation) {
  Check({
      {"Where", {Floats(Dims{2, 2}, {0, NAN, -0.0f, 2})}, {}, "int64[2,2] [[0, 1], [1, 1]]"},
      {"Where", {Tensor::Vector<std::complex<float>>({{0, 1}, {0, 0}})}, {}, "int64[1,1] [[0]]"},
      {"Where", {Halves({1})}, {}, "UNIMPLEMENTED:"},
      {"Where", {Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"InvertPermutation", {Ints({2, 0, 1})}, {}, "int32[3] [1, 2, 0]"},
      {"InvertPermutation", {Tensor::Vector<int64_t>({})}, {}, "int64[0] []"},
      {"InvertPermutation", {Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"InvertPermutation", {Ints({0, 2})}, {}, "INVALID_ARGUMENT:"},
      {"InvertPermutation", {Int(0)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SearchKernelsTest, Unique) {
  const Tensor matrix = Ints(Dims{3, 2}, {1, 2, 3, 4, 1, 2});
  const Tensor none = Ints({});
  Check({
      {"Unique", {Ints({3, 1, 3, 2})}, {}, "int32[3] [3, 1, 2]; int32[4] [0, 1, 0, 2]"},
      {"Unique", {Strings({"b", "", "b"})}, {}, R"(string[2] ["b", ""]; int32[3] [0, 1, 0])"},
      {"Unique",
       {Floats({NAN, NAN, 0, -0.0f})},
       {},
       "float[3] [nan, nan, 0]; int32[4] [0, 1, 2, 2]"},
      {"UniqueWithCounts",
       {Halves({1, -0.0f, 0})},
       {{"out_idx", DType::kInt64}},
       "half[2] [1, -0]; int64[3] [0, 1, 1]; int64[2] [1, 2]"},
      {"UniqueV2", {matrix, Ints({0})}, {}, "int32[2,2] [[1, 2], [3, 4]]; int32[3] [0, 1, 0]"},
      {"UniqueWithCountsV2",
       {matrix, Ints({-1})},
       {},
       "int32[3,2] [[1, 2], [3, 4], [1, 2]]; int32[2] [0, 1]; int32[2] [1, 1]"},
      {"UniqueV2",
       {Empty(DType::kInt32, Dims{2, 0}), Ints({0})},
       {},
       "int32[1,0] [[]]; int32[2] [0, 0]"},
      {"UniqueV2", {Ints({1, 1}), none}, {}, "int32[1] [1]; int32[2] [0, 0]"},
      {"UniqueV2", {matrix, none}, {}, "INVALID_ARGUMENT:"},
      {"UniqueV2", {matrix, Ints({2})}, {}, "INVALID_ARGUMENT:"},
      {"UniqueV2", {matrix, Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"Unique", {Tensor::Vector<std::complex<float>>({{1, 0}})}, {}, "UNIMPLEMENTED:"},
  });
}

TEST(SearchKernelsTest, Lists) {
  Check({
      {"ListDiff", {Ints({1, 2, 3, 2}), Ints({2})}, {}, "int32[2] [1, 3]; int32[2] [0, 2]"},
      {"ListDiff", {Floats({NAN, -0.0f}), Floats({NAN, 0})}, {}, "float[1] [nan]; int32[1] [0]"},
      {"ListDiff", {Strings({"a", "ab"}), Strings({"ab"})}, {}, R"(string[1] ["a"]; int32[1] [0])"},
      {"ListDiff", {Int(1), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"UnravelIndex", {Ints({5, 2}), Ints({2, 3})}, {}, "int32[2,2] [[1, 0], [2, 2]]"},
      {"UnravelIndex", {Int(5), Ints({2, 3})}, {}, "int32[2] [1, 2]"},
      {"UnravelIndex", {Int(6), Ints({2, 3})}, {}, "INVALID_ARGUMENT:"},
      {"UnravelIndex", {Int(0), Ints({0, 3})}, {}, "INVALID_ARGUMENT:"},
      {"UnravelIndex", {Int(0), Ints({1 << 16, 1 << 16})}, {}, "INVALID_ARGUMENT:"},
      {"LowerBound",
       {Ints(Dims{2, 3}, {1, 2, 2, 5, 6, 7}), Ints(Dims{2, 1}, {2, 9})},
       {},
       "int32[2,1] [[1], [3]]"},
      {"UpperBound",
       {Floats(Dims{1, 3}, {1, 2, 2}), Floats(Dims{1, 2}, {2, 0})},
       {{"out_type", DType::kInt64}},
       "int64[1,2] [[3, 0]]"},
      {"LowerBound", {Ints(Dims{1, 1}, {1}), Ints(Dims{2, 1}, {1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"BroadcastArgs", {Ints({2, 1}), Ints({3})}, {}, "int32[2] [2, 3]"},
      {"BroadcastArgs", {Ints({2}), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"BroadcastArgs", {Int(2), Ints({3})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SearchKernelsTest, TopK) {
  const Tensor row = Floats({1, NAN, 3, 3, -kInf});
  const Tensor predictions = Floats(Dims{2, 3}, {1, 2, 2, 5, NAN, 1});
  Check({
      {"TopKV2", {row, Int(3)}, {}, "float[3] [nan, 3, 3]; int32[3] [1, 2, 3]"},
      {"TopK",
       {Ints(Dims{2, 2}, {1, 2, 4, 3})},
       {{"k", 1}},
       "int32[2,1] [[2], [4]]; int32[2,1] [[1], [0]]"},
      {"TopKV2",
       {Halves({1, 5, 2}), Int(2)},
       {{"index_type", DType::kInt16}},
       "half[2] [5, 2]; int16[2] [1, 2]"},
      {"TopKV2", {row, Int(0)}, {}, "float[0] []; int32[0] []"},
      {"TopKV2",
       {Ints(Dims{2, 5}, {1, 5, 2, 4, 3, 3, 3, 3, 1, 2}), Int(3)},
       {{"sorted", false}},
       "int32[2,3] [[3, 5, 4], [3, 3, 3]]; int32[2,3] [[4, 1, 3], [2, 1, 0]]"},
      {"TopKV2", {Ints({1, 3, 2}), Int(1)}, {{"sorted", false}}, "int32[1] [3]; int32[1] [1]"},
      {"TopKV2", {row, Int(6)}, {}, "INVALID_ARGUMENT:"},
      {"TopKV2", {row, Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"TopKV2", {Float(1), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"InTopKV2", {predictions, Ints({1, 0}), Int(1)}, {}, "bool[2] [true, false]"},
      {"InTopK", {predictions, Ints({0, 7})}, {{"k", 2}}, "bool[2] [false, false]"},
      {"InTopK", {predictions, Ints({0})}, {{"k", 2}}, "INVALID_ARGUMENT:"},
  });
}

TEST(SearchKernelsTest, Histograms) {
  const Tensor none = Floats({});
  Check({
      {"Bincount", {Ints({1, 1, 5, 0}), Int(3), none}, {}, "float[3] [1, 2, 0]"},
      {"Bincount", {Ints({1, 1}), Int(2), Ints({3, 4})}, {}, "int32[2] [0, 7]"},
      {"Bincount", {Ints({-1}), Int(2), none}, {}, "INVALID_ARGUMENT:"},
      {"Bincount", {Ints({1}), Int(-2), none}, {}, "INVALID_ARGUMENT:"},
      {"Bincount", {Ints({1}), Int(2), Floats({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"DenseBincount",
       {Ints(Dims{2, 2}, {1, 1, 0, 1}), Int(2), none},
       {},
       "float[2,2] [[0, 2], [1, 1]]"},
      {"DenseBincount", {Ints({1, 1}), Int(2), none}, {{"binary_output", true}}, "float[2] [0, 1]"},
      {"DenseBincount", {Ints(Dims{1, 1, 1}, {1}), Int(2), none}, {}, "INVALID_ARGUMENT:"},
      {"HistogramFixedWidth",
       {Floats({-1, 0, 1.5f, 5, kInf}), Floats({0, 5}), Int(5)},
       {},
       "int32[5] [2, 1, 0, 0, 2]"},
      {"HistogramFixedWidth",
       {Ints({3}), Ints({0, 4}), Int(2)},
       {{"dtype", DType::kInt64}},
       "int64[2] [0, 1]"},
      {"HistogramFixedWidth", {Floats({NAN}), Floats({0, 5}), Int(5)}, {}, "INVALID_ARGUMENT:"},
      {"HistogramFixedWidth", {Floats({1}), Floats({5, 5}), Int(5)}, {}, "INVALID_ARGUMENT:"},
      {"HistogramFixedWidth", {Floats({1}), Floats({5}), Int(5)}, {}, "INVALID_ARGUMENT:"},
      {"HistogramFixedWidth", {Floats({1}), Floats({0, 5}), Int(0)}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
