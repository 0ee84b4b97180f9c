// Ops on lists, and those that make tensors from little. The values and refusals are TensorFlow's.
// Tests: index_kernels.cc

#include <gtest/gtest.h>

#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

const Tensor kGrid = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});

TEST(IndexKernels, Lists) {
  const Tensor row = Floats({1, 2, 2, 4}).Reshaped(Dims{1, 4});
  const Tensor wanted = Floats({2, 0, 9}).Reshaped(Dims{1, 3});
  Check({
      {"ListDiff", {Ints({1, 2, 3, 2}), Ints({2})}, {}, "int32[2] [1, 3]; int32[2] [0, 2]"},
      {"ListDiff", {Floats({NAN, -0.0f}), Floats({NAN, 0})}, {}, "float[1] [nan]; int32[1] [0]"},
      {"ListDiff",
       {Int(1), Ints({2})},
       {},
       "INVALID_ARGUMENT: x and y should be 1D vectors, but have shapes [] and [1]"},
      {"UnravelIndex", {Ints({5, 0}), Ints({2, 3})}, {}, "int32[2,2] [[1, 0], [2, 0]]"},
      {"UnravelIndex", {Int(4), Ints({2, 3})}, {}, "int32[2] [1, 1]"},
      {"UnravelIndex",
       {Int(-1), Ints({2, 3})},
       {},
       "INVALID_ARGUMENT: index -1 is out of bound as with dims [2,3]"},
      {"UnravelIndex",
       {Int(0), Ints({2, 0})},
       {},
       "INVALID_ARGUMENT: Input dims cannot contain a dim of zero"},
      {"UnravelIndex",
       {Int(0), Ints({65536, 65536})},
       {},
       "INVALID_ARGUMENT: Input dims product is causing integer overflow: [65536,65536]"},
      {"LowerBound", {row, wanted}, {}, "int32[1,3] [[1, 0, 4]]"},
      {"UpperBound", {row, wanted}, {}, "int32[1,3] [[3, 0, 4]]"},
      {"UpperBound",
       {row, Floats({1})},
       {},
       "INVALID_ARGUMENT: sorted input and values must be 2-D, but have shapes [1,4] and [1]"},
      {"BroadcastArgs", {Ints({2, 1}), Ints({3})}, {}, "int32[2] [2, 3]"},
      {"BroadcastArgs",
       {Ints({2}), Ints({3})},
       {},
       "INVALID_ARGUMENT: Incompatible shapes: [2] vs. [3]"},
  });
}

TEST(IndexKernels, TensorsFromLittle) {
  const AttrMap empty_ints = {{"dtype", DType::kInt32}};
  Check({
      {"LinSpace", {Float(0), Float(1), Int(5)}, {}, "float[5] [0, 0.25, 0.5, 0.75, 1]"},
      {"LinSpace", {Float(3), Float(9), Int(1)}, {}, "float[1] [3]"},
      {"LinSpace", {Float(3), Float(9), Int(0)}, {}, "INVALID_ARGUMENT: Requires num > 0: 0"},
      {"Empty", {Ints({2})}, empty_ints, "int32[2] [0, 0]"},
      {"Empty",
       {Int(2)},
       empty_ints,
       "INVALID_ARGUMENT: shape must be a vector of int32, got shape []"},
      {"Bitcast",
       {Ints({1, -1})},
       {{"type", DType::kUInt16}},
       "uint16[2,2] [[1, 0], [65535, 65535]]"},
      {"Bitcast", {Ints({1, 0})}, {{"type", DType::kInt64}}, "int64[] 1"},
      {"Bitcast",
       {Int(1)},
       {{"type", DType::kInt64}},
       "INVALID_ARGUMENT: Cannot bitcast from int32 to int64: the last dimension of [] is not 2"},
      {"ConjugateTranspose", {kGrid, Ints({1, 0})}, {}, "int32[3,2] [[1, 4], [2, 5], [3, 6]]"},
  });
}

TEST(IndexKernels, BadCoordinatesAsThePolicySays) {
  const Tensor indices = Ints(Dims{2, 1}, {1, 7});
  Check({
      {"GatherNd", {Ints({4, 5}), indices}, {{"bad_indices_policy", "IGNORE"}}, "int32[2] [5, 0]"},
      {"GatherNd",
       {Ints({4, 5}), indices},
       {{"bad_indices_policy", "x"}},
       "UNIMPLEMENTED: GatherNd has no bad_indices_policy 'x': take DEFAULT, ERROR or IGNORE"},
  });
}

}  // namespace
}  // namespace tagflow::reference
