// Kernels of the GPU that go by indices, by the fake of CUDA: inputs as they come, shapes, errors.
// What they compute is tested by conformance/gpu/host_*_test.cc.
// Tests: indexed.cu, indexed_kernels.cc, scan_kernels.cc, scans.cu, scatter.cu
// Tests: scatter_kernels.cc, softmax_kernels.cc

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

std::string ErrorOf(const std::string& op, const std::string& attrs,
                    const std::vector<Tensor>& inputs) {
  return RunOpOn("/device:GPU:0", op, attrs, inputs).status().message();
}

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Column(const std::vector<int32_t>& values) {
  return Ints(values).Reshaped(Dims{static_cast<int64_t>(values.size()), 1});
}

TEST(GpuScatter, PutsUpdatesWhereCoordinatesSay) {
  const std::string attrs = "T=int32 Tindices=int32";
  EXPECT_EQ(GivenOnGpu("ScatterNd", attrs, {Column({2, 0, 2}), Ints({5, 6, 7}), Ints({4})}),
            "int32[4] [6, 0, 12, 0]");
  EXPECT_EQ(GivenOnGpu("TensorScatterSub", attrs, {Ints({1, 2, 3}), Column({2, 2}), Ints({5, 6})}),
            "int32[3] [1, 2, -8]");
  EXPECT_EQ(GivenOnGpu("TensorScatterUpdate", attrs, {Ints({1, 2}), Column({1, 1}), Ints({5, 6})}),
            "int32[2] [1, 6]");
  EXPECT_EQ(GivenOnGpu("TensorScatterAdd", attrs, {Ints({}), Column({}), Ints({})}), "int32[0] []");
}

TEST(GpuScatter, LeavesShortIndicesToTheHost) {
  const Tensor at = Tensor::Vector<int16_t>({1}).Reshaped(Dims{1, 1});
  EXPECT_EQ(
      GivenOnGpu("TensorScatterUpdate", "T=int32 Tindices=int16", {Ints({1, 2}), at, Ints({5})}),
      "int32[2] [1, 5]");
  EXPECT_EQ(GivenOnGpu("UnsortedSegmentSum", "T=int32 Tindices=int16",
                       {Ints({5}), Tensor::Vector<int16_t>({1}), Tensor::Scalar<int32_t>(2)}),
            "int32[2] [0, 5]");
}

TEST(GpuScatter, TellsOfCoordinatesOutsideWhatTheHostTells) {
  const std::string attrs = "T=int32 Tindices=int32";
  const std::vector<Tensor> inputs = {Ints({1, 2, 3}), Column({2, 3}), Ints({5, 6})};
  EXPECT_NE(ErrorOf("TensorScatterAdd", attrs, inputs).find("row 1 of the indices is outside"),
            std::string::npos);
  EXPECT_EQ(GivenOnGpu("TensorScatterAdd", attrs + " bad_indices_policy=IGNORE", inputs),
            "int32[3] [1, 2, 8]");
  EXPECT_EQ(GivenOnGpu("TensorScatterAdd", attrs, {Ints({1}), Ints({0}), Ints({5})}),
            "INVALID_ARGUMENT");
}

TEST(GpuSegments, AreReduced) {
  const std::string attrs = "T=int32 Tindices=int32";
  const Tensor three = Tensor::Scalar<int32_t>(3), one = Tensor::Scalar<int32_t>(1);
  EXPECT_EQ(GivenOnGpu("UnsortedSegmentSum", attrs, {Ints({-7, 2, 5}), Ints({2, -1, 2}), three}),
            "int32[3] [0, 0, -2]");
  EXPECT_EQ(GivenOnGpu("UnsortedSegmentProd", attrs, {Ints({4, 5}), one, three}),
            "int32[3,2] [[1, 1], [4, 5], [1, 1]]");
  EXPECT_EQ(GivenOnGpu("UnsortedSegmentMax", attrs, {Tensor::Scalar<int32_t>(4), one, three}),
            "int32[3] [-2147483648, 4, -2147483648]");
  EXPECT_NE(
      ErrorOf("UnsortedSegmentSum", attrs, {Ints({1, 2}), Ints({0, 3}), three}).find("not below 3"),
      std::string::npos);
}

