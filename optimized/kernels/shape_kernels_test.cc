// Tests: checks.cc, shape_kernels.cc, summarize.cc
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

AttrValue List(std::vector<int64_t> ints) {
  AttrList list;
  list.ints = std::move(ints);
  return list;
}

TEST(CheckKernelsTest, RefuseWhatTheyAreThereToRefuse) {
  const float inf = std::numeric_limits<float>::infinity();
  const AttrMap message = {{"message", "seen"}};
  const Tensor half_nan = Tensor::Vector<Half>({Half{0x3c00}, Half{0x7e00}});
  Check({
      {"CheckNumerics", {Floats({1, -2})}, message, "float[2] [1, -2]"},
      {"CheckNumericsV2", {Float(-inf)}, message, "INVALID_ARGUMENT: seen : Tensor had Inf values"},
      {"CheckNumerics", {half_nan}, message, "INVALID_ARGUMENT: seen : Tensor had NaN values"},
      {"CheckNumericsV2",
       {Tensor::Vector<double>({std::nan(""), inf})},
       message,
       "INVALID_ARGUMENT: seen : Tensor had Inf and NaN values"},
      {"Abort", {}, {{"error_msg", "over"}}, "ABORTED: Abort: over"},
      {"Placeholder",
       {},
       {{"dtype", DType::kFloat}, {"shape", PartialShape(Dims{2, -1})}},
       "INVALID_ARGUMENT: You must feed a value for placeholder tensor 'node' with dtype float and "
       "shape [2,?]"},
  });
}

TEST(CheckKernelsTest, AssertShowsItsData) {
  const Tensor no = Tensor::Scalar(false);
  Check({
      {"Assert", {Tensor::Scalar(true), Int(1)}, {}, ""},
      {"Assert", {Tensor::Vector<uint8_t>({1}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"Assert",
       {no, Ints({1, 2, 3, 4}), Ints(Dims{2, 2}, {1, 2, 3, 4}), Floats({0.1f, 0.12345678f})},
       {},
       "INVALID_ARGUMENT: assertion failed: [1 2 3...] [[1 2][3...]...] [0.1 0.123456784]"},
      {"Assert",
       {no, Ints(Dims{1, 2, 1}, {1, 2}), Empty(DType::kInt32, Dims{0, 2}), Strings({"a\n\"\x80"}),
        Tensor::Scalar(std::complex<float>(1, -2)), Tensor::Scalar(Half{0x3c00}), no},
       {{"summarize", -1}},
       R"(INVALID_ARGUMENT: assertion failed: [[[1][2]]] [] [a\n\"\200] [(1,-2)] [1] [0])"},
  });
}

TEST(ShapeKernelsTest, TellShapes) {
  const Tensor x = Empty(DType::kString, Dims{2, 0, 3});
  Check({
      {"Shape", {x}, {}, "int32[3] [2, 0, 3]"},
      {"Shape", {x}, {{"out_type", DType::kInt64}}, "int64[3] [2, 0, 3]"},
      {"Shape", {Empty(DType::kInt8, Dims{0, int64_t{1} << 32})}, {}, "INVALID_ARGUMENT:"},
      {"ShapeN", {Ints({1, 2}), Int(3)}, {}, "int32[1] [2]; int32[0] []"},
      {"Size", {x}, {}, "int32[] 0"},
      {"Rank", {x}, {}, "int32[] 3"},
      {"EnsureShape", {x}, {{"shape", PartialShape(Dims{2, -1, 3})}}, "string[2,0,3] [[], []]"},
      {"EnsureShape", {x}, {{"shape", PartialShape(Dims{2})}}, "INVALID_ARGUMENT:"},
  });
}

TEST(ShapeKernelsTest, Reshape) {
  const Tensor x = Ints({1, 2, 3, 4});
  Check({
      {"Reshape", {x, Ints({2, -1})}, {}, "int32[2,2] [[1, 2], [3, 4]]"},
      {"Reshape", {x, Int(4)}, {}, "int32[4] [1, 2, 3, 4]"},
      {"Reshape", {Ints({7}), Ints({})}, {}, "int32[] 7"},
      {"Reshape", {Int(7), Ints({1, 1})}, {}, "int32[1,1] [[7]]"},
      {"Reshape", {Empty(DType::kInt32, Dims{2, 0}), Ints({0, -1})}, {}, "int32[0,2] []"},
      {"Reshape", {Empty(DType::kInt32, Dims{2, 0}), Ints({-1, 5})}, {}, "int32[0,5] []"},
      {"Reshape", {x, Ints({3, -1})}, {}, "INVALID_ARGUMENT:"},
      {"Reshape", {x, Ints({0, -1})}, {}, "INVALID_ARGUMENT:"},
      {"Reshape", {x, Ints({-1, -1})}, {}, "INVALID_ARGUMENT:"},
      {"Reshape", {x, Ints({-2})}, {}, "INVALID_ARGUMENT:"},
      {"Reshape", {x, Ints({1 << 30, 1 << 30, 1 << 30})}, {}, "INVALID_ARGUMENT:"},
      {"Reshape", {x, Ints(Dims{1, 1}, {4})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(ShapeKernelsTest, ReshapeSharesTheMemoryAndHandsItOn) {
  OpRunner runner;
  Tensor value = Ints({1, 2, 3, 4});
  const void* data = value.raw_data();
  const auto outputs = runner.Run("Reshape", {std::move(value), Ints({2, 2})});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ((*outputs)[0].raw_data(), data);
  EXPECT_TRUE((*outputs)[0].unique());
}

TEST(ShapeKernelsTest, DimensionsOfSizeOne) {
  const Tensor row = Ints(Dims{1, 3}, {1, 2, 3});
  Check({
      {"ExpandDims", {Ints({1, 2}), Int(-1)}, {}, "int32[2,1] [[1], [2]]"},
      {"ExpandDims", {Int(1), Ints({0})}, {}, "int32[1] [1]"},
      {"ExpandDims", {Ints({1, 2}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"ExpandDims", {Ints({1, 2}), Ints({0, 1})}, {}, "INVALID_ARGUMENT:"},
      {"Squeeze", {row}, {}, "int32[3] [1, 2, 3]"},
      {"Squeeze", {row}, {{"squeeze_dims", List({-2})}}, "int32[3] [1, 2, 3]"},
      {"Squeeze", {row}, {{"squeeze_dims", List({1})}}, "INVALID_ARGUMENT:"},
      {"Squeeze", {row}, {{"squeeze_dims", List({2})}}, "INVALID_ARGUMENT:"},
  });
}

TEST(ShapeKernelsTest, Bitcast) {
  Check({
      {"Bitcast", {Float(1)}, {{"type", DType::kInt32}}, "int32[] 1065353216"},
      {"Bitcast", {Int(1)}, {{"type", DType::kInt16}}, "int16[2] [1, 0]"},
      {"Bitcast", {Ints(Dims{1, 2}, {1, 0})}, {{"type", DType::kInt64}}, "int64[1] [1]"},
      {"Bitcast", {Int(1)}, {{"type", DType::kInt64}}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
