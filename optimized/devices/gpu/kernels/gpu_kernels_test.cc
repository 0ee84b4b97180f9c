// Kernels of the GPU by the fake of CUDA: their inputs as they come, their shapes and their errors.
// What they compute is tested by conformance/gpu/host_bodies_test.cc.
// Tests: adding_kernels.cc, cast_kernels.cc, elementwise_kernels.cc, gpu_kernels.cc
// Tests: handing_kernels.cc, move_kernels.cc, move_plans.cc, select_kernels.cc
// Tests: casts.cu, elementwise.cu, moves.cu, sums.cu

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

TEST(GpuKernels, BroadcastTensorsAndScalars) {
  const Tensor row = Tensor::Vector<float>({1, 2, 3});
  const Tensor column = Tensor::Vector<float>({10, 20}).Reshaped(Dims{2, 1});
  EXPECT_EQ(GivenOnGpu("AddV2", "T=float", {column, row}),
            "float[2,3] [[11, 12, 13], [21, 22, 23]]");
  EXPECT_EQ(GivenOnGpu("Sub", "T=float", {Tensor::Scalar<float>(5), row}), "float[3] [4, 3, 2]");
  EXPECT_EQ(GivenOnGpu("Sub", "T=float", {row, Tensor::Scalar<float>(5)}), "float[3] [-4, -3, -2]");
  EXPECT_EQ(GivenOnGpu("Less", "T=float", {row, Tensor::Scalar<float>(2)}),
            "bool[3] [true, false, false]");
  EXPECT_EQ(GivenOnGpu("AddV2", "T=float", {row, Tensor::Vector<float>({1, 2})}),
            "INVALID_ARGUMENT");
}

TEST(GpuKernels, LeaveScalarsToTheHost) {
  EXPECT_EQ(
      GivenOnGpu("AddV2", "T=int32", {Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(2)}),
      "int32[] 3");
  EXPECT_EQ(GivenOnGpu("Neg", "T=double", {Tensor::Scalar<double>(1)}), "double[] -1");
}

TEST(GpuKernels, TakeTensorsWithoutElements) {
  const Tensor none = *Tensor::Allocate(DType::kFloat, Dims{0, 3});
  EXPECT_EQ(GivenOnGpu("Square", "T=float", {none}), "float[0,3] []");
  EXPECT_EQ(GivenOnGpu("Mul", "T=float", {none, Tensor::Vector<float>({1, 2, 3})}),
            "float[0,3] []");
}

TEST(GpuKernels, HandMemoryOnAndTellOfShapes) {
  const Tensor row = Tensor::Vector<float>({1, 2, 3, 4});
  EXPECT_EQ(GivenOnGpu("Reshape", "T=float Tshape=int32", {row, Tensor::Vector<int32_t>({2, 2})}),
            "float[2,2] [[1, 2], [3, 4]]");
  EXPECT_EQ(GivenOnGpu("ExpandDims", "T=float Tdim=int32", {row, Tensor::Scalar<int32_t>(0)}),
            "float[1,4] [[1, 2, 3, 4]]");
  EXPECT_EQ(GivenOnGpu("Shape", "T=float", {row}), "int32[1] [4]");
  EXPECT_EQ(GivenOnGpu("Size", "T=float", {row}), "int32[] 4");
}

TEST(GpuKernels, ComputeOnShapesOnTheHost) {
  EXPECT_EQ(GivenOnGpu("BroadcastGradientArgs", "T=int32",
                       {Tensor::Vector<int32_t>({2, 3}), Tensor::Vector<int32_t>({3})}),
            "int32[0] []");
  EXPECT_EQ(GivenOnGpu("InvertPermutation", "T=int32", {Tensor::Vector<int32_t>({2, 0, 1})}),
            "int32[3] [1, 2, 0]");
  EXPECT_EQ(GivenOnGpu("ShapeN", "T=float N=1", {Tensor::Vector<float>({1, 2})}), "int32[1] [2]");
  EXPECT_EQ(GivenOnGpu("Range", "Tidx=int32",
                       {Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(7), Tensor::Scalar(2)}),
            "int32[3] [1, 3, 5]");
}

TEST(GpuKernels, SayOfShapesThatDoNotFitWhatTheHostSays) {
  const Tensor two = Tensor::Vector<float>({1, 2}), three = Tensor::Vector<float>({1, 2, 3});
  EXPECT_EQ(GivenOnGpu("Equal", "T=float", {two, two}), "bool[2] [true, true]");
  EXPECT_EQ(GivenOnGpu("Equal", "T=float", {two, three}), "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("Equal", "T=float incompatible_shape_error=false", {two, three}),
            "bool[] false");
  EXPECT_EQ(GivenOnGpu("NotEqual", "T=float incompatible_shape_error=false", {two, three}),
            "bool[] true");
  EXPECT_EQ(GivenOnGpu("ReluGrad", "T=float", {two, two}), "float[2] [1, 2]");
  EXPECT_EQ(GivenOnGpu("ReluGrad", "T=float", {two, Tensor::Scalar<float>(1)}), "INVALID_ARGUMENT");
}

