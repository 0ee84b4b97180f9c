// Reductions, products and softmax of the GPU by the fake of CUDA: their inputs as they come, their
// shapes and their errors. What they compute is tested by conformance/gpu/host_*_test.cc.
// Tests: product.cu, product_kernels.cc, reduction.cu, reduction_kernels.cc, softmax_kernels.cc
// Tests: softmax.cu

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

const Tensor& Matrix() {
  static const Tensor& matrix =
      *new Tensor(Tensor::Vector<float>({1, 2, 3, 4, 5, 6}).Reshaped(Dims{2, 3}));
  return matrix;
}
Tensor Axes(const std::vector<int32_t>& axes) { return Tensor::Vector<int32_t>(axes); }

TEST(GpuReductions, TakeAxesFromTheHost) {
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {Matrix(), Axes({0})}), "float[3] [5, 7, 9]");
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {Matrix(), Tensor::Scalar<int32_t>(-1)}),
            "float[2] [6, 15]");
  EXPECT_EQ(GivenOnGpu("Max", "T=float keep_dims=true", {Matrix(), Axes({0, 1})}),
            "float[1,1] [[6]]");
  EXPECT_EQ(GivenOnGpu("Mean", "T=float", {Matrix(), Axes({0, 1})}), "float[] 3.5")
      << "to the host";
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {Matrix(), Axes({2})}), "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {Matrix(), Axes({0, -2})}), "INVALID_ARGUMENT");
  const Tensor booleans = Tensor::Scalar<bool>(true).Reshaped(Dims{1});
  EXPECT_EQ(GivenOnGpu("All", "", {booleans, Axes({0})}), "bool[] true");
}

TEST(GpuReductions, LeaveScalarsToTheHost) {
  EXPECT_EQ(GivenOnGpu("Sum", "T=int32", {Tensor::Scalar<int32_t>(5), Axes({})}), "int32[] 5");
  EXPECT_EQ(GivenOnGpu("L2Loss", "T=float", {Tensor::Scalar<float>(4)}), "float[] 8");
}

TEST(GpuReductions, TakeTensorsWithoutElements) {
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0, 3});
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {none, Axes({0})}), "float[3] [0, 0, 0]");
  EXPECT_EQ(GivenOnGpu("Prod", "T=float", {none, Axes({1})}), "float[0] []");
}

