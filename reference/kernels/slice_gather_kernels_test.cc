// Ops that take parts by ranges or by index. The expected values and refusals are TensorFlow's.
// Tests: gather_kernels.cc, slice_kernels.cc, strided_slice.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {
namespace {

Tensor Matrix() { return Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(Slice, TakesRanges) {
  OpRunner runner;
  EXPECT_EQ(runner.Text("Slice", {Matrix(), Ints({0, 1}), Ints({-1, 2})}),
            "int32[2,2] [[2, 3], [5, 6]]");
  EXPECT_EQ(runner.Text("Slice", {Ints({1, 2, 3}), Ints({3}), Ints({0})}), "int32[0] []");
  EXPECT_EQ(runner.Text("Slice", {Ints({1, 2, 3}), Ints({4}), Ints({-1})}),
            "INVALID_ARGUMENT: Expected begin[0] in [0, 3], but got 4");
  EXPECT_EQ(runner.Text("Slice", {Ints({1, 2, 3}), Ints({1}), Ints({3})}),
            "INVALID_ARGUMENT: Expected size[0] in [0, 2], but got 3");
  EXPECT_EQ(runner.Text("Slice", {Ints({1, 2, 3}), Ints({0, 1}), Ints({0})}),
            "INVALID_ARGUMENT: Expected begin and size arguments to be 1-D tensors of size 1, but "
            "got shapes [2] and [1] instead.");
}

struct StridedCase {
  std::vector<int32_t> begin, end, strides;
  AttrMap masks;
  std::string text;
};

void CheckStrided(const Tensor& input, const std::vector<StridedCase>& cases) {
  OpRunner runner;
  for (const StridedCase& c : cases) {
    EXPECT_EQ(
        runner.Text("StridedSlice", {input, Ints(c.begin), Ints(c.end), Ints(c.strides)}, c.masks),
        c.text);
  }
}

TEST(StridedSlice, RangesOfAVector) {
  CheckStrided(Ints({1, 2, 3}),
               {
                   {{0}, {2}, {1}, {}, "int32[2] [1, 2]"},
                   {{-2}, {100}, {1}, {}, "int32[2] [2, 3]"},
                   {{2}, {0}, {-1}, {}, "int32[2] [3, 2]"},
                   {{0}, {0}, {-2}, {{"begin_mask", 1}, {"end_mask", 1}}, "int32[2] [3, 1]"},
                   {{0}, {-100}, {-1}, {}, "int32[1] [1]"},
                   {{2}, {1}, {1}, {}, "int32[0] []"},
                   {{-1}, {0}, {1}, {{"shrink_axis_mask", 1}}, "int32[] 3"},
                   {{1}, {2}, {1}, {{"begin_mask", 1}, {"shrink_axis_mask", 1}}, "int32[] 2"},
               });
}

TEST(StridedSlice, EllipsisAndAxes) {
  CheckStrided(Matrix(),
               {
                   {{0, 1}, {0, 2}, {1, 1}, {{"ellipsis_mask", 1}}, "int32[2,1] [[2], [5]]"},
                   {{0, -1},
                    {0, 0},
                    {1, 1},
                    {{"ellipsis_mask", 1}, {"shrink_axis_mask", 2}},
                    "int32[2] [3, 6]"},
                   {{0, 1},
                    {0, 2},
                    {1, 1},
                    {{"new_axis_mask", 1}, {"shrink_axis_mask", 3}},
                    "int32[1,3] [[4, 5, 6]]"},
                   {{0, 0},
                    {0, 0},
                    {1, 1},
                    {{"ellipsis_mask", 1}, {"new_axis_mask", 2}},
                    "int32[2,3,1] [[[1], [2], [3]], [[4], [5], [6]]]"},
               });
  CheckStrided(Int(5), {{{0}, {0}, {1}, {{"new_axis_mask", 1}}, "int32[1] [5]"}});
}

TEST(StridedSlice, Refuses) {
  CheckStrided(
      Ints({1, 2, 3}),
      {
          {{0}, {2}, {0}, {}, "INVALID_ARGUMENT: strides[0] must be non-zero"},
          {{5},
           {6},
           {1},
           {{"shrink_axis_mask", 1}},
           "INVALID_ARGUMENT: slice index 5 of dimension 0 out of bounds."},
          {{0},
           {1},
           {-1},
           {{"shrink_axis_mask", 1}},
           "INVALID_ARGUMENT: only stride 1 allowed on non-range indexing."},
          {{0, 0},
           {1, 1},
           {1, 1},
           {},
           "INVALID_ARGUMENT: Index out of range using input dim 1; input has only 1 dims"},
          {{0, 0},
           {1, 1},
           {1, 1},
           {{"ellipsis_mask", 3}},
           "INVALID_ARGUMENT: Multiple ellipses in slice spec not allowed"},
          {{0},
           {1, 1},
           {1},
           {},
           "INVALID_ARGUMENT: Expected begin, end, and strides to be 1D equal size tensors, but "
           "got shapes [1], [2], and [1] instead."},
      });
}

TEST(Split, EvenAndBySizes) {
  OpRunner runner;
  const Tensor x = Ints({1, 2, 3, 4});
  const AttrMap two = {{"num_split", 2}};
  EXPECT_EQ(runner.Text("Split", {Int(-1), x}, two), "int32[2] [1, 2]; int32[2] [3, 4]");
  EXPECT_EQ(runner.Text("Split", {Int(0), Ints({1, 2, 3})}, two),
            "INVALID_ARGUMENT: Number of ways to split should evenly divide the split dimension, "
            "but got split_dim 0 (size = 3) and num_split 2");
  EXPECT_EQ(runner.Text("SplitV", {x, Ints({-1, 3}), Int(0)}, two),
            "int32[1] [1]; int32[3] [2, 3, 4]");
  EXPECT_EQ(runner.Text("SplitV", {x, Ints({-1, -1}), Int(0)}, two),
            "INVALID_ARGUMENT: There can only be one -1 in the input.");
  EXPECT_EQ(runner.Text("SplitV", {x, Ints({-2, 6}), Int(0)}, two),
            "INVALID_ARGUMENT: Split size at index 0 must be >= 0. Got: -2");
}

TEST(Gather, AlongAnAxis) {
  OpRunner runner;
  auto gather = [&](const Tensor& indices, int axis, int batch_dims) {
    return runner.Text("GatherV2", {Matrix(), indices, Int(axis)}, {{"batch_dims", batch_dims}});
  };
  EXPECT_EQ(gather(Ints({1, 0}), 0, 0), "int32[2,3] [[4, 5, 6], [1, 2, 3]]");
  EXPECT_EQ(gather(Int(2), -1, 0), "int32[2] [3, 6]");
  EXPECT_EQ(gather(Ints(Dims{2, 1}, {0, 2}), 1, 1), "int32[2,1] [[1], [6]]");
  EXPECT_EQ(gather(Ints(Dims{2, 1}, {0, 2}), 1, -1), "int32[2,1] [[1], [6]]");
  EXPECT_EQ(gather(Ints(Dims{2, 2}, {0, 1, 0, 5}), 0, 0),
            "INVALID_ARGUMENT: indices[1,1] = 5 is not in [0, 2)");
  EXPECT_EQ(gather(Ints({-1}), 0, 0), "INVALID_ARGUMENT: indices[0] = -1 is not in [0, 2)");
  EXPECT_EQ(gather(Ints({0}), 2, 0),
            "INVALID_ARGUMENT: Expected axis in the range [-2, 2), but got 2");
  EXPECT_EQ(gather(Ints(Dims{3, 1}, {0, 0, 0}), 1, 1),
            "INVALID_ARGUMENT: params.shape[0]: 2 should be equal to indices.shape[0]: 3");
  // Nothing is taken, so nothing is out of range.
  EXPECT_EQ(runner.Text("GatherV2", {Empty(DType::kInt32, Dims{3, 0}), Ints({7}), Int(0)}),
            "int32[1,0] [[]]");
}

TEST(GatherNd, RowsOfCoordinates) {
  OpRunner runner;
  auto gather = [&](DimsView dims, const std::vector<int32_t>& indices) {
    return runner.Text("GatherNd", {Matrix(), Ints(dims, indices)});
  };
  EXPECT_EQ(gather(Dims{2, 2}, {0, 2, 1, 0}), "int32[2] [3, 4]");
  EXPECT_EQ(gather(Dims{1, 1}, {1}), "int32[1,3] [[4, 5, 6]]");
  EXPECT_EQ(gather(Dims{1, 0}, {}), "int32[1,2,3] [[[1, 2, 3], [4, 5, 6]]]");
  EXPECT_EQ(gather(Dims{1, 2}, {0, 3}),
            "INVALID_ARGUMENT: indices[0] = [0, 3] does not index into param shape [2,3], node "
            "name: node");
  EXPECT_EQ(gather(Dims{1, 3}, {0, 1, 1}),
            "INVALID_ARGUMENT: index innermost dimension length must be <= params rank; saw: 3 "
            "vs. 2");
}

TEST(DynamicStitch, LastWinsAndGapsAreZero) {
  OpRunner runner;
  EXPECT_EQ(runner.Text("DynamicStitch", {Ints({0, 3}), Ints({1, 0}), Ints({1, 2}), Ints({3, 9})}),
            "int32[4] [9, 3, 0, 2]");
  EXPECT_EQ(runner.Text("DynamicStitch", {Ints({0, 1}), Ints({1})}),
            "INVALID_ARGUMENT: data[0].shape = [1] does not start with indices[0].shape = [2]");
  EXPECT_EQ(runner.Text("DynamicStitch", {Ints({-1}), Ints({1})}),
            "INVALID_ARGUMENT: indices[0] holds -1, which is out of range");
}

}  // namespace
}  // namespace tagflow::reference
