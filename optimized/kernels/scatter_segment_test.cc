// Ops that put rows to their places, or reduce those that have a place in common.
// Tests: partition.cc, scatter.cc, segment.cc, slice_update.cc
#include <gtest/gtest.h>

#include <cmath>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

Tensor Column(const std::vector<int32_t>& values) {
  return Ints(Dims{static_cast<int64_t>(values.size()), 1}, values);
}

TEST(ScatterKernelsTest, ScatterNd) {
  const Tensor bools = Tensor::Of<bool>(Dims{2}, std::array<bool, 2>{true, true});
  Check({
      {"ScatterNd", {Column({1, 1}), Ints({5, 6}), Ints({3})}, {}, "int32[3] [0, 11, 0]"},
      {"ScatterNd",
       {Column({0, 0}), Strings({"a", "b"}), Ints({2})},
       {},
       R"(string[2] ["ab", ""])"},
      {"ScatterNd", {Column({2, 2}), bools, Ints({3})}, {}, "bool[3] [false, false, true]"},
      {"ScatterNd",
       {Column({0}), Ints(Dims{1, 2}, {1, 2}), Ints({2, 2})},
       {},
       "int32[2,2] [[1, 2], [0, 0]]"},
      {"ScatterNd", {Column({3}), Ints({5}), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"ScatterNd", {Ints({}), Ints({}), Ints({0})}, {}, "int32[0] []"},
      {"ScatterNd",
       {Empty(DType::kInt32, Dims{1, 0}), Empty(DType::kInt32, Dims{1, 0}), Ints({0})},
       {},
       "int32[0] []"},
      {"ScatterNd", {Ints({}), Ints({}), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"ScatterNd",
       {Ints({}), Empty(DType::kInt32, Dims{2, 0}), Ints({2, 0})},
       {},
       "INVALID_ARGUMENT:"},
      {"ScatterNd",
       {Column({3}), Ints({5}), Ints({3})},
       {{"bad_indices_policy", "IGNORE"}},
       "int32[3] [0, 0, 0]"},
      {"ScatterNd",
       {Column({0}), Ints({5}), Ints({3})},
       {{"bad_indices_policy", "?"}},
       "INVALID_ARGUMENT:"},
      {"ScatterNd", {Column({0}), Ints({5, 6}), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"ScatterNd", {Column({0}), Ints({5}), Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"ScatterNd", {Column({0}), Ints({5}), Int(3)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(ScatterKernelsTest, TensorScatter) {
  const Tensor x = Ints({1, 2, 3});
  const Tensor at = Column({2, 0, 2});
  const Tensor by = Ints({5, -7, 1});
  Check({
      {"TensorScatterUpdate", {x, at, by}, {}, "int32[3] [-7, 2, 1]"},
      {"TensorScatterAdd", {x, at, by}, {}, "int32[3] [-6, 2, 9]"},
      {"TensorScatterSub", {x, at, by}, {}, "int32[3] [8, 2, -3]"},
      {"TensorScatterMin", {x, at, by}, {}, "int32[3] [-7, 2, 1]"},
      {"TensorScatterMax", {x, at, by}, {}, "int32[3] [1, 2, 5]"},
      {"ScatterNdNonAliasingAdd", {x, at, by}, {}, "int32[3] [-6, 2, 9]"},
      {"TensorScatterAdd",
       {Tensor::Vector<int8_t>({127}), Column({0}), Tensor::Vector<int8_t>({1})},
       {},
       "int8[1] [-128]"},
      {"TensorScatterUpdate", {x, at, Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"TensorScatterUpdate", {x, Column({3}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(ScatterKernelsTest, ATensorMayUpdateItself) {
  OpRunner runner;
  const Tensor x = Ints({1, 2, 3});
  EXPECT_EQ(runner.Text("TensorScatterUpdate", {x, Column({1, 2, 0}), x}), "int32[3] [3, 1, 2]");
}

TEST(SegmentKernelsTest, Sorted) {
  const Tensor data = Ints(Dims{3, 2}, {1, 2, 3, 4, 5, 7});
  const Tensor ids = Ints({0, 0, 2});
  Check({
      {"SegmentSum", {data, ids}, {}, "int32[3,2] [[4, 6], [0, 0], [5, 7]]"},
      {"SegmentMean", {data, ids}, {}, "int32[3,2] [[2, 3], [0, 0], [5, 7]]"},
      {"SegmentProd", {data, ids}, {}, "int32[3,2] [[3, 8], [1, 1], [5, 7]]"},
      {"SegmentMax", {data, ids}, {}, "int32[3,2] [[3, 4], [0, 0], [5, 7]]"},
      {"SegmentMin", {Floats({1, NAN, 2}), Ints({0, 0, 1})}, {}, "float[2] [nan, 2]"},
      {"SegmentSum",
       {Tensor::Vector<std::complex<float>>({{1, 2}, {3, 4}}), Ints({0, 0})},
       {},
       "complex64[1] [(4,6)]"},
      {"SegmentMean", {Tensor::Vector<int8_t>({100, 100}), Ints({0, 0})}, {}, "int8[1] [-28]"},
      {"SegmentSum", {Tensor::Vector<uint8_t>({200, 100}), Ints({0, 0})}, {}, "uint8[1] [44]"},
      {"SegmentSum", {Empty(DType::kFloat, Dims{0, 2}), Ints({})}, {}, "float[0,2] []"},
      {"SegmentSum", {data, Ints({1, 0, 2})}, {}, "INVALID_ARGUMENT:"},
      {"SegmentSum", {data, Ints({-1, 0, 2})}, {}, "INVALID_ARGUMENT:"},
      {"SegmentSum", {data, Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"SegmentSum", {Int(1), Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"SegmentSum",
       {Floats({1}), Tensor::Vector<int64_t>({int64_t{1} << 60})},
       {},
       "RESOURCE_EXHAUSTED:"},
  });
}

TEST(SegmentKernelsTest, UnsortedAndSparse) {
  const Tensor data = Floats({1, 2, 4});
  Check({
      {"UnsortedSegmentSum", {data, Ints({1, -1, 1}), Int(3)}, {}, "float[3] [0, 5, 0]"},
      {"UnsortedSegmentProd", {data, Ints({1, 0, 1}), Int(2)}, {}, "float[2] [2, 4]"},
      {"UnsortedSegmentMax",
       {Tensor::Vector<int16_t>({-5}), Ints({1}), Int(2)},
       {},
       "int16[2] [-32768, -5]"},
      {"UnsortedSegmentMin", {Tensor::Vector<Half>({}), Ints({}), Int(1)}, {}, "half[1] [65504]"},
      {"UnsortedSegmentMin", {Tensor::Vector<uint8_t>({}), Ints({}), Int(1)}, {}, "uint8[1] [255]"},
      {"UnsortedSegmentSum", {data, Ints({1, 2, 1}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentSum", {data, Ints({1}), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"UnsortedSegmentSum", {data, Ints({1, 1, 1}), Int(-2)}, {}, "INVALID_ARGUMENT:"},
      {"SparseSegmentSum", {data, Ints({2, 0, 2}), Ints({0, 1, 1})}, {}, "float[2] [4, 5]"},
      {"SparseSegmentMean", {data, Ints({2, 0}), Ints({0, 0})}, {}, "float[1] [2.5]"},
      {"SparseSegmentSqrtN", {data, Ints({0, 0, 0, 0}), Ints({1, 1, 1, 1})}, {}, "float[2] [0, 2]"},
      {"SparseSegmentSum", {data, Ints({3}), Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"SparseSegmentSum", {data, Ints({0}), Ints({0, 1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(PartitionKernelsTest, PartitionAndStitch) {
  Check({
      {"DynamicPartition",
       {Ints({1, 2, 3}), Ints({1, 0, 1})},
       {{"num_partitions", 2}},
       "int32[1] [2]; int32[2] [1, 3]"},
      {"DynamicPartition",
       {Strings({"a"}), Ints({0})},
       {{"num_partitions", 1}},
       R"(string[1] ["a"])"},
      {"DynamicPartition", {Ints({1}), Ints({2})}, {{"num_partitions", 2}}, "INVALID_ARGUMENT:"},
      {"DynamicPartition", {Ints({1}), Ints({1, 1})}, {{"num_partitions", 2}}, "INVALID_ARGUMENT:"},
      {"DynamicStitch",
       {Ints({0, 3}), Ints({1, 0}), Ints({1, 2}), Ints({3, 9})},
       {},
       "int32[4] [9, 3, 0, 2]"},
      {"ParallelDynamicStitch", {Int(1), Ints({5, 6})}, {}, "int32[2,2] [[0, 0], [5, 6]]"},
      {"DynamicStitch", {Ints({0, 1}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"DynamicStitch",
       {Ints({0}), Ints({0}), Ints({1}), Ints(Dims{1, 1}, {1})},
       {},
       "INVALID_ARGUMENT:"},
      {"DynamicStitch", {Ints({-1}), Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(SliceUpdateKernelsTest, Ranges) {
  const Tensor x = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});
  const AttrMap second = {{"shrink_axis_mask", 2}};
  const std::vector<Tensor> ranges = {Ints({0, 1}), Ints({2, 2}), Ints({1, 1})};
  auto with = [&](const Tensor& first, const Tensor& last) {
    return std::vector<Tensor>{first, ranges[0], ranges[1], ranges[2], last};
  };
  Check({
      {"StridedSliceGrad", with(Ints({2, 3}), Ints({7, 8})), second,
       "int32[2,3] [[0, 7, 0], [0, 8, 0]]"},
      {"StridedSliceGrad", with(Ints({2, 3}), Ints({7})), second, "INVALID_ARGUMENT:"},
      {"StridedSliceGrad", with(Int(2), Ints({7})), second, "INVALID_ARGUMENT:"},
      {"TensorStridedSliceUpdate", with(x, Int(9)), second, "int32[2,3] [[1, 9, 3], [4, 9, 6]]"},
      {"TensorStridedSliceUpdate", with(x, Ints({7, 8, 9})), second, "INVALID_ARGUMENT:"},
  });
}

TEST(SliceUpdateKernelsTest, Rows) {
  const Tensor x = Ints(Dims{2, 2}, {1, 2, 3, 4});
  const Tensor row = Ints(Dims{1, 2}, {10, 20});
  Check({
      {"InplaceUpdate", {x, Ints({-1}), row}, {}, "int32[2,2] [[1, 2], [10, 20]]"},
      {"InplaceAdd", {x, Ints({2}), row}, {}, "int32[2,2] [[11, 22], [3, 4]]"},
      {"InplaceSub", {x, Ints({0}), row}, {}, "int32[2,2] [[-9, -18], [3, 4]]"},
      {"InplaceUpdate", {Strings({"a"}), Ints({0}), Strings({"b"})}, {}, R"(string[1] ["b"])"},
      {"InplaceAdd", {Strings({"a"}), Ints({0}), Strings({"b"})}, {}, "INVALID_ARGUMENT:"},
      {"InplaceAdd", {x, Ints({0, 1}), row}, {}, "INVALID_ARGUMENT:"},
      {"InplaceAdd", {x, Int(0), row}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
