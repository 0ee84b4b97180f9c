// Tests: reduction.cc bias.cc
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const AttrMap kKeep = {{"keep_dims", true}};

template <typename T>
Tensor Of(const std::vector<T>& values) {
  return Tensor::Vector(values);
}
Tensor Bools(DimsView dims, const std::vector<bool>& values) {
  Tensor tensor = *Tensor::Allocate(DType::kBool, dims);
  std::copy(values.begin(), values.end(), tensor.mutable_data<bool>());
  return tensor;
}

TEST(ReductionTest, Dimensions) {
  const Tensor cube = Ints(Dims{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Check({
      {"Sum", {cube, Ints({0})}, {}, "int32[2,2] [[6, 8], [10, 12]]"},
      {"Sum", {cube, Ints({1})}, {}, "int32[2,2] [[4, 6], [12, 14]]"},
      {"Sum", {cube, Ints({-1})}, {}, "int32[2,2] [[3, 7], [11, 15]]"},
      {"Sum", {cube, Ints({0, 2})}, {}, "int32[2] [14, 22]"},
      {"Sum", {cube, Ints({0, 1, 2})}, {}, "int32[] 36"},
      {"Sum", {cube, Ints({1})}, kKeep, "int32[2,1,2] [[[4, 6]], [[12, 14]]]"},
      {"Sum", {cube, Ints({})}, {}, "int32[2,2,2] [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]"},
      {"Sum", {cube, Tensor::Scalar<int64_t>(2)}, {}, "int32[2,2] [[3, 7], [11, 15]]"},
      {"Sum", {Float(3), Ints({})}, {}, "float[] 3"},
      {"Sum", {cube, Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"Sum", {cube, Ints({0, -3})}, {}, "INVALID_ARGUMENT:"},
      {"Sum", {Empty(DType::kFloat, Dims{0, 2}), Ints({0})}, {}, "float[2] [0, 0]"},
      {"Max", {Empty(DType::kInt8, Dims{0}), Ints({0})}, {}, "int8[] -128"},
      {"Min", {Empty(DType::kFloat, Dims{0}), Ints({0})}, {}, "float[] inf"},
      {"Mean", {Empty(DType::kInt32, Dims{0}), Ints({0})}, {}, "int32[] 0"},
  });
}

TEST(ReductionTest, Ops) {
  const Tensor zero = Ints({0});
  Check({
      {"Prod", {Floats({2, 3, 4}), zero}, {}, "float[] 24"},
      {"Mean", {Floats({1, 2, 6}), zero}, {}, "float[] 3"},
      {"Mean", {Ints({-3, -4}), zero}, {}, "int32[] -3"},
      {"Max", {Floats({1, 7, 3}), zero}, {}, "float[] 7"},
      {"Min", {Of<uint8_t>({9, 200, 3}), zero}, {}, "uint8[] 3"},
      {"Max", {Floats({1, kNan, 3}), zero}, {}, "float[] nan"},
      {"EuclideanNorm", {Floats({3, 4}), zero}, {}, "float[] 5"},
      {"EuclideanNorm", {Ints({2, 3}), zero}, {}, "int32[] 3"},
      {"EuclideanNorm", {Of<int8_t>({10, 5}), zero}, {}, "int8[] 11"},
      {"EuclideanNorm", {Of<int8_t>({10, 9}), zero}, {}, "int8[] 0"},
      {"Sum", {Of<int8_t>({127, 1}), zero}, {}, "int8[] -128"},
      {"Sum", {Of<std::complex<float>>({{1, 2}, {3, 4}}), zero}, {}, "complex64[] (4,6)"},
      {"All",
       {Bools(Dims{2, 2}, {true, false, true, true}), Ints({1})},
       {},
       "bool[2] [false, true]"},
      {"Any",
       {Bools(Dims{2, 2}, {true, false, false, false}), Ints({1})},
       {},
       "bool[2] [true, false]"},
  });
}

// Long rows are folded in lanes and in blocks.
TEST(ReductionTest, LongRows) {
  std::vector<float> values;
  for (int i = 1; i <= 1003; ++i) values.push_back(static_cast<float>(i));
  values.insert(values.end(), 4, -0.0f);
  const Tensor x = Floats(values), axis = Ints({0});
  std::vector<float> negative(100, -1);
  negative[20] = -0.0f;
  negative[30] = 0.0f;
  negative[57] = -0.0f;
  Check({
      {"Sum", {x, axis}, {}, "float[] 503506"},
      {"Max", {x, axis}, {}, "float[] 1003"},
      {"Min", {x, axis}, {}, "float[] -0"},
      {"Max", {Floats(negative), axis}, {}, "float[] -0"},
      {"Mean", {Of(std::vector<int64_t>(999, 7)), axis}, {}, "int64[] 7"},
  });
}

TEST(BiasTest, Channels) {
  const Tensor value = Ints(Dims{1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const AttrMap second = {{"data_format", "NCHW"}};
  Check({
      {"BiasAdd", {value, Ints({10, 20, 30})}, {}, "int32[1,2,3] [[[11, 22, 33], [14, 25, 36]]]"},
      {"BiasAdd", {value, Ints({10, 20})}, second, "int32[1,2,3] [[[11, 12, 13], [24, 25, 26]]]"},
      {"BiasAddV1", {value, Ints({1, 1, 1})}, {}, "int32[1,2,3] [[[2, 3, 4], [5, 6, 7]]]"},
      {"BiasAddGrad", {value}, {}, "int32[3] [5, 7, 9]"},
      {"BiasAddGrad", {value}, second, "int32[2] [6, 15]"},
      {"BiasAdd", {value, Ints({10, 20})}, {}, "INVALID_ARGUMENT:"},
      {"BiasAdd", {value, Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"BiasAdd", {Ints({1}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"BiasAddGrad", {Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
