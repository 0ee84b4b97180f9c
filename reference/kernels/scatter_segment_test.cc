// Tests: scatter.cc, segment.cc

#include <gtest/gtest.h>

#include <limits>

#include "reference/kernels/kernel_runner.h"
#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

constexpr char kBad[] = "INVALID_ARGUMENT:";
constexpr char kNoRoom[] = "RESOURCE_EXHAUSTED:";

TEST(Scatter, AddsWhatMeets) {
  const Tensor places = Ints(Dims{3, 1}, {2, 0, 2});
  Check({
      {"ScatterNd", {places, Ints({5, 6, 7}), Ints({4})}, {}, "int32[4] [6, 0, 12, 0]"},
      {"ScatterNd",
       {Ints(Dims{1, 1}, {1}), Ints(Dims{1, 2}, {5, 6}), Ints({2, 2})},
       {},
       "int32[2,2] [[0, 0], [5, 6]]"},
      {"ScatterNd",
       {Ints(Dims{2, 1}, {0, 0}), Strings({"a", "b"}), Ints({2})},
       {},
       "string[2] [\"ab\", \"\"]"},
      {"ScatterNd",
       {Ints(Dims{2, 1}, {1, 1}), Numbers(DType::kBool, {1, 1}), Ints({2})},
       {},
       "bool[2] [false, true]"},
      {"ScatterNd", {Empty(DType::kInt32, Dims{0, 1}), Ints({}), Ints({0})}, {}, "int32[0] []"},
      {"ScatterNd", {Ints({}), Ints({}), Ints({0})}, {}, "int32[0] []"},
      {"ScatterNd",
       {Empty(DType::kInt32, Dims{1, 0}), Empty(DType::kInt32, Dims{1, 0}), Ints({0})},
       {},
       "int32[0] []"},
      {"TensorScatterAdd",
       {Empty(DType::kInt32, Dims{0, 3}), Ints({}), Empty(DType::kInt32, Dims{0, 3})},
       {},
       "int32[0,3] []"},
      {"ScatterNd", {Ints({}), Ints({}), Ints({3})}, {}, kBad},
      {"ScatterNd", {Ints({}), Empty(DType::kInt32, Dims{2, 0}), Ints({2, 0})}, {}, kBad},
      {"ScatterNd", {Empty(DType::kInt32, Dims{1, 0}), Ints(Dims{1, 1}, {1}), Ints({1})}, {}, kBad},
      {"TensorScatterAdd", {Ints({1, 2, 3}), places, Ints({5, 6, 7})}, {}, "int32[3] [7, 2, 15]"},
      {"TensorScatterSub", {Ints({1, 2, 3}), places, Ints({5, 6, 7})}, {}, "int32[3] [-5, 2, -9]"},
      {"ScatterNdNonAliasingAdd",
       {Ints({1, 2, 3}), places, Ints({5, 6, 7})},
       {},
       "int32[3] [7, 2, 15]"},
  });
}

TEST(Scatter, LastWinsAndExtremesStay) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor places = Ints(Dims{3, 1}, {2, 0, 2});
  Check({
      {"TensorScatterUpdate", {Ints({1, 2, 3}), places, Ints({5, 6, 7})}, {}, "int32[3] [6, 2, 7]"},
      {"TensorScatterUpdate",
       {Strings({"a", "b", "c"}), places, Strings({"x", "y", "z"})},
       {},
       "string[3] [\"y\", \"b\", \"z\"]"},
      {"TensorScatterMin", {Ints({1, 2, 6}), places, Ints({5, 9, 7})}, {}, "int32[3] [1, 2, 5]"},
      {"TensorScatterMax", {Ints({1, 2, 6}), places, Ints({5, 9, 7})}, {}, "int32[3] [9, 2, 7]"},
      {"TensorScatterMax",
       {Floats({1, 2, nan}), places, Floats({5, nan, 7})},
       {},
       "float[3] [1, 2, nan]"},
  });
}

