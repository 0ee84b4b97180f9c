// Derivatives of the ops that move elements about, against what the ops do.
//
// Tests: adjoints_rearranging.cc, adjoints_scatter.cc, adjoints_slice.cc

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "reference/tape/test_adjoints.h"

namespace tagflow::reference {
namespace {

Tensor Ints(const Dims& dims, const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>(dims, values);
}

TEST(MoveAdjoints, OfOpsThatPassATensorOn) {
  for (const char* op : {"Snapshot", "DeepCopy", "GuaranteeConst"}) {
    EXPECT_EQ(Wrong(op, {Doubles({2, 2}, -1, 1)}), 0) << op;
  }
  for (const char* op : {"CheckNumerics", "CheckNumericsV2"}) {
    EXPECT_EQ(Wrong(op, {Doubles({3}, -1, 1)}, {{"message", "x"}}), 0) << op;
  }
  EXPECT_EQ(Wrong("ConjugateTranspose", {Doubles({2, 3}, -1, 1), IntTensor({1, 0})}), 0);
}

TEST(MoveAdjoints, OfTurningAround) {
  const Tensor x = Doubles({2, 3, 4}, -1, 1);
  const Tensor turned = Tensor::Of<bool>(Dims{3}, std::array<bool, 3>{true, false, true});
  EXPECT_EQ(Wrong("Reverse", {x, turned}), 0);
  EXPECT_EQ(Wrong("ReverseV2", {x, IntTensor({1, -1})}), 0);
  EXPECT_EQ(Wrong("ReverseV2", {Doubles({}, 0, 1), Int(0)}), 0);
  EXPECT_EQ(Wrong("ReverseSequence", {x, Tensor::Vector<int64_t>({3, 0, 4})},
                  {{"seq_dim", 2}, {"batch_dim", 1}}),
            0);
  EXPECT_EQ(Wrong("Roll", {x, Int(-5), Int(1)}), 0);
  EXPECT_EQ(Wrong("Roll", {x, IntTensor({1, 2, 4}), IntTensor({2, 0, -1})}), 0);
  const Tensor far = Tensor::Vector<int64_t>({std::numeric_limits<int64_t>::min() + 1});
  EXPECT_EQ(Wrong("Roll", {x, far, IntTensor({1})}), 0);
}

TEST(MoveAdjoints, OfBorders) {
  const Tensor x = Doubles({2, 3}, -1, 1);
  const Tensor borders = Ints({2, 2}, {1, 0, 2, 1});
  EXPECT_EQ(Wrong("Pad", {x, borders}), 0);
  EXPECT_EQ(Wrong("PadV2", {x, borders, Doubles({}, 1, 2)}), 0);
  EXPECT_EQ(Wrong("Pad", {Doubles({}, 0, 1), Ints({0, 2}, {})}), 0);
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    EXPECT_EQ(Wrong("MirrorPad", {x, borders}, {{"mode", mode}}), 0) << mode;
    EXPECT_EQ(Wrong("MirrorPadGrad", {Doubles({3, 6}, -1, 1), borders}, {{"mode", mode}}), 0)
        << mode;
  }
}

TEST(MoveAdjoints, OfBlocks) {
  const Tensor x = Doubles({2, 3, 4, 2}, -1, 1);
  const Tensor borders = Ints({2, 2}, {1, 0, 2, 0});
  const Tensor blocks = Doubles({8, 2, 3, 1}, -1, 1);
  EXPECT_EQ(Wrong("SpaceToBatch", {x, borders}, {{"block_size", 2}}), 0);
  EXPECT_EQ(Wrong("SpaceToBatchND", {x, IntTensor({2, 3}), borders}), 0);
  EXPECT_EQ(Wrong("SpaceToBatchND", {x, IntTensor({3}), Ints({1, 2}, {2, 1})}), 0);
  EXPECT_EQ(Wrong("BatchToSpace", {blocks, borders}, {{"block_size", 2}}), 0);
  EXPECT_EQ(Wrong("BatchToSpaceND", {blocks, IntTensor({4, 2}), Ints({2, 2}, {3, 0, 1, 1})}), 0);
  EXPECT_EQ(Wrong("SpaceToDepth", {Doubles({2, 2, 4, 3}, -1, 1)}, {{"block_size", 2}}), 0);
  EXPECT_EQ(Wrong("DepthToSpace", {Doubles({1, 2, 3, 8}, -1, 1)}, {{"block_size", 2}}), 0);
}

TEST(MoveAdjoints, OfSlicesThatArePutBack) {
  const AttrMap masks = {{"shrink_axis_mask", 1}, {"end_mask", 2}};
  const std::vector<Tensor> bounds = {IntTensor({1, 3}), IntTensor({2, 0}), IntTensor({1, -2})};
  EXPECT_EQ(Wrong("StridedSliceGrad",
                  {IntTensor({2, 4}), bounds[0], bounds[1], bounds[2], Doubles({2}, -1, 1)}, masks),
            0);
  const Tensor x = Doubles({2, 4}, -1, 1);
  for (const Dims& value : {Dims{2}, Dims{1}, Dims{}, Dims{1, 1, 2}}) {
    EXPECT_EQ(Wrong("TensorStridedSliceUpdate",
                    {x, bounds[0], bounds[1], bounds[2], Doubles(value, -1, 1)}, masks),
              0);
  }
}

TEST(MoveAdjoints, OfScatteredSlices) {
  const Tensor x = Doubles({3, 2}, -1, 1);
  const Tensor rows = Ints({4, 1}, {2, 0, 2, 2});
  const Tensor updates = Doubles({4, 2}, -1, 1);
  for (const char* op : {"TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate",
                         "TensorScatterMax", "TensorScatterMin", "ScatterNdNonAliasingAdd"}) {
    EXPECT_EQ(Wrong(op, {x, rows, updates}), 0) << op;
    EXPECT_EQ(Wrong(op, {x, Ints({2, 2}, {0, 1, 0, 1}), Doubles({2}, -1, 1)}), 0) << op;
  }
  EXPECT_EQ(Wrong("ScatterNd", {rows, updates, IntTensor({3, 2})}), 0);
  EXPECT_EQ(Wrong("TensorScatterAdd", {x, Ints({2, 1}, {7, 1}), Doubles({2, 2}, -1, 1)},
                  {{"bad_indices_policy", "IGNORE"}}),
            0);
  for (const char* op : {"InplaceAdd", "InplaceSub", "InplaceUpdate"}) {
    EXPECT_EQ(Wrong(op, {x, IntTensor({-1, 4, 2}), Doubles({3, 2}, -1, 1)}), 0) << op;
  }
}

TEST(MoveAdjoints, AnExtremeThatSeveralShareIsSharedOut) {
  Firing max = Fire(
      "TensorScatterMax",
      {Tensor::Vector<double>({3, 1}), Ints({2, 1}, {0, 0}), Tensor::Vector<double>({3, 2})}, {});
  max.weights = {{1, 1}};
  const std::vector<Adjoint> adjoints = Adjoints(max, AdjointTable::Standard());
  EXPECT_EQ(adjoints[0].gradient, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(adjoints[2].gradient, (std::vector<double>{0.5, 0}));
}

TEST(MoveAdjoints, OfRowsPickedOut) {
  const Tensor x = Doubles({4, 3}, -1, 1);
  EXPECT_EQ(Wrong("DynamicPartition", {x, IntTensor({1, 0, 1, 1})}, {{"num_partitions", 3}}), 0);
  EXPECT_EQ(Wrong("DynamicPartition", {Doubles({2, 2}, 0, 1), Ints({2, 2}, {1, 0, 0, 1})},
                  {{"num_partitions", 2}}),
            0);
  EXPECT_EQ(Wrong("ParallelDynamicStitch", {IntTensor({0, 2}), IntTensor({1}),
                                            Doubles({2, 2}, 0, 1), Doubles({1, 2}, 0, 1)}),
            0);
  EXPECT_EQ(Wrong("TopK", {x}, {{"k", 2}}), 0);
  EXPECT_EQ(Wrong("TopKV2", {Doubles({5}, -1, 1), Int(3)}), 0);
  EXPECT_EQ(Wrong("ListDiff", {Tensor::Vector<double>({1, 3, 4}), Tensor::Vector<double>({2})}), 0);
  for (const int count : {1, 2, 5}) {
    EXPECT_EQ(Wrong("LinSpace", {Doubles({}, 0, 1), Doubles({}, 2, 3), Int(count)}), 0) << count;
  }
}

}  // namespace
}  // namespace tagflow::reference
