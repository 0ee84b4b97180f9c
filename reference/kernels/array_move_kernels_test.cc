// Ops that turn, pad and cut tensors into blocks. The values and refusals are TensorFlow's.
// Tests: array_block.cc, array_pad.cc, array_turn.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

const Tensor kGrid = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});

TEST(ArrayTurn, ReversesAndRolls) {
  const Tensor flags = Tensor::Of<bool>(Dims{2}, std::array<bool, 2>{true, false});
  Check({
      {"ReverseV2", {kGrid, Ints({-1})}, {}, "int32[2,3] [[3, 2, 1], [6, 5, 4]]"},
      {"ReverseV2", {Int(1), Ints({5})}, {}, "int32[] 1"},
      {"ReverseV2",
       {kGrid, Ints({0, -2})},
       {},
       "INVALID_ARGUMENT: axis 0 specified more than once."},
      {"ReverseV2",
       {kGrid, Ints({2})},
       {},
       "INVALID_ARGUMENT: 'axis' 2 is out of the 2 dimensions"},
      {"Reverse", {kGrid, flags}, {}, "int32[2,3] [[4, 5, 6], [1, 2, 3]]"},
      {"Reverse",
       {Empty(DType::kInt32, Dims{0, 1}), flags},
       {},
       "INVALID_ARGUMENT: Invalid input first dimension. Found 0."},
      {"ReverseSequence",
       {kGrid, Ints({2, 0})},
       {{"seq_dim", 1}},
       "int32[2,3] [[2, 1, 3], [4, 5, 6]]"},
      {"ReverseSequence",
       {kGrid, Ints({2, 4})},
       {{"seq_dim", 1}},
       "INVALID_ARGUMENT: seq_lens(1) = 4 is not in [0, 3]"},
      {"ReverseSequence",
       {kGrid, Ints({2, 1})},
       {{"seq_dim", -1}},
       "INVALID_ARGUMENT: seq_dim -1 and batch_dim 0 must be in [0, 2)"},
      {"Roll", {kGrid, Ints({1, -1}), Ints({0, 1})}, {}, "int32[2,3] [[5, 6, 4], [2, 3, 1]]"},
      {"Roll", {kGrid, Tensor::Scalar(INT64_MIN), Int(1)}, {}, "int32[2,3] [[3, 1, 2], [6, 4, 5]]"},
      {"Roll", {kGrid, Int(1), Int(2)}, {}, "INVALID_ARGUMENT: axis 2 is out of range"},
  });
}

TEST(ArrayPad, ContinuesTensors) {
  const Tensor x = Ints({1, 2, 3});
  const Tensor two = Ints(Dims{1, 2}, {2, 2});
  const Tensor huge = Tensor::Of<int64_t>(Dims{1, 2}, std::array<int64_t, 2>{INT64_MAX, 1});
  Check({
      {"Pad", {x, Ints(Dims{1, 2}, {1, 2})}, {}, "int32[6] [0, 1, 2, 3, 0, 0]"},
      {"Pad", {Strings({"a"}), Ints(Dims{1, 2}, {0, 1})}, {}, R"(string[2] ["a", ""])"},
      {"PadV2", {x, Ints(Dims{1, 2}, {1, 0}), Int(7)}, {}, "int32[4] [7, 1, 2, 3]"},
      {"Pad",
       {x, Ints(Dims{1, 2}, {-1, 0})},
       {},
       "INVALID_ARGUMENT: Paddings must be non-negative: -1 0"},
      {"Pad", {x, huge}, {}, "INVALID_ARGUMENT: dimension 0 of the result overflows int64"},
      {"MirrorPad", {x, two}, {{"mode", "REFLECT"}}, "int32[7] [3, 2, 1, 2, 3, 2, 1]"},
      {"MirrorPad", {x, two}, {{"mode", "SYMMETRIC"}}, "int32[7] [2, 1, 1, 2, 3, 3, 2]"},
      {"MirrorPad",
       {Ints({1, 2}), two},
       {{"mode", "REFLECT"}},
       "INVALID_ARGUMENT: paddings must be no greater than 1, but 2 and 2 are given for dimension "
       "0"},
      {"MirrorPadGrad",
       {Ints({1, 2, 3, 4, 5}), Ints(Dims{1, 2}, {1, 1})},
       {{"mode", "SYMMETRIC"}},
       "int32[3] [3, 3, 9]"},
      {"MirrorPadGrad",
       {Ints({1, 2, 3, 4, 5}), Ints(Dims{1, 2}, {1, 1})},
       {{"mode", "REFLECT"}},
       "int32[3] [2, 9, 4]"},
      {"MirrorPadGrad",
       {Ints({1, 2}), Ints(Dims{1, 2}, {1, 1})},
       {{"mode", "SYMMETRIC"}},
       "INVALID_ARGUMENT: Total paddings must be less than the input dimension size: 1 and 1 of 2"},
  });
}