TEST(GpuIndexed, TakesAndLeavesOut) {
  const Tensor matrix = Ints({1, 2, 3, 4}).Reshaped(Dims{2, 2});
  const std::string gather = "Tparams=int32 Tindices=int32";
  EXPECT_EQ(GivenOnGpu("GatherNd", gather, {matrix, Column({1, 0, 1})}),
            "int32[3,2] [[3, 4], [1, 2], [3, 4]]");
  EXPECT_EQ(GivenOnGpu("GatherNd", gather + " bad_indices_policy=IGNORE", {matrix, Column({1, 2})}),
            "int32[2,2] [[3, 4], [0, 0]]");
  EXPECT_NE(ErrorOf("GatherNd", gather, {matrix, Column({1, 2})}).find("indices[1] = [2]"),
            std::string::npos);
  EXPECT_EQ(GivenOnGpu("MatrixBandPart", "T=int32 Tindex=int32",
                       {matrix, Tensor::Scalar<int32_t>(0), Tensor::Scalar<int32_t>(-1)}),
            "int32[2,2] [[1, 2], [0, 4]]");
  const std::vector<Tensor> hot = {Ints({1, 5}), Tensor::Scalar<int32_t>(2),
                                   Tensor::Scalar<float>(9), Tensor::Scalar<float>(0)};
  EXPECT_EQ(GivenOnGpu("OneHot", "T=float TI=int32", hot), "float[2,2] [[0, 9], [0, 0]]");
  EXPECT_EQ(GivenOnGpu("OneHot", "T=float TI=uint8",
                       {Tensor::Vector<uint8_t>({1}), hot[1], hot[2], hot[3]}),
            "float[1,2] [[0, 9]]");
}

TEST(GpuIndexed, TurnsSequencesAround) {
  const Tensor rows = Ints({1, 2, 3, 4, 5, 6}).Reshaped(Dims{2, 3});
  const std::string op = "ReverseSequence", attrs = "T=int32 Tlen=int32 seq_dim=1";
  EXPECT_EQ(GivenOnGpu(op, attrs, {rows, Ints({2, 3})}), "int32[2,3] [[2, 1, 3], [6, 5, 4]]");
  EXPECT_NE(ErrorOf(op, attrs, {rows, Ints({2, 4})}).find("seq_lens(1) = 4"), std::string::npos);
  EXPECT_EQ(GivenOnGpu(op, attrs, {rows, Ints({2})}), "INVALID_ARGUMENT");
}

TEST(GpuIndexed, KeepsRunningTotals) {
  const Tensor first = Tensor::Scalar<int32_t>(0);
  EXPECT_EQ(GivenOnGpu("Cumsum", "T=int32 Tidx=int32", {Ints({1, 2, 3}), first}),
            "int32[3] [1, 3, 6]");
  EXPECT_EQ(GivenOnGpu("Cumprod", "T=int32 Tidx=int32 exclusive=true reverse=true",
                       {Ints({4, 2, 3}), first}),
            "int32[3] [6, 3, 1]");
  EXPECT_EQ(GivenOnGpu("Cumsum", "T=int32 Tidx=int32", {Ints({1}), Tensor::Scalar<int32_t>(1)}),
            "INVALID_ARGUMENT");
}

TEST(GpuSoftmax, TakesClassesForLabels) {
  const std::string op = "SparseSoftmaxCrossEntropyWithLogits", attrs = "T=float Tlabels=int32";
  const Tensor even = Tensor::Vector<float>({3, 3, 5, 5}).Reshaped(Dims{2, 2});
  const Result<Tensor> backprop = RunOpOn("/device:GPU:0", op, attrs, {even, Ints({0, 1})}, 1);
  ASSERT_TRUE(backprop.ok()) << backprop.status().ToString();
  EXPECT_EQ(backprop->DebugString(), "float[2,2] [[-0.5, 0.5], [0.5, -0.5]]");
  EXPECT_NE(ErrorOf(op, attrs, {even, Ints({0, 2})}).find("label 2 is not in [0, 2)"),
            std::string::npos);
  EXPECT_EQ(GivenOnGpu(op, attrs, {even, Ints({0})}), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