TEST(GpuKernels, Cast) {
  const Tensor row = Tensor::Vector<float>({1.5, -1e30, 0});
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=float DstT=int32", {row}), "int32[3] [1, -2147483648, 0]");
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=float DstT=bool", {row}), "bool[3] [true, true, false]");
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=float DstT=float", {row}), row.DebugString());
  EXPECT_EQ(GivenOnGpu("Cast", "SrcT=float DstT=half", {row}),
            "half[3] [1.5, -inf, 0]");  // the host's
}

TEST(GpuKernels, ChooseByAConditionOfAnyShape) {
  const Tensor x = Tensor::Vector<float>({1, 2, 3, 4}).Reshaped(Dims{2, 2});
  const Tensor y = Tensor::Vector<float>({5, 6, 7, 8}).Reshaped(Dims{2, 2});
  const Tensor rows = *Tensor::Allocate(DType::kBool, Dims{2});  // false, false
  EXPECT_EQ(GivenOnGpu("Select", "T=float", {rows, x, y}), y.DebugString());
  EXPECT_EQ(GivenOnGpu("Select", "T=float", {Tensor::Scalar(true), x, y}), x.DebugString());
  EXPECT_EQ(GivenOnGpu("SelectV2", "T=float", {rows, x, Tensor::Scalar(9.0f)}),
            "float[2,2] [[9, 9], [9, 9]]");
  EXPECT_EQ(
      GivenOnGpu("SelectV2", "T=float", {Tensor::Scalar(true), x, Tensor::Vector<float>({0, 0})}),
      x.DebugString());
  EXPECT_EQ(GivenOnGpu("Select", "T=float", {rows, x, Tensor::Scalar(9.0f)}), "INVALID_ARGUMENT");
}

TEST(GpuKernels, AddAnyNumberOfTensors) {
  const Tensor row = Tensor::Vector<int32_t>({1, 2});
  EXPECT_EQ(GivenOnGpu("AddN", "T=int32 N=1", {row}), "int32[2] [1, 2]");
  EXPECT_EQ(GivenOnGpu("AddN", "T=int32 N=3", {row, row, row}), "int32[2] [3, 6]");
  EXPECT_EQ(GivenOnGpu("AddN", "T=int32 N=20", std::vector<Tensor>(20, row)), "int32[2] [20, 40]");
  EXPECT_EQ(GivenOnGpu("AddN", "T=int32 N=2", {row, Tensor::Scalar<int32_t>(1)}),
            "INVALID_ARGUMENT");
}

TEST(GpuKernels, AddBiasesAlongTheChannels) {
  const Tensor value = *Tensor::Allocate(DType::kFloat, Dims{1, 2, 3});
  EXPECT_EQ(GivenOnGpu("BiasAdd", "T=float", {value, Tensor::Vector<float>({1, 2, 3})}),
            "float[1,2,3] [[[1, 2, 3], [1, 2, 3]]]");
  EXPECT_EQ(
      GivenOnGpu("BiasAdd", "T=float data_format=NCHW", {value, Tensor::Vector<float>({1, 2})}),
      "float[1,2,3] [[[1, 1, 1], [2, 2, 2]]]");
  EXPECT_EQ(GivenOnGpu("BiasAddV1", "T=float", {value, Tensor::Vector<float>({1, 2})}),
            "INVALID_ARGUMENT");
}

TEST(GpuKernels, MoveElements) {
  const Tensor matrix = Tensor::Vector<int32_t>({1, 2, 3, 4}).Reshaped(Dims{2, 2});
  const Tensor turn = Tensor::Vector<int32_t>({1, 0});
  EXPECT_EQ(GivenOnGpu("Transpose", "T=int32 Tperm=int32", {matrix, turn}),
            "int32[2,2] [[1, 3], [2, 4]]");
  EXPECT_EQ(GivenOnGpu("Transpose", "T=int32 Tperm=int32", {matrix, matrix}), "INVALID_ARGUMENT");
  EXPECT_EQ(GivenOnGpu("ReverseV2", "T=int32 Tidx=int32", {matrix, Tensor::Vector<int32_t>({1})}),
            "int32[2,2] [[2, 1], [4, 3]]");
  EXPECT_EQ(GivenOnGpu("Pack", "T=int32 N=2 axis=0", {turn, turn}), "int32[2,2] [[1, 0], [1, 0]]");
  EXPECT_EQ(GivenOnGpu("Fill", "T=float index_type=int32", {turn, Tensor::Scalar(2.0f)}),
            "float[1,0] [[]]");
  EXPECT_EQ(GivenOnGpu("Fill", "T=float index_type=int32",
                       {Tensor::Vector<int32_t>({2}), Tensor::Scalar(2.0f)}),
            "float[2] [2, 2]");
  EXPECT_EQ(GivenOnGpu("OnesLike", "T=int32", {matrix}), "int32[2,2] [[1, 1], [1, 1]]");
  EXPECT_EQ(GivenOnGpu("ZerosLike", "T=int32", {Tensor::Scalar<int32_t>(3)}), "int32[] 0");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