TEST(ArrayBlock, TradesSpaceForBatch) {
  const Tensor x = Ints(Dims{1, 4}, {1, 2, 3, 4});
  const Tensor none = Ints(Dims{1, 2}, {0, 0});
  const Tensor image = Ints(Dims{1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensor margins = Ints(Dims{2, 2}, {0, 0, 0, 0});
  Check({
      {"SpaceToBatchND", {x, Ints({2}), none}, {}, "int32[2,2] [[1, 3], [2, 4]]"},
      {"SpaceToBatchND",
       {x, Ints({2}), Ints(Dims{1, 2}, {1, 1})},
       {},
       "int32[2,3] [[0, 2, 4], [1, 3, 0]]"},
      {"BatchToSpaceND",
       {Ints(Dims{2, 2}, {1, 3, 2, 4}), Ints({2}), Ints(Dims{1, 2}, {1, 0})},
       {},
       "int32[1,3] [[2, 3, 4]]"},
      {"SpaceToBatchND",
       {x, Ints({3}), none},
       {},
       "INVALID_ARGUMENT: padded_shape[0]=4 is not divisible by block_shape[0]=3"},
      {"BatchToSpaceND",
       {x, Ints({2}), none},
       {},
       "INVALID_ARGUMENT: Input batch dimension (1) is not divisible by product of block sizes "
       "(2)"},
      {"SpaceToBatch",
       {image, margins},
       {{"block_size", 2}},
       "int32[4,1,1,1] [[[[1]]], [[[2]]], [[[3]]], [[[4]]]]"},
      {"BatchToSpace",
       {Ints(Dims{4, 1, 1, 1}, {1, 2, 3, 4}), margins},
       {{"block_size", 2}},
       "int32[1,2,2,1] [[[[1], [2]], [[3], [4]]]]"},
  });
}

TEST(ArrayBlock, TradesSpaceForDepth) {
  const Tensor image = Ints(Dims{1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensor deep = Ints(Dims{1, 1, 1, 4}, {1, 2, 3, 4});
  Check({
      {"SpaceToDepth", {image}, {{"block_size", 2}}, "int32[1,1,1,4] [[[[1, 2, 3, 4]]]]"},
      {"DepthToSpace", {deep}, {{"block_size", 2}}, "int32[1,2,2,1] [[[[1], [2]], [[3], [4]]]]"},
      {"SpaceToDepth",
       {image},
       {{"block_size", 2}, {"data_format", "NCHW"}},
       "UNIMPLEMENTED: Only NHWC data_format supported on CPU. Got NCHW"},
      {"DepthToSpace",
       {image},
       {{"block_size", 2}},
       "INVALID_ARGUMENT: Input depth dimension 1 should be divisible by: 4"},
      {"SpaceToDepth",
       {kGrid},
       {{"block_size", 2}},
       "INVALID_ARGUMENT: Input rank should be 4 instead of 2"},
      {"DepthToSpace",
       {image},
       {{"block_size", int64_t{1} << 40}},
       "INVALID_ARGUMENT: block_size 1099511627776 is out of range"},
  });
}

}  // namespace
}  // namespace tagflow::reference
