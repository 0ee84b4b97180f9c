// Tests: softmax.cc scan.cc limits.cc
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(SoftmaxTest, Rows) {
  const Tensor logits = Floats(Dims{2, 2}, {1000, 1000, 0, 0});
  Check({
      {"Softmax", {logits}, {}, "float[2,2] [[0.5, 0.5], [0.5, 0.5]]"},
      {"LogSoftmax", {Floats({7})}, {}, "float[1] [0]"},
      {"Softmax", {Empty(DType::kFloat, Dims{2, 0})}, {}, "float[2,0] [[], []]"},
      {"Softmax", {Float(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SoftmaxTest, Losses) {
  const std::string dense = "SoftmaxCrossEntropyWithLogits";
  const std::string sparse = "SparseSoftmaxCrossEntropyWithLogits";
  const Tensor one_class = Floats(Dims{2, 1}, {3, 4}), even = Floats(Dims{1, 2}, {5, 5});
  Check({
      {dense,
       {one_class, Floats(Dims{2, 1}, {1, 2})},
       {},
       "float[2] [0, 0]; float[2,1] [[0], [-1]]"},
      {dense, {even, Floats({1, 0})}, {}, "float[1] [0.6931472]; float[1,2] [[-0.5, 0.5]]"},
      {dense,
       {Empty(DType::kFloat, Dims{2, 0}), Empty(DType::kFloat, Dims{2, 0})},
       {},
       "float[2] [0, 0]; float[2,0] [[], []]"},
      {dense, {Floats({1, 2}), Floats({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {sparse, {even, Ints({1})}, {}, "float[1] [0.6931472]; float[1,2] [[0.5, -0.5]]"},
      {sparse, {one_class, Ints({0, 0})}, {}, "float[2] [0, 0]; float[2,1] [[0], [0]]"},
      {sparse, {even, Ints({2})}, {}, "INVALID_ARGUMENT:"},
      {sparse, {even, Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
      {sparse, {Empty(DType::kFloat, Dims{0, 0}), Ints({})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(ScanTest, AlongAnAxis) {
  const Tensor x = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});
  const AttrMap exclusive = {{"exclusive", true}}, reverse = {{"reverse", true}};
  Check({
      {"Cumsum", {x, Int(0)}, {}, "int32[2,3] [[1, 2, 3], [5, 7, 9]]"},
      {"Cumsum", {x, Int(-1)}, {}, "int32[2,3] [[1, 3, 6], [4, 9, 15]]"},
      {"Cumsum", {x, Int(1)}, exclusive, "int32[2,3] [[0, 1, 3], [0, 4, 9]]"},
      {"Cumsum", {x, Int(1)}, reverse, "int32[2,3] [[6, 5, 3], [15, 11, 6]]"},
      {"Cumprod", {Floats({2, 3, 4}), Int(0)}, {}, "float[3] [2, 6, 24]"},
      {"Cumsum", {Tensor::Vector<int8_t>({100, 100}), Int(0)}, {}, "int8[2] [100, -56]"},
      {"CumulativeLogsumexp", {Floats({0, 0}), Int(0)}, {}, "float[2] [0, 0.6931472]"},
      {"Cumsum", {Empty(DType::kFloat, Dims{0, 2}), Int(0)}, {}, "float[0,2] []"},
      {"Cumsum", {x, Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"Cumsum", {x, Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(LimitsTest, ClipAndBucketize) {
  AttrList boundaries, falling;
  boundaries.floats = {0, 10, 100};
  falling.floats = {1, 0};
  Check({
      {"ClipByValue", {Floats({-1, 5, kNan}), Float(0), Float(3)}, {}, "float[3] [0, 3, nan]"},
      {"ClipByValue", {Ints({1, 5}), Ints({2, 2}), Int(3)}, {}, "int32[2] [2, 3]"},
      {"ClipByValue", {Int(5), Int(4), Int(3)}, {}, "int32[] 4"},
      {"ClipByValue",
       {Tensor::Vector<int8_t>({-7, 7}), Tensor::Scalar<int8_t>(-2), Tensor::Scalar<int8_t>(2)},
       {},
       "int8[2] [-2, 2]"},
      {"ClipByValue", {Ints({1, 5}), Ints({2}), Int(3)}, {}, "INVALID_ARGUMENT:"},
      {"Bucketize",
       {Floats({-5, 0, 50, 500, kNan})},
       {{"boundaries", boundaries}},
       "int32[5] [0, 1, 2, 3, 3]"},
      {"Bucketize", {Ints({10})}, {{"boundaries", boundaries}}, "int32[1] [2]"},
      {"Bucketize", {Ints({10})}, {{"boundaries", falling}}, "INVALID_ARGUMENT:"},
  });
}

TEST(LimitsTest, L2LossAndCross) {
  Check({
      {"L2Loss", {Floats(Dims{2, 1}, {3, 4})}, {}, "float[] 12.5"},
      {"L2Loss", {Empty(DType::kDouble, Dims{0})}, {}, "double[] 0"},
      {"Cross", {Ints({1, 0, 0}), Ints({0, 1, 0})}, {}, "int32[3] [0, 0, 1]"},
      {"Cross",
       {Floats(Dims{1, 3}, {1, 2, 3}), Floats(Dims{1, 3}, {4, 5, 6})},
       {},
       "float[1,3] [[-3, 6, -3]]"},
      {"Cross", {Ints({1, 0}), Ints({0, 1})}, {}, "FAILED_PRECONDITION:"},
      {"Cross", {Int(1), Int(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