TEST(Scatter, Refuses) {
  const Tensor one = Ints(Dims{1, 1}, {0});
  const AttrMap ignore = {{"bad_indices_policy", std::string("IGNORE")}};
  const AttrMap nonsense = {{"bad_indices_policy", std::string("nonsense")}};
  Check({
      {"TensorScatterAdd", {Ints({1}), Ints(Dims{1, 1}, {1}), Ints({5})}, {}, kBad},
      {"TensorScatterAdd", {Ints({1}), Ints(Dims{1, 1}, {-1}), Ints({5})}, {}, kBad},
      {"TensorScatterAdd",
       {Ints({1}), Ints(Dims{2, 1}, {1, 0}), Ints({5, 6})},
       ignore,
       "int32[1] [7]"},
      {"TensorScatterAdd", {Ints({1}), one, Ints({5})}, nonsense, kBad},
      {"TensorScatterAdd", {Ints({1}), Ints({0}), Int(5)}, {}, kBad},
      {"TensorScatterAdd", {Ints({1}), Int(0), Ints({5})}, {}, kBad},
      {"TensorScatterAdd", {Ints({1}), Ints(Dims{1, 2}, {0, 0}), Ints({5})}, {}, kBad},
      {"TensorScatterAdd", {Ints({1}), Empty(DType::kInt32, Dims{1, 0}), Ints({5})}, {}, kBad},
      {"TensorScatterAdd", {Ints({1}), one, Ints({5, 6})}, {}, kBad},
      {"TensorScatterAdd", {Ints({}), one, Ints({5})}, {}, kBad},
      {"TensorScatterAdd", {Strings({"a"}), one, Strings({"b"})}, {}, "UNIMPLEMENTED:"},
      {"ScatterNd", {one, Ints({5}), Int(4)}, {}, kBad},
      {"ScatterNd", {one, Ints({5}), Ints({-4})}, {}, kBad},
      {"ScatterNd", {Ints(Dims{1, 2}, {0, 0}), Ints({5}), Ints({1 << 30, 1 << 30})}, {}, kNoRoom},
  });
}

TEST(DynamicPartition, SharesRowsOut) {
  const AttrMap two = {{"num_partitions", 2}};
  const Tensor matrix = Ints(Dims{2, 2}, {1, 2, 3, 4});
  Check({
      {"DynamicPartition", {matrix, Ints({1, 0})}, two, "int32[1,2] [[3, 4]]; int32[1,2] [[1, 2]]"},
      {"DynamicPartition",
       {matrix, Ints(Dims{2, 2}, {1, 0, 1, 1})},
       two,
       "int32[1] [2]; int32[3] [1, 3, 4]"},
      {"DynamicPartition", {Int(5), Int(1)}, two, "int32[0] []; int32[1] [5]"},
      {"DynamicPartition", {Ints({5}), Ints({2})}, two, kBad},
      {"DynamicPartition", {Ints({5}), Ints({-1})}, two, kBad},
      {"DynamicPartition", {Ints({5}), Ints({0, 1})}, two, kBad},
      {"ParallelDynamicStitch",
       {Ints({0, 2}), Ints({2}), Ints({1, 2}), Ints({3})},
       {},
       "int32[3] [1, 0, 3]"},
  });
}

