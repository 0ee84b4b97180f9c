#include <gtest/gtest.h>

#include <cmath>

#include "graph/tensor.h"

namespace tagflow {
namespace {

Tensor Matrix() { return Tensor::Of<float>(Dims{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}); }

TEST(TensorTextTest, BitwiseEquality) {
  EXPECT_TRUE(BitwiseEqual(Matrix(), Matrix()));
  EXPECT_FALSE(BitwiseEqual(Matrix(), Matrix().Reshaped(Dims{3, 2})));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar(0.0f), Tensor::Scalar(-0.0f)));
  EXPECT_TRUE(BitwiseEqual(Tensor::Scalar(std::nanf("1")), Tensor::Scalar(-std::nanf("2"))));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar(Half{0}), Tensor::Scalar(Half{0x8000})));
  EXPECT_TRUE(BitwiseEqual(Tensor::Scalar(Half{0x7e00}), Tensor::Scalar(Half{0xfe01})));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar(int32_t{1}), Tensor::Scalar(uint32_t{1})));
  EXPECT_FALSE(BitwiseEqual(Tensor::Scalar(std::string("a")), Tensor::Scalar(std::string("b"))));
}

TEST(TensorTextTest, DebugString) {
  EXPECT_EQ(Matrix().DebugString(), "float[2,3] [[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(Tensor::Scalar(0.1f).DebugString(), "float[] 0.1");
  EXPECT_EQ(Tensor::Scalar(0.1).DebugString(), "double[] 0.1");
  EXPECT_EQ(Tensor::Scalar(-std::nanf("")).DebugString(), "float[] nan");
  EXPECT_EQ(Tensor::Scalar(true).DebugString(), "bool[] true");
  EXPECT_EQ(Tensor::Scalar(int8_t{65}).DebugString(), "int8[] 65");
  EXPECT_EQ(Tensor::Scalar(std::string("a\"\n")).DebugString(), "string[] \"a\\\"\\x0a\"");
  EXPECT_EQ(Matrix().DebugString(2), "float[2,3] [[1, 2, ...]]");
  EXPECT_EQ(Tensor::Vector<int32_t>({}).DebugString(), "int32[0] []");
}

// The text of a tensor without elements does not grow with its other dimensions.
TEST(TensorTextTest, DebugStringOfManyEmptyRows) {
  const Tensor empty = *Tensor::Allocate(DType::kFloat, Dims{int64_t{1} << 40, 0});
  EXPECT_LT(empty.DebugString().size(), 200u);
}

}  // namespace
}  // namespace tagflow
