#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"

namespace tagflow::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CastTest : public testing::Test {
 protected:
  std::string Cast(const Tensor& x, DType target, bool truncate = false) {
    return runner_.Text("Cast", {x}, {{"DstT", target}, {"Truncate", truncate}});
  }

  KernelRunner runner_{RegisterCastKernels};
};

TEST_F(CastTest, KeepsWhatBothDtypesHave) {
  const DType all[] = {DType::kInt8,  DType::kInt16,     DType::kInt32,     DType::kInt64,
                       DType::kUInt8, DType::kUInt16,    DType::kUInt32,    DType::kUInt64,
                       DType::kHalf,  DType::kBFloat16,  DType::kFloat,     DType::kDouble,
                       DType::kBool,  DType::kComplex64, DType::kComplex128};
  for (DType from : all) {
    for (DType to : all) {
      EXPECT_EQ(Cast(Numbers(from, {0, 1}), to), Numbers(to, {0, 1}).DebugString());
    }
  }
}

TEST_F(CastTest, CutsFractionsOff) {
  EXPECT_EQ(Cast(Numbers(DType::kFloat, {1.9, -1.9, -0.5}), DType::kInt16),
            Numbers(DType::kInt16, {1, -1, 0}).DebugString());
}

TEST_F(CastTest, FloatsOutOfRange) {
  const Tensor x = Numbers(DType::kFloat, {300, -1, 0x1p40, kNan, -kInf});
  auto expect = [&](DType dtype, const std::vector<double>& numbers) {
    EXPECT_EQ(Cast(x, dtype), Numbers(dtype, numbers).DebugString());
  };
  expect(DType::kInt8, {44, -1, 0, 0, 0});
  expect(DType::kUInt8, {44, 255, 0, 0, 0});
  expect(DType::kInt32, {300, -1, -0x1p31, -0x1p31, -0x1p31});
  expect(DType::kUInt32, {300, 0x1p32 - 1, 0x1p31, 0x1p31, 0x1p31});
  expect(DType::kInt64, {300, -1, 0x1p40, -0x1p63, -0x1p63});
  EXPECT_EQ(Cast(Numbers(DType::kDouble, {-1, 0x1p63, 1.5 * 0x1p63, kNan}), DType::kUInt64),
            Tensor::Vector<uint64_t>(
                {~uint64_t{0}, uint64_t{1} << 63, uint64_t{3} << 62, uint64_t{1} << 63})
                .DebugString());
}

TEST_F(CastTest, IntegersKeepTheirLowBits) {
  EXPECT_EQ(Cast(Numbers(DType::kInt32, {-1, 258}), DType::kUInt8),
            Numbers(DType::kUInt8, {255, 2}).DebugString());
  EXPECT_EQ(Cast(Tensor::Vector<uint64_t>({~uint64_t{0}}), DType::kInt64),
            Numbers(DType::kInt64, {-1}).DebugString());
  EXPECT_EQ(Cast(Tensor::Vector<uint64_t>({~uint64_t{0}}), DType::kFloat),
            Numbers(DType::kFloat, {0x1p64}).DebugString());
}

TEST_F(CastTest, ToBool) {
  EXPECT_EQ(Cast(Numbers(DType::kHalf, {0, -0.0, 0.25, kNan}), DType::kBool),
            Numbers(DType::kBool, {0, 0, 1, 1}).DebugString());
  EXPECT_EQ(Cast(Numbers(DType::kInt32, {256}), DType::kBool),
            Numbers(DType::kBool, {1}).DebugString());
  const Tensor imaginary = Tensor::Vector<std::complex<float>>({{0, 1}});
  EXPECT_EQ(Cast(imaginary, DType::kBool), Numbers(DType::kBool, {0}).DebugString());
}

TEST_F(CastTest, RoundsOrTruncates) {
  const double below = 1 + 0x1p-7 - 0x1p-20;  // just under the second bfloat16 above 1
  const Tensor x = Numbers(DType::kFloat, {below, -below, kNan});
  EXPECT_EQ(Cast(x, DType::kBFloat16),
            Numbers(DType::kBFloat16, {1 + 0x1p-7, -1 - 0x1p-7, kNan}).DebugString());
  EXPECT_EQ(Cast(x, DType::kBFloat16, true),
            Numbers(DType::kBFloat16, {1, -1, kNan}).DebugString());
  EXPECT_EQ(Cast(Numbers(DType::kDouble, {65535.9}), DType::kHalf, true),
            Numbers(DType::kHalf, {65504}).DebugString());
}

TEST_F(CastTest, StringsAreNotNumbers) {
  const Tensor words = Tensor::Vector<std::string>({"1"});
  EXPECT_EQ(Cast(words, DType::kInt32), "UNIMPLEMENTED: Cast string to int32 is not supported");
  EXPECT_EQ(Cast(words, DType::kString), words.DebugString());
}

}  // namespace
}  // namespace tagflow::reference
