// Tests: math_binary.cc math_unary.cc elementwise.cc widening.cc broadcast.cc
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
using Complex64 = std::complex<float>;

template <typename T>
Tensor Of(const std::vector<T>& values) {
  return Tensor::Vector(values);
}
Tensor Halves(const std::vector<float>& values) {
  std::vector<Half> halves;
  for (float value : values) halves.push_back(HalfFromFloat(value));
  return Of(halves);
}

TEST(MathBinaryTest, Scalars) {
  Check({
      {"AddV2", {Int(2), Int(3)}, {}, "int32[] 5"},
      {"Sub", {Float(2), Float(0.5)}, {}, "float[] 1.5"},
      {"Mul", {Tensor::Scalar(2.5), Tensor::Scalar(4.0)}, {}, "double[] 10"},
      {"Mul", {Tensor::Scalar<int64_t>(-3), Tensor::Scalar<int64_t>(5)}, {}, "int64[] -15"},
      {"Add",
       {Tensor::Scalar(std::string("a")), Tensor::Scalar(std::string("b"))},
       {},
       "string[] \"ab\""},
      {"AddV2", {Tensor::Scalar<int8_t>(127), Tensor::Scalar<int8_t>(1)}, {}, "int8[] -128"},
      {"FloorMod", {Int(-7), Int(3)}, {}, "int32[] 2"},
      {"FloorDiv", {Int(-7), Int(0)}, {}, "INVALID_ARGUMENT:"},
      {"Pow", {Int(2), Int(-1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MathBinaryTest, Broadcast) {
  const Tensor matrix = Ints(Dims{2, 3}, {1, 2, 3, 4, 5, 6});
  Check({
      {"Sub", {matrix, matrix}, {}, "int32[2,3] [[0, 0, 0], [0, 0, 0]]"},
      {"Sub", {matrix, Int(1)}, {}, "int32[2,3] [[0, 1, 2], [3, 4, 5]]"},
      {"Sub", {Int(1), matrix}, {}, "int32[2,3] [[0, -1, -2], [-3, -4, -5]]"},
      {"Sub", {matrix, Ints({1, 2, 3})}, {}, "int32[2,3] [[0, 0, 0], [3, 3, 3]]"},
      {"Sub", {Ints(Dims{2, 1}, {1, 2}), matrix}, {}, "int32[2,3] [[0, -1, -2], [-2, -3, -4]]"},
      {"Sub", {Ints(Dims{2, 1}, {1, 2}), Ints({1, 2})}, {}, "int32[2,2] [[0, -1], [1, 0]]"},
      {"Sub", {Ints(Dims{1, 1}, {5}), Ints({2})}, {}, "int32[1,1] [[3]]"},
      {"Sub",
       {Ints(Dims{2, 1, 2}, {1, 2, 3, 4}), Ints(Dims{2, 1}, {1, 2})},
       {},
       "int32[2,2,2] [[[0, 1], [-1, 0]], [[2, 3], [1, 2]]]"},
      {"Sub", {matrix, Ints({1, 2})}, {}, "INVALID_ARGUMENT:"},
      {"Sub", {matrix, Empty(DType::kInt32, Dims{0})}, {}, "INVALID_ARGUMENT:"},
      {"Sub", {Ints(Dims{2, 1}, {1, 2}), Empty(DType::kInt32, Dims{0})}, {}, "int32[2,0] [[], []]"},
      {"Div", {Empty(DType::kInt32, Dims{0}), Int(0)}, {}, "int32[0] []"},
      {"Div", {matrix, Ints({1, 0, 1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MathBinaryTest, ManyElementsOfWidenedDTypes) {
  std::vector<int16_t> values(1000), doubled(1000), less(1000);
  for (int i = 0; i < 1000; ++i) {
    values[i] = static_cast<int16_t>(i * 40);
    doubled[i] = static_cast<int16_t>(i * 80);
    less[i] = static_cast<int16_t>(i * 40 - 7);
  }
  for (OpRunner::Inputs inputs : {OpRunner::Inputs::kLast, OpRunner::Inputs::kShared}) {
    OpRunner runner(inputs);
    auto sum = runner.Run("AddV2", {Of(values), Of(values)});
    ASSERT_TRUE(sum.ok());
    EXPECT_TRUE(BitwiseEqual((*sum)[0], Of(doubled)));
    auto difference = runner.Run("Sub", {Of(values), Tensor::Scalar<int16_t>(7)});
    ASSERT_TRUE(difference.ok());
    EXPECT_TRUE(BitwiseEqual((*difference)[0], Of(less)));
  }
}

TEST(MathBinaryTest, IntegersWrapAndDivide) {
  Check({
      {"AddV2", {Ints({2147483647}), Ints({1})}, {}, "int32[1] [-2147483648]"},
      {"Mul", {Of<uint8_t>({200, 3}), Of<uint8_t>({2, 5})}, {}, "uint8[2] [144, 15]"},
      {"Div", {Ints({7, -7, kLeast}), Ints({2, 2, -1})}, {}, "int32[3] [3, -3, -2147483648]"},
      {"TruncateDiv", {Of<int8_t>({-128, -7}), Of<int8_t>({-1, 2})}, {}, "int8[2] [-128, -3]"},
      {"FloorDiv",
       {Ints({7, -7, 7, kLeast}), Ints({2, 2, -2, -1})},
       {},
       "int32[4] [3, -4, -4, -2147483648]"},
      {"FloorMod", {Ints({7, -7, 7, kLeast}), Ints({2, 2, -2, -1})}, {}, "int32[4] [1, 1, -1, 0]"},
      {"TruncateMod", {Ints({7, -7, kLeast}), Ints({2, 2, -1})}, {}, "int32[3] [1, -1, 0]"},
      {"Mod", {Ints({-7}), Ints({4})}, {}, "int32[1] [-3]"},
      {"Pow", {Ints({2, 3, -1}), Ints({10, 40, 3})}, {}, "int32[3] [1024, 689956897, -1]"},
      {"SquaredDifference", {Ints({1, 5}), Int(3)}, {}, "int32[2] [4, 4]"},
      {"Maximum",
       {Of<uint64_t>({1, ~uint64_t{0}}), Of<uint64_t>({2, 3})},
       {},
       "uint64[2] [2, 18446744073709551615]"},
  });
}

TEST(MathBinaryTest, Floats) {
  Check({
      {"RealDiv", {Floats({1, -1}), Float(0)}, {}, "float[2] [inf, -inf]"},
      {"DivNoNan", {Floats({1, 3}), Floats({0, 2})}, {}, "float[2] [0, 1.5]"},
      {"MulNoNan", {Floats({kInf, 3}), Floats({0, 2})}, {}, "float[2] [0, 6]"},
      {"FloorDiv", {Floats({-7, 7}), Float(2)}, {}, "float[2] [-4, 3]"},
      {"TruncateDiv", {Floats({-7, 7}), Float(2)}, {}, "float[2] [-3, 3]"},
      {"FloorMod", {Floats({-7, 7}), Float(2.5)}, {}, "float[2] [0.5, 2]"},
      {"TruncateMod", {Floats({-7, 7}), Float(2.5)}, {}, "float[2] [-2, 2]"},
      {"Maximum", {Floats({kNan, 1, 2}), Floats({1, kNan, 3})}, {}, "float[3] [nan, nan, 3]"},
      {"Minimum", {Floats({kNan, 1, 2}), Floats({1, kNan, 3})}, {}, "float[3] [nan, nan, 2]"},
      {"Pow", {Floats({2, 9}), Floats({3, 0.5})}, {}, "float[2] [8, 3]"},
      {"Atan2", {Floats({0}), Floats({1})}, {}, "float[1] [0]"},
      {"NextAfter", {Tensor::Scalar(0.0), Tensor::Scalar(1.0)}, {}, "double[] 4.94066e-324"},
      {"NextAfter", {Halves({0}), Halves({1})}, {}, "INVALID_ARGUMENT:"},
      {"Xlogy", {Floats({0, 2}), Floats({0, 1})}, {}, "float[2] [0, 0]"},
      {"Xlog1py", {Floats({0, 2}), Floats({-1, 0})}, {}, "float[2] [0, 0]"},
      {"Xdivy", {Floats({0, 3}), Floats({0, 2})}, {}, "float[2] [0, 1.5]"},
      {"SquaredDifference", {Floats({1, 5}), Float(3)}, {}, "float[2] [4, 4]"},
      // 2048 + 1 is no half; 2048 + 3 is.
      {"AddV2", {Halves({2048, 2048}), Halves({1, 3})}, {}, "half[2] [2048, 2052]"},
  });
}

TEST(MathBinaryTest, ComplexNumbers) {
  Check({
      {"Mul", {Of<Complex64>({{1, 2}}), Of<Complex64>({{3, 4}})}, {}, "complex64[1] [(-5,10)]"},
      {"Div", {Of<Complex64>({{-5, 10}}), Of<Complex64>({{3, 4}})}, {}, "complex64[1] [(1,2)]"},
      {"SquaredDifference",
       {Of<Complex64>({{1, 2}}), Of<Complex64>({{1, 1}})},
       {},
       "complex64[1] [(1,0)]"},
      {"AddV2",
       {Tensor::Scalar(std::complex<double>(1, 2)), Tensor::Scalar(std::complex<double>(1))},
       {},
       "complex128[] (2,2)"},
      {"Maximum", {Of<Complex64>({{1, 2}}), Of<Complex64>({{3, 4}})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MathBinaryTest, ReusesTheMemoryOfAnInput) {
  OpRunner runner;
  Tensor x = Floats({1, 2, 3});
  const void* data = x.raw_data();
  std::vector<Tensor> inputs;
  inputs.push_back(Float(1));
  inputs.push_back(std::move(x));
  const auto sum = runner.Run("AddV2", std::move(inputs));
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ((*sum)[0].raw_data(), data);
  EXPECT_EQ((*sum)[0].DebugString(), "float[3] [2, 3, 4]");
}

TEST(MathUnaryTest, InTheDType) {
  Check({
      {"Neg", {Ints({1, kLeast})}, {}, "int32[2] [-1, -2147483648]"},
      {"Neg", {Of<Complex64>({{1, 2}})}, {}, "complex64[1] [(-1,-2)]"},
      {"Abs", {Ints({-3, kLeast})}, {}, "int32[2] [3, -2147483648]"},
      {"Abs", {Of<int8_t>({-128, -5})}, {}, "int8[2] [-128, 5]"},
      {"Abs", {Halves({-1.5, 2})}, {}, "half[2] [1.5, 2]"},
      {"Sign", {Floats({-2, 0, 5, kNan})}, {}, "float[4] [-1, 0, 1, nan]"},
      {"Sign", {Of<Complex64>({{3, 4}, {0, 0}})}, {}, "complex64[2] [(0.6,0.8), (0,0)]"},
      {"Square", {Of<uint8_t>({20})}, {}, "uint8[1] [144]"},
      {"Reciprocal", {Floats({4})}, {}, "float[1] [0.25]"},
      {"Inv", {Float(4)}, {}, "float[] 0.25"},
      {"Sqrt", {Floats({9, 2})}, {}, "float[2] [3, 1.4142135]"},
      {"Sqrt", {Of<Complex64>({{-4, 0}})}, {}, "complex64[1] [(0,2)]"},
      {"Floor", {Floats({-1.5, 1.5})}, {}, "float[2] [-2, 1]"},
      {"Ceil", {Floats({-1.5, 1.5})}, {}, "float[2] [-1, 2]"},
      {"Round", {Floats({0.5, 1.5, 2.5})}, {}, "float[3] [0, 2, 2]"},
      {"Round", {Ints({5})}, {}, "int32[1] [5]"},
      {"Rint", {Float(-2.5)}, {}, "float[] -2"},
      {"IsNan", {Floats({kNan, 1})}, {}, "bool[2] [true, false]"},
      {"IsInf", {Float(kInf)}, {}, "bool[] true"},
      {"IsFinite", {Halves({kInf, 1})}, {}, "bool[2] [false, true]"},
      {"Neg", {Of<uint8_t>({1})}, {}, "INVALID_ARGUMENT:"},
      {"Floor", {Empty(DType::kFloat, Dims{2, 0})}, {}, "float[2,0] [[], []]"},
  });
}

TEST(MathUnaryTest, FunctionsOfDouble) {
  for (const char* op :
       {"Asin", "Asinh", "Atan", "Atanh", "Expm1", "Log1p", "Sin", "Sinh", "Tan", "Tanh"}) {
    Check({{op, {Floats({0})}, {}, "float[1] [0]"},
           {op, {Float(0)}, {}, "float[] 0"},
           {op, {Tensor::Scalar(0.0)}, {}, "double[] 0"},
           {op, {Halves({0, 0})}, {}, "half[2] [0, 0]"},
           {op, {Of<Complex64>({0})}, {}, "complex64[1] [(0,0)]"}});
  }
  Check({
      {"Exp", {Floats({0, 1})}, {}, "float[2] [1, 2.7182817]"},
      {"Log", {Floats({1, 0})}, {}, "float[2] [0, -inf]"},
      {"Cos", {Float(0)}, {}, "float[] 1"},
      {"Cosh", {Float(0)}, {}, "float[] 1"},
      {"Acos", {Float(1)}, {}, "float[] 0"},
      {"Acosh", {Float(1)}, {}, "float[] 0"},
      {"Rsqrt", {Floats({4, 0})}, {}, "float[2] [0.5, inf]"},
      {"Sigmoid", {Floats({0, -1000, 1000})}, {}, "float[3] [0.5, 0, 1]"},
      {"Exp", {Ints({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
