// Ops that move elements. The expected values and refusals are TensorFlow's.
// Tests: array_fill.cc, array_join.cc, array_repeat.cc, array_search.cc, array_util.cc,
//        basic_kernels.cc, shape_kernels.cc, summarize.cc

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/kernels/op_rows.h"

namespace tagflow::reference {
namespace {

AttrValue Dimensions(std::vector<int64_t> ints) {
  AttrList list;
  list.ints = std::move(ints);
  return list;
}

TEST(BasicKernels, CopiesAndChecks) {
  const float inf = std::numeric_limits<float>::infinity();
  const AttrMap message = {{"message", "seen"}};
  Check({
      {"Snapshot", {Ints({1, 2})}, {}, "int32[2] [1, 2]"},
      {"DeepCopy", {Strings({"a"})}, {}, R"(string[1] ["a"])"},
      {"GuaranteeConst", {Int(1)}, {}, "int32[] 1"},
      {"CheckNumerics", {Floats({1, 2})}, message, "float[2] [1, 2]"},
      {"CheckNumericsV2", {Empty(DType::kHalf, Dims{0})}, message, "half[0] []"},
      {"CheckNumerics",
       {Floats({1, inf})},
       message,
       "INVALID_ARGUMENT: seen : Tensor had Inf values"},
      {"CheckNumericsV2",
       {Floats({std::nanf(""), -inf})},
       message,
       "INVALID_ARGUMENT: seen : Tensor had Inf and NaN values"},
  });
}

TEST(BasicKernels, PassOnOrRefuse) {
  Check({
      {"Identity", {Strings({"a", "b"})}, {}, R"(string[2] ["a", "b"])"},
      {"IdentityN", {Int(1), Strings({"a"})}, {}, R"(int32[] 1; string[1] ["a"])"},
      {"Const", {}, {{"dtype", DType::kInt32}, {"value", Int(3)}}, "int32[] 3"},
      {"Const",
       {},
       {{"dtype", DType::kFloat}, {"value", Int(3)}},
       "INVALID_ARGUMENT: the attr value is int32, but the attr dtype is float"},
      {"ToBool", {Strings({})}, {}, "bool[] false"},
      {"ToBool", {Tensor::Scalar(std::string("x"))}, {}, "bool[] true"},
      {"ToBool", {Float(NAN)}, {}, "bool[] true"},
      {"ToBool", {Float(-0.0f)}, {}, "bool[] false"},
      {"ToBool",
       {Tensor::Scalar(uint16_t{1})},
       {},
       "INVALID_ARGUMENT: uint16 cannot be converted to a boolean"},
      {"Placeholder",
       {},
       {{"dtype", DType::kFloat}, {"shape", PartialShape(Dims{2, -1})}},
       "INVALID_ARGUMENT: You must feed a value for placeholder tensor 'node' with dtype float and "
       "shape [2,?]"},
  });
}

TEST(BasicKernels, AssertShowsData) {
  Check({
      {"Assert", {Tensor::Scalar(true), Int(1)}, {}, ""},
      {"Assert",
       {Tensor::Scalar(false), Ints({1, 2, 3, 4, 5}), Tensor::Scalar(std::string("abc")),
        Ints(Dims{2, 2}, {1, 2, 3, 4}), Floats({0.1f, 1e-7f, 0.12345678f})},
       {},
       "INVALID_ARGUMENT: assertion failed: [1 2 3...] [abc] [[1 2][3...]...] [0.1 1e-07 "
       "0.123456784]"},
      {"Assert",
       {Tensor::Scalar(false), Ints(Dims{1, 2, 1}, {1, 2}), Empty(DType::kInt32, Dims{0, 2})},
       {{"summarize", -1}},
       "INVALID_ARGUMENT: assertion failed: [[[1][2]]] []"},
      {"Assert",
       {Tensor::Of<bool>(Dims{1}, std::array<bool, 1>{true}), Int(1)},
       {},
       "INVALID_ARGUMENT: In[0] should be a scalar: [1]"},
  });
}

TEST(ShapeKernels, AskForShapes) {
  const Tensor x = Empty(DType::kString, Dims{2, 0, 3});
  Check({
      {"Shape", {x}, {}, "int32[3] [2, 0, 3]"},
      {"Shape", {x}, {{"out_type", DType::kInt64}}, "int64[3] [2, 0, 3]"},
      {"Shape", {Int(1)}, {}, "int32[0] []"},
      {"ShapeN", {Ints({1, 2}), Ints(Dims{1, 1}, {3})}, {}, "int32[1] [2]; int32[2] [1, 1]"},
      {"Size", {x}, {}, "int32[] 0"},
      {"Rank", {x}, {}, "int32[] 3"},
      {"EnsureShape",
       {Ints({1, 2})},
       {{"shape", PartialShape(Dims{-1, 3})}},
       "INVALID_ARGUMENT: Shape of tensor [2] is not compatible with expected shape [?,3]."},
  });
}

TEST(ShapeKernels, Reshape) {
  const Tensor x = Ints({1, 2, 3, 4});
  Check({
      {"Reshape", {x, Ints({2, -1})}, {}, "int32[2,2] [[1, 2], [3, 4]]"},
      {"Reshape", {x, Int(4)}, {}, "int32[4] [1, 2, 3, 4]"},
      {"Reshape", {Empty(DType::kInt32, Dims{2, 0}), Ints({0, -1})}, {}, "int32[0,2] []"},
      {"Reshape", {Empty(DType::kInt32, Dims{2, 0}), Ints({-1, 5})}, {}, "int32[0,5] []"},
      {"Reshape",
       {x, Ints({3, -1})},
       {},
       "INVALID_ARGUMENT: Input to reshape is a tensor with 4 values, but the requested shape "
       "requires a multiple of 3"},
      {"Reshape",
       {x, Ints({0, -1})},
       {},
       "INVALID_ARGUMENT: Input to reshape is a tensor with 4 values, but the requested shape has "
       "0"},
      {"Reshape",
       {x, Ints({-1, -1})},
       {},
       "INVALID_ARGUMENT: Only one input size may be -1, not both 0 and 1"},
      {"Reshape", {x, Ints({-2})}, {}, "INVALID_ARGUMENT: Size 0 must be non-negative, not -2"},
      {"Reshape",
       {x, Ints(Dims{1, 1}, {4})},
       {},
       "INVALID_ARGUMENT: sizes input must be 1-D, not [1,1]"},
  });
}

TEST(ShapeKernels, ExpandAndSqueeze) {
  const Tensor row = Ints(Dims{1, 3}, {1, 2, 3});
  Check({
      {"ExpandDims", {Ints({1, 2}), Int(-1)}, {}, "int32[2,1] [[1], [2]]"},
      {"ExpandDims",
       {Ints({1, 2}), Int(2)},
       {},
       "INVALID_ARGUMENT: Tried to expand dim index 2 for tensor with 1 dimensions."},
      {"Squeeze", {row}, {}, "int32[3] [1, 2, 3]"},
      {"Squeeze", {row}, {{"squeeze_dims", Dimensions({-2})}}, "int32[3] [1, 2, 3]"},
      {"Squeeze",
       {row},
       {{"squeeze_dims", Dimensions({1})}},
       "INVALID_ARGUMENT: Can not squeeze dim[1], expected a dimension of 1, got 3"},
      {"Squeeze",
       {row},
       {{"squeeze_dims", Dimensions({2})}},
       "INVALID_ARGUMENT: Tried to squeeze dim index 2 for tensor with 2 dimensions."},
  });
}

TEST(ArrayJoin, PackAndUnpack) {
  const Tensor x = Ints({1, 2});
  const Tensor y = Ints({3, 4});
  Check({
      {"Pack", {x, y}, {}, "int32[2,2] [[1, 2], [3, 4]]"},
      {"Pack", {x, y}, {{"axis", -1}}, "int32[2,2] [[1, 3], [2, 4]]"},
      {"Pack", {x, y}, {{"axis", 2}}, "INVALID_ARGUMENT: axis = 2 not in [-2, 2)"},
      {"Pack",
       {x, Ints({1})},
       {},
       "INVALID_ARGUMENT: Shapes of all inputs must match: values[0].shape = [2] != "
       "values[1].shape = [1]"},
      {"Unpack",
       {Ints(Dims{2, 2}, {1, 2, 3, 4})},
       {{"num", 2}, {"axis", 1}},
       "int32[2] [1, 3]; int32[2] [2, 4]"},
      {"Unpack",
       {Ints({1, 2, 3})},
       {{"num", 2}},
       "INVALID_ARGUMENT: Input shape axis 0 must equal 2, got shape [3]"},
  });
}

TEST(ArrayJoin, Concat) {
  const Tensor x = Ints(Dims{1, 2}, {1, 2});
  const Tensor y = Ints(Dims{1, 1}, {3});
  Check({
      {"ConcatV2", {x, y, Int(-1)}, {}, "int32[1,3] [[1, 2, 3]]"},
      {"Concat", {Int(1), y, x}, {}, "int32[1,3] [[3, 1, 2]]"},
      {"ConcatV2",
       {Strings({"a"}), Strings({}), Strings({"b"}), Int(0)},
       {},
       R"(string[2] ["a", "b"])"},
      {"ConcatV2",
       {x, y, Int(0)},
       {},
       "INVALID_ARGUMENT: ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [1,2] "
       "vs. shape[1] = [1,1]"},
      {"ConcatV2",
       {x, y, Int(2)},
       {},
       "INVALID_ARGUMENT: ConcatOp : Expected concatenating dimensions in the range [-2, 2), but "
       "got 2"},
      {"ConcatV2",
       {Int(1), Int(2), Int(0)},
       {},
       "INVALID_ARGUMENT: ConcatOp : Can't concatenate scalars (use tf.stack instead)"},
      {"ConcatOffset",
       {Int(1), Ints({2, 3}), Ints({2, 5}), Ints({2, 1})},
       {},
       "int32[2] [0, 0]; int32[2] [0, 3]; int32[2] [0, 8]"},
      {"ConcatOffset",
       {Int(1), Ints({2, 3}), Ints({3, 5})},
       {},
       "INVALID_ARGUMENT: All dimensions except 1 must match. Input 1 has shape [3 5] and doesn't "
       "match input 0 with shape [2 3]."},
  });
}

TEST(ArrayRepeat, TileTransposeBroadcast) {
  const Tensor x = Ints(Dims{2, 2}, {1, 2, 3, 4});
  Check({
      {"Tile", {Ints({1, 2}), Ints({2})}, {}, "int32[4] [1, 2, 1, 2]"},
      {"Tile", {x, Ints({1, 0})}, {}, "int32[2,0] [[], []]"},
      {"Tile",
       {Ints({1}), Ints({-1})},
       {},
       "INVALID_ARGUMENT: Expected multiples[0] >= 0, but got -1"},
      {"Transpose", {x, Ints({-1, 0})}, {}, "int32[2,2] [[1, 3], [2, 4]]"},
      {"Transpose", {x, Ints({0, 0})}, {}, "INVALID_ARGUMENT: 1 is missing from {0,0}."},
      {"Transpose", {x, Ints({0, 2})}, {}, "INVALID_ARGUMENT: 2 is out of range [0 .. 2)"},
      {"BroadcastTo",
       {Ints(Dims{2, 1}, {1, 2}), Ints({1, 2, 2})},
       {},
       "int32[1,2,2] [[[1, 1], [2, 2]]]"},
      {"BroadcastTo", {Ints({1}), Ints({0})}, {}, "int32[0] []"},
      {"BroadcastTo",
       {Ints({1, 2, 3}), Ints({2, 2})},
       {},
       "INVALID_ARGUMENT: Incompatible shapes: [3] vs. [2,2]"},
  });
}

TEST(ArrayFill, FillRangeOneHot) {
  const Tensor huge = Tensor::Vector<int64_t>({int64_t{1} << 40, int64_t{1} << 40});
  OpRunner runner;
  EXPECT_EQ(runner.Run("Fill", {huge, Int(1)}).status().code(), Code::kInvalidArgument);
  Check({
      {"Fill", {Ints({2}), Tensor::Scalar(std::string("a"))}, {}, R"(string[2] ["a", "a"])"},
      {"Fill", {Ints({-1}), Int(1)}, {}, "INVALID_ARGUMENT: Dimension -1 must be >= 0"},
      {"ZerosLike", {Strings({"a"})}, {}, R"(string[1] [""])"},
      {"OnesLike", {Tensor::Vector<Half>({Half{}})}, {}, "half[1] [1]"},
      {"Range", {Int(0), Int(5), Int(2)}, {}, "int32[3] [0, 2, 4]"},
      {"Range", {Int(5), Int(0), Int(-2)}, {}, "int32[3] [5, 3, 1]"},
      {"Range", {Int(0), Int(0), Int(1)}, {}, "int32[0] []"},
      {"Range",
       {Int(INT32_MIN), Int(INT32_MAX), Int(1 << 30)},
       {},
       "int32[4] [-2147483648, -1073741824, 0, 1073741824]"},
      {"Range", {Float(0), Float(0.3f), Float(0.1f)}, {}, "float[3] [0, 0.1, 0.2]"},
      {"Range", {Int(0), Int(5), Int(0)}, {}, "INVALID_ARGUMENT: Requires delta != 0: 0"},
      {"Range",
       {Int(0), Int(5), Int(-1)},
       {},
       "INVALID_ARGUMENT: Requires start >= limit when delta < 0: 0/5"},
      {"Range",
       {Float(0), Float(NAN), Float(1)},
       {},
       "INVALID_ARGUMENT: Requires start <= limit when delta > 0: 0/nan"},
      {"OneHot",
       {Ints({0, 5, -1}), Int(2), Int(7), Int(1)},
       {{"axis", 0}},
       "int32[2,3] [[7, 1, 1], [1, 1, 1]]"},
      {"OneHot", {Ints({1}), Int(2), Int(7), Int(1)}, {}, "int32[1,2] [[1, 7]]"},
  });
}

TEST(ArraySearch, ArgMaxWhereInvert) {
  const Tensor x = Ints(Dims{2, 2}, {1, 5, 7, 2});
  Check({
      {"ArgMax", {x, Int(0)}, {}, "int64[2] [1, 0]"},
      {"ArgMin", {x, Int(-1)}, {{"output_type", DType::kInt32}}, "int32[2] [0, 1]"},
      {"ArgMax", {Floats({NAN, 1, 3, 3}), Int(0)}, {}, "int64[] 2"},
      {"ArgMax",
       {Empty(DType::kInt32, Dims{0, 2}), Int(0)},
       {},
       "INVALID_ARGUMENT: Reduction axis 0 is empty in shape [0,2]"},
      {"ArgMax",
       {Int(1), Int(0)},
       {},
       "INVALID_ARGUMENT: Expected dimension in the range [0, 0), but got 0"},
      {"Where", {Floats({0, NAN, -0.0f, 2})}, {}, "int64[2,1] [[1], [3]]"},
      {"Where", {Int(1)}, {}, "INVALID_ARGUMENT: WhereOp : Unhandled input dimensions: 0"},
      {"InvertPermutation", {Ints({2, 0, 1})}, {}, "int32[3] [1, 2, 0]"},
      {"InvertPermutation", {Ints({0, 0})}, {}, "INVALID_ARGUMENT: 0 is duplicated in the input."},
  });
}

}  // namespace
}  // namespace tagflow::reference
