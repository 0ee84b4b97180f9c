// Kernels of the GPU that go by indices, by the fake of CUDA: inputs as they come, shapes, errors.
// What they compute is tested by conformance/gpu/host_*_test.cc.
// Tests: scatter.cu, scatter_kernels.cc

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/op_on_device.h"

namespace tagflow::optimized {
namespace {

// What a node of that op on the GPU gives, or its error.
std::string Give(const std::string& op, const std::string& attrs,
                 const std::vector<Tensor>& inputs) {
  const Result<Tensor> value = RunOpOn("/device:GPU:0", op, attrs, inputs);
  return value.ok() ? value->DebugString() : std::string(CodeName(value.status().code()));
}
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
  EXPECT_EQ(Give("ScatterNd", attrs, {Column({2, 0, 2}), Ints({5, 6, 7}), Ints({4})}),
            "int32[4] [6, 0, 12, 0]");
  EXPECT_EQ(Give("TensorScatterSub", attrs, {Ints({1, 2, 3}), Column({2, 2}), Ints({5, 6})}),
            "int32[3] [1, 2, -8]");
  EXPECT_EQ(Give("TensorScatterUpdate", attrs, {Ints({1, 2}), Column({1, 1}), Ints({5, 6})}),
            "int32[2] [1, 6]");
  EXPECT_EQ(Give("TensorScatterAdd", attrs, {Ints({}), Column({}), Ints({})}), "int32[0] []");
}

TEST(GpuScatter, LeavesShortIndicesToTheHost) {
  const Tensor at = Tensor::Vector<int16_t>({1}).Reshaped(Dims{1, 1});
  EXPECT_EQ(Give("TensorScatterUpdate", "T=int32 Tindices=int16", {Ints({1, 2}), at, Ints({5})}),
            "int32[2] [1, 5]");
  EXPECT_EQ(Give("UnsortedSegmentSum", "T=int32 Tindices=int16",
                 {Ints({5}), Tensor::Vector<int16_t>({1}), Tensor::Scalar<int32_t>(2)}),
            "int32[2] [0, 5]");
}

TEST(GpuScatter, TellsOfCoordinatesOutsideWhatTheHostTells) {
  const std::string attrs = "T=int32 Tindices=int32";
  const std::vector<Tensor> inputs = {Ints({1, 2, 3}), Column({2, 3}), Ints({5, 6})};
  EXPECT_NE(ErrorOf("TensorScatterAdd", attrs, inputs).find("row 1 of the indices is outside"),
            std::string::npos);
  EXPECT_EQ(Give("TensorScatterAdd", attrs + " bad_indices_policy=IGNORE", inputs),
            "int32[3] [1, 2, 8]");
  EXPECT_EQ(Give("TensorScatterAdd", attrs, {Ints({1}), Ints({0}), Ints({5})}), "INVALID_ARGUMENT");
}

TEST(GpuSegments, AreReduced) {
  const std::string attrs = "T=int32 Tindices=int32";
  const Tensor three = Tensor::Scalar<int32_t>(3), one = Tensor::Scalar<int32_t>(1);
  EXPECT_EQ(Give("UnsortedSegmentSum", attrs, {Ints({-7, 2, 5}), Ints({2, -1, 2}), three}),
            "int32[3] [0, 0, -2]");
  EXPECT_EQ(Give("UnsortedSegmentProd", attrs, {Ints({4, 5}), one, three}),
            "int32[3,2] [[1, 1], [4, 5], [1, 1]]");
  EXPECT_EQ(Give("UnsortedSegmentMax", attrs, {Tensor::Scalar<int32_t>(4), one, three}),
            "int32[3] [-2147483648, 4, -2147483648]");
  EXPECT_NE(
      ErrorOf("UnsortedSegmentSum", attrs, {Ints({1, 2}), Ints({0, 3}), three}).find("not below 3"),
      std::string::npos);
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tagflow::optimized::SetCuda(tagflow::optimized::fake_cuda::Api());
  return RUN_ALL_TESTS();
}
