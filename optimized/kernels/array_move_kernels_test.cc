// Ops that repeat, turn, pad elements and trade dimensions.
// Tests: array_block.cc, array_pad.cc, array_repeat.cc, array_turn.cc, piecewise_copy.cc
#include <gtest/gtest.h>

#include <complex>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

Tensor Square() { return Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(RepeatKernelsTest, TileAndBroadcast) {
  Check({
      {"Tile", {Square(), Ints({1, 2})}, {}, "int32[2,6] [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]"},
      {"Tile", {Ints({1, 2}), Ints({2})}, {}, "int32[4] [1, 2, 1, 2]"},
      {"Tile", {Strings({"a"}), Ints({2})}, {}, R"(string[2] ["a", "a"])"},
      {"Tile", {Square(), Ints({0, 2})}, {}, "int32[0,6] []"},
      {"Tile", {Square(), Ints({1})}, {}, "INVALID_ARGUMENT:"},
      {"Tile", {Square(), Ints({1, -1})}, {}, "INVALID_ARGUMENT:"},
      {"Tile", {Ints({1, 2}), Tensor::Vector<int64_t>({INT64_MAX})}, {}, "INVALID_ARGUMENT:"},
      {"BroadcastTo", {Ints(Dims{2, 1}, {1, 2}), Ints({2, 2})}, {}, "int32[2,2] [[1, 1], [2, 2]]"},
      {"BroadcastTo", {Float(1), Ints({2, 1})}, {}, "float[2,1] [[1], [1]]"},
      {"BroadcastTo", {Ints({1}), Ints({0})}, {}, "int32[0] []"},
      {"BroadcastTo", {Square(), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {"BroadcastTo", {Square(), Ints({2, 2})}, {}, "INVALID_ARGUMENT:"},
      {"BroadcastTo", {Int(1), Ints({-1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(RepeatKernelsTest, Transpose) {
  const Tensor x = Tensor::Vector<std::complex<float>>({{1, 2}});
  Check({
      {"Transpose", {Square(), Ints({1, 0})}, {}, "int32[3,2] [[1, 4], [2, 5], [3, 6]]"},
      {"Transpose", {Square(), Ints({-2, 1})}, {}, "int32[2,3] [[1, 2, 3], [4, 5, 6]]"},
      {"Transpose", {Int(1), Ints({})}, {}, "int32[] 1"},
      {"Transpose", {Square(), Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"Transpose", {Square(), Ints({0, 2})}, {}, "INVALID_ARGUMENT:"},
      {"Transpose", {Square(), Ints({0})}, {}, "INVALID_ARGUMENT:"},
      {"ConjugateTranspose", {x, Ints({0})}, {}, "complex64[1] [(1,-2)]"},
      {"ConjugateTranspose", {Square(), Ints({1, 0})}, {}, "int32[3,2] [[1, 4], [2, 5], [3, 6]]"},
  });
}

TEST(TurnKernelsTest, Reverse) {
  const Tensor turned = Tensor::Of<bool>(Dims{2}, std::array<bool, 2>{false, true});
  Check({
      {"ReverseV2", {Square(), Ints({0})}, {}, "int32[2,3] [[4, 5, 6], [1, 2, 3]]"},
      {"ReverseV2", {Square(), Ints({-1, 0})}, {}, "int32[2,3] [[6, 5, 4], [3, 2, 1]]"},
      {"ReverseV2", {Strings({"a", "b"}), Ints({0})}, {}, R"(string[2] ["b", "a"])"},
      {"ReverseV2", {Int(1), Ints({7})}, {}, "int32[] 1"},
      {"ReverseV2", {Square(), Ints({0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"ReverseV2", {Square(), Ints({2})}, {}, "INVALID_ARGUMENT:"},
      {"ReverseV2", {Ints(Dims(9, 1), {1}), Ints({0})}, {}, "UNIMPLEMENTED:"},
      {"Reverse", {Square(), turned}, {}, "int32[2,3] [[3, 2, 1], [6, 5, 4]]"},
      {"Reverse", {Ints({1, 2}), turned}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(TurnKernelsTest, ReverseSequence) {
  const AttrMap dims = {{"seq_dim", 1}, {"batch_dim", 0}};
  const AttrMap swapped = {{"seq_dim", 0}, {"batch_dim", 1}};
  Check({
      {"ReverseSequence", {Square(), Ints({2, 3})}, dims, "int32[2,3] [[2, 1, 3], [6, 5, 4]]"},
      {"ReverseSequence",
       {Square(), Ints({0, 1, 2})},
       swapped,
       "int32[2,3] [[1, 2, 6], [4, 5, 3]]"},
      {"ReverseSequence", {Square(), Ints({4, 0})}, dims, "INVALID_ARGUMENT:"},
      {"ReverseSequence", {Square(), Ints({1})}, dims, "INVALID_ARGUMENT:"},
      {"ReverseSequence", {Square(), Ints({1, 1})}, {{"seq_dim", 0}}, "INVALID_ARGUMENT:"},
      {"ReverseSequence", {Square(), Ints({1, 1})}, {{"seq_dim", 2}}, "INVALID_ARGUMENT:"},
  });
}

TEST(TurnKernelsTest, Roll) {
  Check({
      {"Roll", {Square(), Int(1), Int(1)}, {}, "int32[2,3] [[3, 1, 2], [6, 4, 5]]"},
      {"Roll", {Square(), Ints({1, -1}), Ints({0, 1})}, {}, "int32[2,3] [[5, 6, 4], [2, 3, 1]]"},
      {"Roll", {Square(), Ints({1, 2}), Ints({1, 1})}, {}, "int32[2,3] [[1, 2, 3], [4, 5, 6]]"},
      {"Roll", {Empty(DType::kInt32, Dims{0, 2}), Int(1), Int(0)}, {}, "int32[0,2] []"},
      {"Roll", {Int(1), Int(1), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"Roll", {Square(), Int(1), Int(2)}, {}, "INVALID_ARGUMENT:"},
      {"Roll", {Square(), Int(1), Ints({0})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(PadKernelsTest, Pad) {
  const Tensor rows = Ints(Dims{1, 2}, {1, 2});
  Check({
      {"Pad", {Ints({7, 8}), rows}, {}, "int32[5] [0, 7, 8, 0, 0]"},
      {"Pad", {Strings({"a"}), rows}, {}, R"(string[4] ["", "a", "", ""])"},
      {"Pad",
       {Ints(Dims{1, 2}, {1, 2}), Ints(Dims{2, 2}, {1, 0, 0, 1})},
       {},
       "int32[2,3] [[0, 0, 0], [1, 2, 0]]"},
      {"Pad", {Int(1), Empty(DType::kInt32, Dims{0, 2})}, {}, "int32[] 1"},
      {"PadV2", {Float(0), Empty(DType::kInt32, Dims{0, 2}), Float(3)}, {}, "float[] 0"},
      {"PadV2", {Floats({1}), rows, Float(9)}, {}, "float[4] [9, 1, 9, 9]"},
      {"PadV2", {Floats({1}), rows, Floats({9})}, {}, "INVALID_ARGUMENT:"},
      {"Pad", {Ints({7}), Ints(Dims{1, 2}, {-1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"Pad", {Square(), rows}, {}, "INVALID_ARGUMENT:"},
      {"Pad", {Ints(Dims(9, 1), {1}), rows}, {}, "UNIMPLEMENTED:"},
      {"Pad",
       {Ints({7}), Tensor::Of<int64_t>(Dims{1, 2}, std::array{INT64_MAX, INT64_MAX})},
       {},
       "INVALID_ARGUMENT:"},
  });
}

TEST(PadKernelsTest, Mirrors) {
  const AttrMap reflect = {{"mode", "REFLECT"}}, symmetric = {{"mode", "SYMMETRIC"}};
  const Tensor both = Ints(Dims{2, 2}, {1, 0, 0, 2});
  Check({
      {"MirrorPad",
       {Ints({1, 2, 3}), Ints(Dims{1, 2}, {2, 1})},
       reflect,
       "int32[6] [3, 2, 1, 2, 3, 2]"},
      {"MirrorPad",
       {Ints({1, 2, 3}), Ints(Dims{1, 2}, {2, 3})},
       symmetric,
       "int32[8] [2, 1, 1, 2, 3, 3, 2, 1]"},
      {"MirrorPad",
       {Ints(Dims{2, 2}, {1, 2, 3, 4}), both},
       symmetric,
       "int32[3,4] [[1, 2, 2, 1], [1, 2, 2, 1], [3, 4, 4, 3]]"},
      {"MirrorPad", {Ints({1, 2}), Ints(Dims{1, 2}, {2, 0})}, reflect, "INVALID_ARGUMENT:"},
      {"MirrorPadGrad",
       {Ints({1, 2, 3, 4, 5, 6}), Ints(Dims{1, 2}, {2, 1})},
       reflect,
       "int32[3] [3, 12, 6]"},
      {"MirrorPadGrad",
       {Floats(Dims{3, 4}, std::vector<float>(12, 1)), both},
       symmetric,
       "float[2,2] [[4, 4], [2, 2]]"},
      {"MirrorPadGrad", {Ints({1, 2}), Ints(Dims{1, 2}, {1, 1})}, reflect, "INVALID_ARGUMENT:"},
      {"MirrorPadGrad", {Ints({1, 2, 3}), Ints(Dims{1, 2}, {2, 0})}, reflect, "INVALID_ARGUMENT:"},
  });
}

TEST(BlockKernelsTest, SpaceAndBatch) {
  const Tensor image = Ints(Dims{1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensor batch = Ints(Dims{4, 1, 1, 1}, {1, 2, 3, 4});
  const Tensor none = Ints(Dims{2, 2}, {0, 0, 0, 0});
  const AttrMap two = {{"block_size", 2}};
  Check({
      {"SpaceToBatch", {image, none}, two, "int32[4,1,1,1] [[[[1]]], [[[2]]], [[[3]]], [[[4]]]]"},
      {"BatchToSpace", {batch, none}, two, "int32[1,2,2,1] [[[[1], [2]], [[3], [4]]]]"},
      {"SpaceToBatchND",
       {Ints(Dims{1, 3}, {1, 2, 3}), Ints({2}), Ints(Dims{1, 2}, {1, 2})},
       {},
       "int32[2,3] [[0, 2, 0], [1, 3, 0]]"},
      {"BatchToSpaceND",
       {Ints(Dims{2, 3}, {0, 2, 0, 1, 3, 0}), Ints({2}), Ints(Dims{1, 2}, {1, 2})},
       {},
       "int32[1,3] [[1, 2, 3]]"},
      {"SpaceToBatchND",
       {Empty(DType::kInt32, Dims{1, 0}), Ints({2}), Ints(Dims{1, 2}, {1, 1})},
       {},
       "int32[2,1] [[0], [0]]"},
      {"SpaceToBatchND",
       {Ints(Dims{1, 3}, {1, 2, 3}), Ints({2}), Ints(Dims{1, 2}, {0, 0})},
       {},
       "INVALID_ARGUMENT:"},
      {"SpaceToBatchND", {Ints({1}), Ints({2}), Ints(Dims{1, 2}, {0, 0})}, {}, "INVALID_ARGUMENT:"},
      {"BatchToSpaceND",
       {Ints(Dims{1, 1}, {1}), Ints({2}), Ints(Dims{1, 2}, {0, 0})},
       {},
       "INVALID_ARGUMENT:"},
      {"BatchToSpaceND",
       {Ints(Dims{2, 1}, {1, 2}), Ints({2}), Ints(Dims{1, 2}, {2, 1})},
       {},
       "INVALID_ARGUMENT:"},
      {"SpaceToBatch", {Square(), none}, two, "INVALID_ARGUMENT:"},
  });
}

TEST(BlockKernelsTest, SpaceAndDepth) {
  const Tensor image = Ints(Dims{1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor deep = Ints(Dims{1, 1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8});
  const AttrMap two = {{"block_size", 2}};
  Check({
      {"SpaceToDepth", {image}, two, "int32[1,1,2,4] [[[[1, 2, 5, 6], [3, 4, 7, 8]]]]"},
      {"DepthToSpace",
       {deep},
       two,
       "int32[1,2,4,1] [[[[1], [2], [3], [4]], [[5], [6], [7], [8]]]]"},
      {"SpaceToDepth", {image}, {{"block_size", 4}}, "INVALID_ARGUMENT:"},
      {"DepthToSpace", {image}, two, "INVALID_ARGUMENT:"},
      {"SpaceToDepth", {image}, {{"block_size", 2}, {"data_format", "NCHW"}}, "UNIMPLEMENTED:"},
      {"SpaceToDepth", {Square()}, two, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
