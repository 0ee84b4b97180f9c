// Tests: bitwise.cc complex.cc
#include <gtest/gtest.h>

#include <complex>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

template <typename T>
Tensor Of(const std::vector<T>& values) {
  return Tensor::Vector(values);
}

TEST(BitwiseTest, Operations) {
  Check({
      {"BitwiseAnd", {Ints({12, -1}), Int(10)}, {}, "int32[2] [8, 10]"},
      {"BitwiseOr", {Int(12), Int(10)}, {}, "int32[] 14"},
      {"BitwiseXor", {Of<uint8_t>({255}), Of<uint8_t>({15})}, {}, "uint8[1] [240]"},
      {"Invert", {Of<uint8_t>({15})}, {}, "uint8[1] [240]"},
      {"Invert", {Of<int64_t>({0})}, {}, "int64[1] [-1]"},
      {"LeftShift",
       {Of<int8_t>({1, 1, 1, 1}), Of<int8_t>({3, 7, 100, -1})},
       {},
       "int8[4] [8, -128, -128, 1]"},
      {"RightShift", {Ints({-8, 8, 8}), Ints({1, 40, -3})}, {}, "int32[3] [-4, 0, 8]"},
      {"RightShift", {Of<uint64_t>({~uint64_t{0}}), Of<uint64_t>({63})}, {}, "uint64[1] [1]"},
      {"PopulationCount", {Of<int8_t>({-1, 5, 0})}, {}, "uint8[3] [8, 2, 0]"},
      {"PopulationCount", {Of<int64_t>({-1})}, {}, "uint8[1] [64]"},
      {"PopulationCount", {Int(7)}, {}, "uint8[] 3"},
      {"BitwiseAnd", {Ints({1, 2}), Ints({1, 2, 3})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(ComplexTest, Parts) {
  using Narrow = std::complex<float>;
  using Wide = std::complex<double>;
  const AttrMap to_double = {{"Tout", DType::kDouble}};
  Check({
      {"Real", {Of<Narrow>({{3, 4}})}, {}, "float[1] [3]"},
      {"Imag", {Of<Wide>({{3, 4}})}, to_double, "double[1] [4]"},
      {"Imag", {Tensor::Scalar(Narrow(3, 4))}, {}, "float[] 4"},
      {"ComplexAbs", {Of<Narrow>({{3, 4}, {0, 0}})}, {}, "float[2] [5, 0]"},
      {"Angle", {Of<Narrow>({{3, 0}})}, {}, "float[1] [0]"},
      {"Conj", {Of<Narrow>({{3, 4}})}, {}, "complex64[1] [(3,-4)]"},
      {"Complex", {Floats({1, 2}), Float(3)}, {}, "complex64[2] [(1,3), (2,3)]"},
      {"Complex",
       {Tensor::Scalar(1.0), Tensor::Scalar(2.0)},
       {{"Tout", DType::kComplex128}},
       "complex128[] (1,2)"},
      {"Complex", {Float(1), Float(2)}, {{"Tout", DType::kComplex128}}, "INVALID_ARGUMENT:"},
      {"Real", {Of<Narrow>({{3, 4}})}, to_double, "INVALID_ARGUMENT:"},
      {"Complex", {Floats({1, 2}), Floats({1, 2, 3})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
