// Kernels of half and bfloat16, by the fake of CUDA. That all of them give what those of float
// give, rounded, is tested by conformance/gpu/compare_kernels_test.cc.
//
// Tests: short_float_kernels.cc, cast_kernels.cc, product_kernels.cc

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

Tensor Halves(const std::vector<float>& numbers) {
  std::vector<Half> halves;
  for (const float number : numbers) halves.push_back(HalfFromFloat(number));
  return Tensor::Vector(halves);
}

bool HasKernel(const std::string& op, DType dtype) {
  return GpuDevices()->kernels()->FindFor({op, "GPU", dtype}) != nullptr;
}

TEST(GpuShortFloats, AreComputedInFloatAndRoundedOnce) {
  // 2048 + 1 is no half; the square of 300 is above the greatest.
  const Tensor x = Halves({2048, 300, 1}), y = Halves({1, 300, 0.5F});
  EXPECT_EQ(GivenOnGpu("AddV2", "T=half", {x, y}), "half[3] [2048, 600, 1.5]");
  EXPECT_EQ(GivenOnGpu("Mul", "T=half", {x, y}), "half[3] [2048, inf, 0.5]");
  EXPECT_EQ(GivenOnGpu("Less", "T=half", {x, y}), "bool[3] [false, false, false]");
  // Each sum is rounded.
  EXPECT_EQ(GivenOnGpu("AddN", "T=half N=3", {x, y, y}), "half[3] [2048, 900, 2]");
  // The sum is 67,584 on its way.
  EXPECT_EQ(GivenOnGpu("Mean", "T=half",
                       {Tensor::Vector(std::vector<Half>(33, HalfFromFloat(2048))),
                        Tensor::Vector<int32_t>({0})}),
            "half[] 2048");
}

TEST(GpuShortFloats, OfTheHostAreOnesToo) {
  const Tensor one = Halves({1}).Reshaped({});
  EXPECT_EQ(GivenOnGpu("AddV2", "T=half", {Halves({1, 2}), one}), "half[2] [2, 3]");
  EXPECT_EQ(GivenOnGpu("AddV2", "T=half", {one, one}), "half[] 2");
  EXPECT_EQ(GivenOnGpu("AddV2", "T=half", {Halves({}), one}), "half[0] []");
}

TEST(GpuShortFloats, AreRefusedAsFloatsAre) {
  EXPECT_EQ(GivenOnGpu("AddV2", "T=half", {Halves({1, 2}), Halves({1, 2, 3})}), "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("Sum", "T=half", {Halves({1, 2}), Tensor::Vector<int32_t>({1})}),
            "INVALID_ARGUMENT");
}

TEST(GpuShortFloats, AreCastByWayOfFloat) {
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=half DstT=int32", {Halves({1.5F, -2.5F})}),
            "int32[2] [1, -2]");
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=half DstT=bfloat16", {Halves({1.0078125F, 3})}),
            "bfloat16[2] [1.0078125, 3]");
  const Tensor integers = Tensor::Vector<int64_t>({2049, 70'000, -3});
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=int64 DstT=half", {integers}), "half[3] [2048, inf, -3]");
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=half DstT=half", {Halves({2})}), "half[1] [2]");
}

TEST(GpuShortFloats, AreMultipliedByCublasWhereItIsFound) {
  const Tensor a = Halves({1, 2, 3, 4}).Reshaped(Dims{2, 2});
  constexpr char kProduct[] = "half[2,2] [[7, 10], [15, 22]]";
  EXPECT_EQ(GivenOnGpu("MatMul", "T=half", {a, a}), kProduct);
  fake_cuda::LetCublasBeFound(true);
  const int before = fake_cuda::CublasProducts();
  EXPECT_EQ(GivenOnGpu("MatMul", "T=half", {a, a}), kProduct);
  EXPECT_EQ(fake_cuda::CublasProducts(), before + 1);
  fake_cuda::LetCublasBeFound(false);
}

TEST(GpuShortFloats, OfWhichThereAreNoneAreSo) {
  EXPECT_EQ(GivenOnGpu("Max", "T=half", {Halves({}), Tensor::Vector<int32_t>({0})}), "half[] -inf");
}

TEST(GpuShortFloats, AreLeftToTheHostWhereOtherNumbersWouldCome) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
    EXPECT_TRUE(HasKernel("Softmax", dtype));
    EXPECT_TRUE(HasKernel("ConcatV2", dtype));        // by its own kernel, which looks at no number
    EXPECT_FALSE(HasKernel("NextAfter", dtype));      // is of no short float
    EXPECT_FALSE(HasKernel("FloorDiv", dtype));       // rounds the quotient first
    EXPECT_FALSE(HasKernel("RandomUniform", dtype));  // would have other bits
  }
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