TEST(Segment, SortedIds) {
  const Tensor ids = Ints({0, 0, 2});
  const Tensor data = Ints({-7, 2, 5});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Check({
      {"SegmentSum", {data, ids}, {}, "int32[3] [-5, 0, 5]"},
      {"SegmentMean", {data, ids}, {}, "int32[3] [-2, 0, 5]"},
      {"SegmentProd", {data, ids}, {}, "int32[3] [-14, 1, 5]"},
      {"SegmentMax", {data, ids}, {}, "int32[3] [2, 0, 5]"},
      {"SegmentMin", {data, ids}, {}, "int32[3] [-7, 0, 5]"},
      {"SegmentMax", {Floats({1, nan, 5}), ids}, {}, "float[3] [nan, 0, 5]"},
      {"SegmentMean", {Numbers(DType::kInt8, {100, 100, 5}), ids}, {}, "int8[3] [-28, 0, 5]"},
      {"SegmentSum", {Ints(Dims{1, 2}, {1, 2}), Ints({1})}, {}, "int32[2,2] [[0, 0], [1, 2]]"},
      {"SegmentSum", {Ints({}), Ints({})}, {}, "int32[0] []"},
      {"SegmentSum", {data, Ints({0, 2, 1})}, {}, kBad},
      {"SegmentSum", {data, Ints({-1, 2, 2})}, {}, kBad},
      {"SegmentSum", {data, Ints({0})}, {}, kBad},
      {"SegmentSum", {Int(1), Ints({0})}, {}, kBad},
      {"SegmentSum", {Ints({1}), Tensor::Vector<int64_t>({int64_t{1} << 60})}, {}, kNoRoom},
      {"SegmentSum",
       {Ints({1}), Tensor::Vector<int64_t>({std::numeric_limits<int64_t>::max()})},
       {},
       kBad},
      {"SegmentSum",
       {Empty(DType::kInt32, Dims{1, 0}), Tensor::Vector<int64_t>({int64_t{1} << 60})},
       {},
       "int32[1152921504606846977,0] [[], [], [], [], [], [], [], [], [], [], [], [], [], [], [], "
       "[], "
       "[]]"},
  });
}

TEST(Segment, UnsortedIds) {
  const Tensor ids = Ints({2, -1, 2});
  const Tensor data = Ints({-7, 2, 5});
  const Tensor three = Int(3);
  Check({
      {"UnsortedSegmentSum", {data, ids, three}, {}, "int32[3] [0, 0, -2]"},
      {"UnsortedSegmentProd", {data, ids, three}, {}, "int32[3] [1, 1, -35]"},
      {"UnsortedSegmentMax", {data, ids, three}, {}, "int32[3] [-2147483648, -2147483648, 5]"},
      {"UnsortedSegmentMin", {data, ids, three}, {}, "int32[3] [2147483647, 2147483647, -7]"},
      {"UnsortedSegmentMax",
       {Numbers(DType::kHalf, {-std::numeric_limits<double>::infinity()}), Ints({0}), Int(2)},
       {},
       "half[2] [-65504, -65504]"},
      {"UnsortedSegmentMin", {Numbers(DType::kUInt8, {}), Ints({}), Int(1)}, {}, "uint8[1] [255]"},
      {"UnsortedSegmentSum",
       {Ints(Dims{1, 2}, {1, 2}), Int(1), Int(2)},
       {},
       "int32[2,1,2] [[[0, 0]], [[1, 2]]]"},
      {"UnsortedSegmentSum", {data, ids, Int(2)}, {}, kBad},
      {"UnsortedSegmentSum", {data, ids, Int(-1)}, {}, kBad},
      {"UnsortedSegmentSum", {data, ids, Ints({3})}, {}, kBad},
      {"UnsortedSegmentSum", {data, Ints({0}), three}, {}, kBad},
      {"UnsortedSegmentSum", {data, ids, Tensor::Scalar<int64_t>(int64_t{1} << 60)}, {}, kNoRoom},
  });
}

TEST(Segment, ChosenRows) {
  const Tensor data = Floats({1, 2, 4});
  const Tensor indices = Ints({0, 2, 2});
  Check({
      {"SparseSegmentSum", {data, indices, Ints({0, 0, 2})}, {}, "float[3] [5, 0, 4]"},
      {"SparseSegmentMean", {data, indices, Ints({0, 0, 2})}, {}, "float[3] [2.5, 0, 4]"},
      {"SparseSegmentSqrtN",
       {Floats({1, 2, 3}), Ints({0, 0, 0, 0}), Ints({0, 0, 0, 0})},
       {},
       "float[1] [2]"},
      {"SparseSegmentSum", {data, Ints({3}), Ints({0})}, {}, kBad},
      {"SparseSegmentSum", {data, Ints({-1}), Ints({0})}, {}, kBad},
      {"SparseSegmentSum", {data, Ints({0, 1}), Ints({1, 0})}, {}, kBad},
      {"SparseSegmentSum", {data, Ints({0, 1}), Ints({0})}, {}, kBad},
      {"SparseSegmentSum", {Float(1), Ints({0}), Ints({0})}, {}, kBad},
  });
}

}  // namespace
}  // namespace tagflow::reference
