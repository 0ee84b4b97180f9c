#include "cli/widen.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace tagflow::cli {
namespace {

std::string As(DType dtype, const Tensor& tensor) {
  const Result<Tensor> widened = Widened(tensor, dtype);
  return widened.ok() ? widened->DebugString() : widened.status().message();
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(WidenTest, WholeNumbersWhereEachIsThere) {
  const Tensor longs = Tensor::Vector<int64_t>({1, -2, int64_t{1} << 40});
  EXPECT_EQ(As(DType::kDouble, longs), "double[3] [1, -2, 1099511627776]");
  EXPECT_EQ(As(DType::kFloat, longs), "float[3] [1, -2, 1.0995116e+12]");
  EXPECT_EQ(As(DType::kInt32, longs), "element [2], 1099511627776, is not a value of dtype int32");
  EXPECT_EQ(As(DType::kUInt64, longs), "element [1], -2, is not a value of dtype uint64");
  EXPECT_EQ(As(DType::kComplex64, Tensor::Scalar<int32_t>(5)), "complex64[] (5,0)");
  EXPECT_EQ(As(DType::kHalf, Tensor::Scalar<int32_t>(2048)), "half[] 2048");
  EXPECT_CONTAINS(As(DType::kHalf, Tensor::Scalar<int32_t>(2049)), "is not a value of dtype half");
  EXPECT_CONTAINS(As(DType::kHalf, Tensor::Scalar<int32_t>(100000)), "is not a value of");
  EXPECT_EQ(As(DType::kBFloat16, Tensor::Scalar<int16_t>(256)), "bfloat16[] 256");
  EXPECT_CONTAINS(As(DType::kBFloat16, Tensor::Scalar<int16_t>(257)), "is not a value of");
  EXPECT_EQ(As(DType::kUInt8, Tensor::Scalar(true)), "uint8[] 1");
  EXPECT_EQ(As(DType::kFloat, Tensor::Scalar(false)), "float[] 0");
}

TEST(WidenTest, WholeNumbersAtTheEdge) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr uint64_t kUnsignedMax = std::numeric_limits<uint64_t>::max();
  EXPECT_CONTAINS(As(DType::kDouble, Tensor::Scalar(kMax)), "9223372036854775807, is not");
  EXPECT_CONTAINS(As(DType::kDouble, Tensor::Scalar(kUnsignedMax)), "is not a value of");
  EXPECT_EQ(*Widened(Tensor::Scalar(-kMax - 1), DType::kDouble)->data<double>(), -0x1p63);
  EXPECT_CONTAINS(As(DType::kDouble, Tensor::Scalar((int64_t{1} << 53) + 1)), "is not a value of");
  EXPECT_TRUE(Widened(Tensor::Scalar(int64_t{1} << 62), DType::kFloat).ok());
  EXPECT_CONTAINS(As(DType::kInt64, Tensor::Scalar(kUnsignedMax)), "is not a value of");
}

TEST(WidenTest, FloatsGoUpAndNeverDown) {
  EXPECT_EQ(As(DType::kDouble, Tensor::Scalar(HalfFromFloat(1.5f))), "double[] 1.5");
  EXPECT_EQ(As(DType::kFloat, Tensor::Scalar(BFloat16FromFloat(-2))), "float[] -2");
  EXPECT_EQ(As(DType::kDouble, Tensor::Scalar(0.5f)), "double[] 0.5");
  EXPECT_EQ(As(DType::kComplex128, Tensor::Scalar(0.5)), "complex128[] (0.5,0)");
  EXPECT_EQ(As(DType::kComplex128, Tensor::Scalar(std::complex<float>(1, 2))),
            "complex128[] (1,2)");
  EXPECT_EQ(As(DType::kDouble, Tensor::Scalar(std::numeric_limits<float>::infinity())),
            "double[] inf");
  for (const DType dtype : {DType::kFloat, DType::kHalf, DType::kInt32, DType::kComplex64}) {
    EXPECT_CONTAINS(As(dtype, Tensor::Scalar(1.0)), "can lose something");
  }
  EXPECT_CONTAINS(As(DType::kBFloat16, Tensor::Scalar(HalfFromFloat(1))), "can lose something");
  EXPECT_CONTAINS(As(DType::kBool, Tensor::Scalar(1)), "can lose something");
}

TEST(WidenTest, OnlyNumbers) {
  EXPECT_CONTAINS(As(DType::kString, Tensor::Scalar(1)), "is not a kind of string");
  EXPECT_CONTAINS(As(DType::kFloat, Tensor::Scalar<std::string>("1")), "is not a kind of float");
  EXPECT_EQ(As(DType::kString, Tensor::Scalar<std::string>("1")), "string[] \"1\"");
}

TEST(WidenTest, ShapesStay) {
  EXPECT_EQ(As(DType::kFloat, *Tensor::Allocate(DType::kInt32, Dims{0, 3})), "float[0,3] []");
  const Tensor matrix = Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{1, 2, 3, 70000});
  EXPECT_CONTAINS(As(DType::kInt16, matrix), "element [1,1], 70000");
}

}  // namespace
}  // namespace tagflow::cli