TEST(GpuReductions, MakeSeveralPasses) {
  const Tensor ones = Tensor::Vector<float>(std::vector<float>(100'000, 1));
  EXPECT_EQ(GivenOnGpu("Sum", "T=float", {ones, Axes({0})}), "float[] 100000");
  EXPECT_EQ(GivenOnGpu("L2Loss", "T=float", {ones}), "float[] 50000");
}

TEST(GpuReductions, FindTheBest) {
  EXPECT_EQ(GivenOnGpu("ArgMax", "T=float", {Matrix(), Tensor::Scalar<int32_t>(1)}),
            "int64[2] [2, 2]");
  EXPECT_EQ(
      GivenOnGpu("ArgMin", "T=float output_type=int32", {Matrix(), Tensor::Scalar<int32_t>(-2)}),
      "int32[3] [0, 0, 0]");
  EXPECT_EQ(GivenOnGpu("ArgMax", "T=float", {Matrix(), Tensor::Scalar<int32_t>(2)}),
            "INVALID_ARGUMENT");
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0, 2});
  EXPECT_EQ(GivenOnGpu("ArgMax", "T=float", {none, Tensor::Scalar<int32_t>(0)}),
            "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("ArgMax", "T=float", {none, Tensor::Scalar<int32_t>(1)}), "int64[0] []");
}

TEST(GpuReductions, SumAllButChannels) {
  EXPECT_EQ(GivenOnGpu("BiasAddGrad", "T=float", {Matrix()}), "float[3] [5, 7, 9]");
  EXPECT_EQ(GivenOnGpu("BiasAddGrad", "T=float data_format=NCHW", {Matrix()}),
            "float[3] [5, 7, 9]");
  EXPECT_EQ(GivenOnGpu("BiasAddGrad", "T=float", {Tensor::Vector<float>({1})}), "INVALID_ARGUMENT");
}

void CheckProducts() {
  const Tensor row = Tensor::Vector<float>({1, 0, 2}).Reshaped(Dims{1, 3});
  EXPECT_EQ(GivenOnGpu("MatMul", "T=float transpose_b=true", {row, Matrix()}),
            "float[1,2] [[7, 16]]");
  EXPECT_EQ(GivenOnGpu("MatMul", "T=float", {row, Matrix()}), "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("MatMul", "T=float", {row, Tensor::Scalar<float>(1)}), "INVALID_ARGUMENT");
  const Tensor batch = Matrix().Reshaped(Dims{2, 3, 1});
  EXPECT_EQ(GivenOnGpu("BatchMatMulV2", "T=float", {row, batch}), "float[2,1,1] [[[7]], [[16]]]");
  EXPECT_EQ(GivenOnGpu("BatchMatMul", "T=float", {row, batch}), "INVALID_ARGUMENT");
  const Tensor no_inner = *Tensor::Allocate(DType::kFloat, Dims{2, 0});
  EXPECT_EQ(GivenOnGpu("MatMul", "T=float transpose_b=true", {no_inner, no_inner}),
            "float[2,2] [[0, 0], [0, 0]]");
}

TEST(GpuProducts, AreMadeByAKernelWithoutCublas) {
  const int before = fake_cuda::CublasProducts();
  CheckProducts();
  EXPECT_EQ(fake_cuda::CublasProducts(), before);
}

TEST(GpuProducts, AreMadeByCublasWhereItIsFound) {
  const int before = fake_cuda::CublasProducts();
  fake_cuda::LetCublasBeFound(true);
  CheckProducts();
  const Tensor integers = Tensor::Vector<int32_t>({1, 2}).Reshaped(Dims{1, 2});
  EXPECT_EQ(GivenOnGpu("MatMul", "T=int32 transpose_b=true", {integers, integers}),
            "int32[1,1] [[5]]");
  fake_cuda::LetCublasBeFound(false);
  EXPECT_EQ(fake_cuda::CublasProducts(), before + 2) << "those of floats with an inner size";
}

TEST(GpuSoftmax, KnowsShapes) {
  const Tensor even = Tensor::Vector<float>({3, 3, 5, 5}).Reshaped(Dims{2, 2});
  EXPECT_EQ(GivenOnGpu("Softmax", "T=float", {even}), "float[2,2] [[0.5, 0.5], [0.5, 0.5]]");
  EXPECT_EQ(GivenOnGpu("Softmax", "T=float", {Tensor::Scalar<float>(1)}), "INVALID_ARGUMENT");
  const std::string loss = "SoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(GivenOnGpu(loss, "T=float", {even, Tensor::Scalar<float>(0)}), "float[2] [0, 0]");
  EXPECT_EQ(GivenOnGpu(loss, "T=float", {even, Tensor::Scalar<float>(0)}, 1),
            "float[2,2] [[0.5, 0.5], [0.5, 0.5]]");
  EXPECT_EQ(GivenOnGpu(loss, "T=float", {Tensor::Vector<float>({1}), Tensor::Vector<float>({1})}),
            "INVALID_ARGUMENT");
}

TEST(GpuSoftmax, ChecksLabelsThatTheGpuHas) {
  const Tensor even = Tensor::Vector<float>({3, 3, 5, 5}).Reshaped(Dims{2, 2});
  const std::string loss = "SparseSoftmaxCrossEntropyWithLogits";
  const auto give = [&](const Tensor& features, const std::vector<int32_t>& labels) {
    return GivenOnGpu(loss, "T=float Tlabels=int32", {features, Tensor::Vector(labels)}, 1);
  };
  EXPECT_EQ(give(even, {1, 0}), "float[2,2] [[0.5, -0.5], [-0.5, 0.5]]");
  EXPECT_EQ(give(even, {1}), "INVALID_ARGUMENT");
  EXPECT_EQ(give(*Tensor::Allocate(DType::kFloat, Dims{0, 2}), {}), "float[0,2] []");
  EXPECT_EQ(give(*Tensor::Allocate(DType::kFloat, Dims{1, 0}), {0}), "INVALID_ARGUMENT");
  const auto on = [&](const char* device) {
    return RunOpOn(device, loss, "T=float Tlabels=int64", {even, Tensor::Vector<int64_t>({1, 2})})
        .status()
        .ToString();
  };
  EXPECT_EQ(on("/device:GPU:0"), on("/device:CPU:0"));
  EXPECT_EQ(on("/device:GPU:0"), "INVALID_ARGUMENT: label 2 is not in [0, 2) [node out]");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
