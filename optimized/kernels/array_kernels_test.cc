// Tests: array_fill.cc, array_join.cc, gather.cc, gather_kernels.cc, slice_kernels.cc,
//        strided_slice.cc, variant_zeros.cc
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/optional.h"
#include "graph/tensor_list.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

Tensor Halves(const std::vector<float>& values) {
  std::vector<Half> halves;
  for (float value : values) halves.push_back(HalfFromFloat(value));
  return Tensor::Vector(halves);
}

Tensor Square() { return Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(FillKernelsTest, OneValue) {
  const Tensor x = Empty(DType::kBFloat16, Dims{2});
  Check({
      {"Fill", {Ints({2, 2}), Float(7)}, {}, "float[2,2] [[7, 7], [7, 7]]"},
      {"Fill", {Ints({}), Strings({"a"})}, {}, R"(string[] "a")"},
      {"Fill", {Ints({-1}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"Fill", {Ints({1}), Ints({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"Fill", {Ints({1 << 30, 1 << 30, 1 << 30}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"Fill", {Ints({1 << 30, 1 << 30}), Int(1)}, {}, "RESOURCE_EXHAUSTED:"},
      {"Empty", {Ints({2})}, {{"dtype", DType::kInt8}}, "int8[2] [0, 0]"},
      {"Empty", {Ints({2})}, {{"dtype", DType::kVariant}}, "UNIMPLEMENTED:"},
      {"Empty", {Int(2)}, {{"dtype", DType::kInt8}}, "INVALID_ARGUMENT:"},
      {"ZerosLike", {Floats({1, 2})}, {}, "float[2] [0, 0]"},
      {"ZerosLike", {Strings({"a"})}, {}, R"(string[1] [""])"},
      {"ZerosLike", {Tensor::Scalar(3.0)}, {}, "double[] 0"},
      {"OnesLike", {x}, {}, "bfloat16[2] [1, 1]"},
      {"OnesLike", {Tensor::Scalar(std::complex<double>(3, 4))}, {}, "complex128[] (1,0)"},
  });
}

TEST(FillKernelsTest, ZerosOfVariants) {
  TensorList list(DType::kInt32);
  list.Push(Ints({1, 2}));
  list.Push(OptionalTensors::Wrap({Float(3)}));
  OpRunner runner;
  auto zeros = runner.Run("ZerosLike", {TensorList::Wrap(list)});
  ASSERT_TRUE(zeros.ok());
  const TensorList* zero_list = TensorList::In((*zeros)[0]);
  ASSERT_NE(zero_list, nullptr);
  EXPECT_EQ(zero_list->Get(0).DebugString(), "int32[2] [0, 0]");
  EXPECT_EQ(OptionalTensors::In(zero_list->Get(1))->components()[0].DebugString(), "float[] 0");
  list.Push(Strings({"a"}));
  EXPECT_EQ(runner.Run("ZerosLike", {TensorList::Wrap(list)}).status().code(),
            Code::kInvalidArgument);
  Tensor nested = TensorList::Wrap(TensorList(DType::kVariant));
  for (int i = 0; i < 300; ++i) {
    TensorList deeper(DType::kVariant);
    deeper.Push(nested);
    nested = TensorList::Wrap(std::move(deeper));
  }
  EXPECT_EQ(runner.Run("ZerosLike", {nested}).status().code(), Code::kResourceExhausted);
}

TEST(FillKernelsTest, NumbersAtEqualDistances) {
  const auto least = std::numeric_limits<int64_t>::min();
  auto wide = [](int64_t x) { return Tensor::Scalar(x); };
  Check({
      {"Range", {Int(1), Int(8), Int(3)}, {}, "int32[3] [1, 4, 7]"},
      {"Range", {Int(3), Int(0), Int(-2)}, {}, "int32[2] [3, 1]"},
      {"Range", {Float(0), Float(1), Float(0.4f)}, {}, "float[3] [0, 0.4, 0.8]"},
      {"Range", {Halves({0}), Halves({1}), Halves({0.5})}, {}, "half[2] [0, 0.5]"},
      {"Range",
       {Tensor::Scalar(uint16_t{250}), Tensor::Scalar(uint16_t{255}), Tensor::Scalar(uint16_t{2})},
       {},
       "uint16[3] [250, 252, 254]"},
      {"Range", {Int(1), Int(1), Int(3)}, {}, "int32[0] []"},
      {"Range", {Int(1), Int(8), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {Int(1), Int(8), Int(-1)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {Float(1), Float(NAN), Float(1)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {Ints({1, 2}), Int(8), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {wide(least), wide(-(least + 1)), wide(1)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {wide(least), wide(0), wide(1)}, {}, "INVALID_ARGUMENT:"},
      {"Range", {wide(0), wide(int64_t{1} << 60), wide(1)}, {}, "RESOURCE_EXHAUSTED:"},
      {"LinSpace", {Float(1), Float(2), Int(3)}, {}, "float[3] [1, 1.5, 2]"},
      {"LinSpace", {Tensor::Scalar(1.0), Tensor::Scalar(2.0), Int(1)}, {}, "double[1] [1]"},
      {"LinSpace", {Float(1), Float(2), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"LinSpace", {Halves({1}), Halves({1}), Int(1)}, {}, "UNIMPLEMENTED:"},
  });
}

TEST(FillKernelsTest, OneHot) {
  Check({
      {"OneHot",
       {Ints({1, -1, 5}), Int(2), Int(9), Int(0)},
       {},
       "int32[3,2] [[0, 9], [0, 0], [0, 0]]"},
      {"OneHot",
       {Ints({1, 0, 1}), Int(2), Float(9), Float(1)},
       {{"axis", 0}},
       "float[2,3] [[1, 9, 1], [9, 1, 9]]"},
      {"OneHot",
       {Int(0), Int(2), Tensor::Scalar(std::string("x")), Tensor::Scalar(std::string())},
       {},
       R"(string[2] ["x", ""])"},
      {"OneHot", {Ints({1}), Int(-2), Int(9), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"OneHot", {Ints({1}), Int(2), Ints({9}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"OneHot", {Ints({1}), Int(2), Int(9), Int(0)}, {{"axis", 2}}, "INVALID_ARGUMENT:"},
  });
}

TEST(JoinKernelsTest, PackAndUnpack) {
  Check({
      {"Pack", {Int(1), Int(2)}, {}, "int32[2] [1, 2]"},
      {"Pack", {Ints({1, 2}), Ints({3, 4})}, {{"axis", -1}}, "int32[2,2] [[1, 3], [2, 4]]"},
      {"Pack", {Strings({"a"}), Strings({"b"})}, {}, R"(string[2,1] [["a"], ["b"]])"},
      {"Pack", {Int(1), Ints({2})}, {}, "INVALID_ARGUMENT:"},
      {"Pack", {Int(1)}, {{"axis", 1}}, "INVALID_ARGUMENT:"},
      {"Unpack", {Square()}, {{"num", 2}}, "int32[3] [1, 2, 3]; int32[3] [4, 5, 6]"},
      {"Unpack",
       {Square()},
       {{"num", 3}, {"axis", 1}},
       "int32[2] [1, 4]; int32[2] [2, 5]; int32[2] [3, 6]"},
      {"Unpack", {Ints({5, 6})}, {{"num", 2}}, "int32[] 5; int32[] 6"},
      {"Unpack", {Square()}, {{"num", 3}}, "INVALID_ARGUMENT:"},
      {"Unpack", {Int(1)}, {{"num", 1}}, "INVALID_ARGUMENT:"},
  });
}

TEST(JoinKernelsTest, LargeRowsShareTheMemoryOfTheWhole) {
  OpRunner runner;
  const Tensor value = Empty(DType::kFloat, Dims{3, 1000});
  const auto rows = runner.Run("Unpack", {value}, {{"num", 3}});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)[1].raw_data(), value.data<float>() + 1000);
  EXPECT_EQ(DimsString((*rows)[1].dims()), "[1000]");
}

TEST(JoinKernelsTest, Concat) {
  const Tensor row = Ints(Dims{1, 3}, {7, 8, 9});
  const Tensor column = Ints(Dims{2, 1}, {7, 8});
  Check({
      {"ConcatV2", {Square(), row, Int(0)}, {}, "int32[3,3] [[1, 2, 3], [4, 5, 6], [7, 8, 9]]"},
      {"ConcatV2", {Square(), column, Int(-1)}, {}, "int32[2,4] [[1, 2, 3, 7], [4, 5, 6, 8]]"},
      {"Concat", {Int(0), Ints({1}), Empty(DType::kInt32, Dims{0})}, {}, "int32[1] [1]"},
      {"ConcatV2", {Square(), column, Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"ConcatV2", {Square(), Ints({1}), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"ConcatV2", {Int(1), Int(2), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"ConcatV2", {Ints({1}), Ints({2}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"ConcatOffset",
       {Int(1), Ints({2, 3}), Ints({2, 4})},
       {},
       "int32[2] [0, 0]; int32[2] [0, 3]"},
      {"ConcatOffset", {Int(1), Ints({2, 3}), Ints({3, 4})}, {}, "INVALID_ARGUMENT:"},
      {"ConcatOffset", {Int(2), Ints({2, 3}), Ints({2, 4})}, {}, "INVALID_ARGUMENT:"},
      {"ConcatOffset", {Int(0), Ints({2, 3}), Ints({2})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SliceKernelsTest, Slice) {
  Check({
      {"Slice", {Square(), Ints({0, 1}), Ints({2, -1})}, {}, "int32[2,2] [[2, 3], [5, 6]]"},
      {"Slice", {Square(), Ints({1, 0}), Ints({1, 3})}, {}, "int32[1,3] [[4, 5, 6]]"},
      {"Slice", {Square(), Ints({2, 0}), Ints({-1, 1})}, {}, "int32[0,1] []"},
      {"Slice", {Int(1), Ints({}), Ints({})}, {}, "int32[] 1"},
      {"Slice", {Square(), Ints({0, 4}), Ints({1, -1})}, {}, "INVALID_ARGUMENT:"},
      {"Slice", {Square(), Ints({0, 1}), Ints({1, 3})}, {}, "INVALID_ARGUMENT:"},
      {"Slice", {Square(), Ints({0}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SliceKernelsTest, StridedSlice) {
  const AttrMap row = {{"shrink_axis_mask", 1}};
  auto slice = [](std::vector<int32_t> begin, std::vector<int32_t> end, std::vector<int32_t> step) {
    return std::vector<Tensor>{Square(), Ints(begin), Ints(end), Ints(step)};
  };
  Check({
      {"StridedSlice", slice({-1}, {0}, {1}), row, "int32[3] [4, 5, 6]"},
      {"StridedSlice", slice({1, 1}, {2, 2}, {1, 1}), {{"shrink_axis_mask", 3}}, "int32[] 5"},
      {"StridedSlice", slice({0, 2}, {2, 0}, {1, -1}), {}, "int32[2,2] [[3, 2], [6, 5]]"},
      {"StridedSlice",
       slice({0, 0}, {0, 0}, {-1, 2}),
       {{"begin_mask", 3}, {"end_mask", 3}},
       "int32[2,2] [[4, 6], [1, 3]]"},
      {"StridedSlice",
       slice({0, 0, 1}, {0, 0, 2}, {1, 1, 1}),
       {{"ellipsis_mask", 1}, {"new_axis_mask", 2}},
       "int32[2,1,1] [[[2]], [[5]]]"},
      {"StridedSlice", slice({2}, {5}, {1}), {}, "int32[0,3] []"},
      {"StridedSlice", slice({2}, {3}, {1}), row, "INVALID_ARGUMENT:"},
      {"StridedSlice", slice({0}, {1}, {-1}), row, "INVALID_ARGUMENT:"},
      {"StridedSlice", slice({0}, {1}, {0}), {}, "INVALID_ARGUMENT:"},
      {"StridedSlice", slice({0, 0, 0}, {1, 1, 1}, {1, 1, 1}), {}, "INVALID_ARGUMENT:"},
      {"StridedSlice", slice({0, 0}, {1, 1}, {1, 1}), {{"ellipsis_mask", 3}}, "INVALID_ARGUMENT:"},
      {"StridedSlice", slice({0}, {1, 1}, {1}), {}, "INVALID_ARGUMENT:"},
      {"StridedSlice", {Int(1), Ints({0}), Ints({1}), Ints({1})}, row, "INVALID_ARGUMENT:"},
      {"StridedSlice", {Int(1), Ints({}), Ints({}), Ints({})}, {}, "int32[] 1"},
  });
}

TEST(SliceKernelsTest, Split) {
  Check({
      {"Split",
       {Int(1), Square()},
       {{"num_split", 3}},
       "int32[2,1] [[1], [4]]; int32[2,1] [[2], [5]]; int32[2,1] [[3], [6]]"},
      {"Split",
       {Int(-2), Square()},
       {{"num_split", 2}},
       "int32[1,3] [[1, 2, 3]]; int32[1,3] [[4, 5, 6]]"},
      {"Split", {Int(1), Square()}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
      {"Split", {Int(2), Square()}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
      {"Split", {Ints({1}), Square()}, {{"num_split", 3}}, "INVALID_ARGUMENT:"},
      {"SplitV",
       {Square(), Ints({1, -1}), Int(1)},
       {{"num_split", 2}},
       "int32[2,1] [[1], [4]]; int32[2,2] [[2, 3], [5, 6]]"},
      {"SplitV", {Square(), Ints({1, 1}), Int(1)}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
      {"SplitV", {Square(), Ints({-1, -1}), Int(1)}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
      {"SplitV", {Square(), Ints({4, -1}), Int(1)}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
      {"SplitV", {Square(), Ints({-1}), Int(1)}, {{"num_split", 1}}, "INVALID_ARGUMENT:"},
      {"SplitV", {Square(), Ints({-2, 5}), Int(1)}, {{"num_split", 2}}, "INVALID_ARGUMENT:"},
  });
}

TEST(GatherKernelsTest, AlongAnAxis) {
  const Tensor none = Empty(DType::kInt32, Dims{0});
  Check({
      {"Gather", {Square(), Ints({1, 0})}, {}, "int32[2,3] [[4, 5, 6], [1, 2, 3]]"},
      {"Gather", {Strings({"a", "b"}), Int(1)}, {}, R"(string[] "b")"},
      {"Gather", {Ints({3, 4}), Ints({2})}, {}, "INVALID_ARGUMENT:"},
      {"Gather", {Ints({3, 4}), Ints({-1})}, {}, "INVALID_ARGUMENT:"},
      {"Gather", {Int(1), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"Gather", {none, none}, {}, "int32[0] []"},
      {"GatherV2", {Square(), Ints({2, 0}), Int(1)}, {}, "int32[2,2] [[3, 1], [6, 4]]"},
      {"GatherV2",
       {Square(), Ints(Dims{2, 1}, {2, 0}), Int(1)},
       {{"batch_dims", 1}},
       "int32[2,1] [[3], [4]]"},
      {"GatherV2", {Square(), Ints({0}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"GatherV2", {Square(), Ints({0}), Int(0)}, {{"batch_dims", 1}}, "INVALID_ARGUMENT:"},
      {"GatherV2", {Square(), Ints({0}), Int(1)}, {{"batch_dims", 1}}, "INVALID_ARGUMENT:"},
      {"GatherV2", {Square(), Ints({0}), Int(1)}, {{"batch_dims", 2}}, "INVALID_ARGUMENT:"},
  });
}

TEST(GatherKernelsTest, RowsOfCoordinates) {
  const Tensor outside = Ints(Dims{2, 2}, {0, 1, 2, 0});
  Check({
      {"GatherNd", {Square(), Ints(Dims{2, 2}, {0, 1, 1, 2})}, {}, "int32[2] [2, 6]"},
      {"GatherNd", {Square(), Ints({1})}, {}, "int32[3] [4, 5, 6]"},
      {"GatherNd", {Square(), outside}, {}, "INVALID_ARGUMENT:"},
      {"GatherNd", {Square(), outside}, {{"bad_indices_policy", "IGNORE"}}, "int32[2] [2, 0]"},
      {"GatherNd", {Square(), outside}, {{"bad_indices_policy", "?"}}, "UNIMPLEMENTED:"},
      {"GatherNd", {Square(), Ints({0, 0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"GatherNd", {Int(1), Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"GatherNd", {Empty(DType::kInt32, Dims{0}), Ints({0})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
