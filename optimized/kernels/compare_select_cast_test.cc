// Tests: compare.cc logic.cc select.cc cast.cc
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <typename T>
Tensor Of(const std::vector<T>& values) {
  return Tensor::Vector(values);
}
Tensor Bools(const std::vector<bool>& values) {
  Tensor tensor = *Tensor::Allocate(DType::kBool, Dims{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<bool>());
  return tensor;
}
Tensor Bool(bool value) { return Tensor::Scalar(value); }

TEST(CompareTest, NumbersAndTexts) {
  Check({
      {"Less", {Ints({1, 2}), Ints({2, 2})}, {}, "bool[2] [true, false]"},
      {"LessEqual", {Floats({1, kNan}), Float(1)}, {}, "bool[2] [true, false]"},
      {"Greater", {Int(2), Int(1)}, {}, "bool[] true"},
      {"GreaterEqual", {Of<uint8_t>({200, 1}), Of<uint8_t>({100, 2})}, {}, "bool[2] [true, false]"},
      {"Equal",
       {Strings({"a", "b"}), Tensor::Scalar(std::string("b"))},
       {},
       "bool[2] [false, true]"},
      {"Equal", {Bools({true, false}), Bool(true)}, {}, "bool[2] [true, false]"},
      {"NotEqual", {Float(kNan), Float(kNan)}, {}, "bool[] true"},
      {"Equal",
       {Of<std::complex<float>>({{1, 2}}), Of<std::complex<float>>({{1, 2}})},
       {},
       "bool[1] [true]"},
      {"Less", {Bool(true), Bool(true)}, {}, "INVALID_ARGUMENT:"},
      {"Equal", {Ints({1, 2}), Ints({1, 2, 3})}, {}, "INVALID_ARGUMENT:"},
      {"Equal",
       {Ints({1, 2}), Ints({1, 2, 3})},
       {{"incompatible_shape_error", false}},
       "bool[] false"},
      {"NotEqual",
       {Ints({1, 2}), Ints({1, 2, 3})},
       {{"incompatible_shape_error", false}},
       "bool[] true"},
      {"NotEqual",
       {Ints({1, 2}), Ints({1, 3})},
       {{"incompatible_shape_error", false}},
       "bool[2] [false, true]"},
      {"ApproximateEqual",
       {Floats({1, 2}), Floats({1.05, 2.5})},
       {{"tolerance", 0.1f}},
       "bool[2] [true, false]"},
      {"ApproximateEqual", {Floats({1, 2}), Float(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(LogicTest, OfBooleans) {
  const Tensor x = Bools({false, false, true, true}), y = Bools({false, true, false, true});
  Check({
      {"LogicalAnd", {x, y}, {}, "bool[4] [false, false, false, true]"},
      {"LogicalOr", {x, y}, {}, "bool[4] [false, true, true, true]"},
      {"LogicalNot", {x}, {}, "bool[4] [true, true, false, false]"},
      {"LogicalNot", {Bool(false)}, {}, "bool[] true"},
      {"LogicalAnd", {Bool(true), Bool(true)}, {}, "bool[] true"},
      {"LogicalOr", {x, Bool(true)}, {}, "bool[4] [true, true, true, true]"},
  });
}

TEST(SelectTest, ByShape) {
  const Tensor x = Ints(Dims{2, 2}, {1, 2, 3, 4}), y = Ints(Dims{2, 2}, {5, 6, 7, 8});
  Check({
      {"Select", {Bool(true), x, y}, {}, "int32[2,2] [[1, 2], [3, 4]]"},
      {"Select", {Bools({true, false}), x, y}, {}, "int32[2,2] [[1, 2], [7, 8]]"},
      {"Select",
       {Bools({true, false}), Strings({"a", "b"}), Strings({"c", "d"})},
       {},
       "string[2] [\"a\", \"d\"]"},
      {"Select", {Bools({true, false, true}), x, y}, {}, "INVALID_ARGUMENT:"},
      {"Select", {Bool(true), x, Ints({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"SelectV2", {Bool(false), Int(1), Int(2)}, {}, "int32[] 2"},
      {"SelectV2", {Bool(true), Int(1), x}, {}, "int32[2,2] [[1, 1], [1, 1]]"},
      {"SelectV2", {Bools({true, false}), x, y}, {}, "int32[2,2] [[1, 6], [3, 8]]"},
      {"SelectV2", {Bools({true, false}), Int(1), Ints({2, 3})}, {}, "int32[2] [1, 3]"},
      {"SelectV2", {Bools({true, false}), Ints({1, 2, 3}), Int(1)}, {}, "INVALID_ARGUMENT:"},
      {"SelectV2", {Bools({}), Int(1), Int(1)}, {}, "int32[0] []"},
      {"SelectV2",
       {Bools({true, false}), Of<int8_t>({1, 2}), Of<int8_t>({3, 4})},
       {},
       "int8[2] [1, 4]"},
      {"SelectV2",
       {Bools({true, false}), Of<std::complex<double>>({1, 2}), Of<std::complex<double>>({3, 4})},
       {},
       "complex128[2] [(1,0), (4,0)]"},
  });
}

Row Casts(Tensor from, DType to, std::string expected) {
  return {"Cast", {std::move(from)}, {{"DstT", to}}, std::move(expected)};
}

TEST(CastTest, Values) {
  constexpr double kHuge = 1e30;
  Check({
      Casts(Int(3), DType::kFloat, "float[] 3"),
      Casts(Float(-2.75), DType::kInt32, "int32[] -2"),
      Casts(Bools({true, false}), DType::kFloat, "float[2] [1, 0]"),
      Casts(Floats({0.5, 0, kNan}), DType::kBool, "bool[3] [true, false, true]"),
      Casts(Floats({kNan, kInf, 3e9f, -3e9f}), DType::kInt32,
            "int32[4] [-2147483648, -2147483648, -2147483648, -2147483648]"),
      Casts(Of<double>({2147483647.5, -2147483648.5}), DType::kInt32,
            "int32[2] [2147483647, -2147483648]"),
      Casts(Of<double>({kHuge, -1.5}), DType::kInt64, "int64[2] [-9223372036854775808, -1]"),
      Casts(Of<double>({300.7, -1, kHuge}), DType::kUInt8, "uint8[3] [44, 255, 0]"),
      Casts(Of<double>({3e9, -1, kHuge}), DType::kUInt32,
            "uint32[3] [3000000000, 4294967295, 2147483648]"),
      Casts(Of<double>({1e19, -1}), DType::kUInt64,
            "uint64[2] [10000000000000000000, 18446744073709551615]"),
      Casts(Ints({-1, 300}), DType::kInt8, "int8[2] [-1, 44]"),
      Casts(Ints({1, 2049}), DType::kHalf, "half[2] [1, 2048]"),
      Casts(Of<std::complex<float>>({{1.5, 2}}), DType::kInt32, "int32[1] [1]"),
      Casts(Ints({2}), DType::kComplex64, "complex64[1] [(2,0)]"),
      Casts(Of<std::complex<float>>({{1.5, 2}}), DType::kComplex128, "complex128[1] [(1.5,2)]"),
      Casts(Strings({"a"}), DType::kString, "string[1] [\"a\"]"),
      Casts(Strings({"a"}), DType::kInt32, "UNIMPLEMENTED:"),
      Casts(Int(1), DType::kString, "UNIMPLEMENTED:"),
      Casts(Empty(DType::kInt8, Dims{0, 2}), DType::kInt64, "int64[0,2] []"),
  });
}

TEST(CastTest, TruncatesTheMantissa) {
  const AttrMap truncate = {{"DstT", DType::kHalf}, {"Truncate", true}};
  const AttrMap to_float = {{"DstT", DType::kFloat}, {"Truncate", true}};
  Check({
      {"Cast", {Floats({2049.9f, -2049.9f, kInf})}, truncate, "half[3] [2048, -2048, inf]"},
      {"Cast", {Of<double>({1 + 0x1.8p-24})}, to_float, "float[1] [1]"},
      {"Cast", {Ints({3})}, to_float, "float[1] [3]"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
