// Kernels of the GPU by the fake of CUDA: their inputs as they come, their shapes and their errors.
// What they compute is tested by conformance/gpu/host_bodies_test.cc.
// Tests: elementwise.cu, gpu_kernels.cc

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

// What a node of that op on the GPU gives, or the code of its error.
std::string Give(const std::string& op, const std::string& attrs,
                 const std::vector<Tensor>& inputs) {
  const Result<Tensor> value = RunOpOn("/device:GPU:0", op, attrs, inputs);
  return value.ok() ? value->DebugString() : std::string(CodeName(value.status().code()));
}

TEST(GpuKernels, BroadcastTensorsAndScalars) {
  const Tensor row = Tensor::Vector<float>({1, 2, 3});
  const Tensor column = Tensor::Vector<float>({10, 20}).Reshaped(Dims{2, 1});
  EXPECT_EQ(Give("AddV2", "T=float", {column, row}), "float[2,3] [[11, 12, 13], [21, 22, 23]]");
  EXPECT_EQ(Give("Sub", "T=float", {Tensor::Scalar<float>(5), row}), "float[3] [4, 3, 2]");
  EXPECT_EQ(Give("Sub", "T=float", {row, Tensor::Scalar<float>(5)}), "float[3] [-4, -3, -2]");
  EXPECT_EQ(Give("Less", "T=float", {row, Tensor::Scalar<float>(2)}),
            "bool[3] [true, false, false]");
  EXPECT_EQ(Give("AddV2", "T=float", {row, Tensor::Vector<float>({1, 2})}), "INVALID_ARGUMENT");
}

TEST(GpuKernels, LeaveScalarsToTheHost) {
  EXPECT_EQ(Give("AddV2", "T=int32", {Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(2)}),
            "int32[] 3");
  EXPECT_EQ(Give("Neg", "T=double", {Tensor::Scalar<double>(1)}), "double[] -1");
}

TEST(GpuKernels, TakeTensorsWithoutElements) {
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0, 3});
  EXPECT_EQ(Give("Square", "T=float", {none}), "float[0,3] []");
  EXPECT_EQ(Give("Mul", "T=float", {none, Tensor::Vector<float>({1, 2, 3})}), "float[0,3] []");
}

TEST(GpuKernels, HandMemoryOnAndTellOfShapes) {
  const Tensor row = Tensor::Vector<float>({1, 2, 3, 4});
  EXPECT_EQ(Give("Reshape", "T=float Tshape=int32", {row, Tensor::Vector<int32_t>({2, 2})}),
            "float[2,2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Give("ExpandDims", "T=float Tdim=int32", {row, Tensor::Scalar<int32_t>(0)}),
            "float[1,4] [[1, 2, 3, 4]]");
  EXPECT_EQ(Give("Shape", "T=float", {row}), "int32[1] [4]");
  EXPECT_EQ(Give("Size", "T=float", {row}), "int32[] 4");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
