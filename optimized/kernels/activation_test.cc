// Tests: activation.cc math_grad.cc
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor Bytes(const std::vector<uint8_t>& values) { return Tensor::Vector(values); }
Tensor Halves(const std::vector<float>& values) {
  std::vector<Half> halves;
  for (float value : values) halves.push_back(HalfFromFloat(value));
  return Tensor::Vector(halves);
}

TEST(ActivationTest, Functions) {
  Check({
      {"Relu", {Floats({-1, 0, 2})}, {}, "float[3] [0, 0, 2]"},
      {"Relu", {Ints({-1, 5})}, {}, "int32[2] [0, 5]"},
      {"Relu6", {Floats({-1, 3, 7})}, {}, "float[3] [0, 3, 6]"},
      {"Relu6", {Bytes({3, 200})}, {}, "uint8[2] [3, 6]"},
      {"LeakyRelu", {Floats({-2, 3})}, {{"alpha", 0.25f}}, "float[2] [-0.5, 3]"},
      {"LeakyRelu", {Float(-2)}, {{"alpha", 0.25f}}, "float[] -0.5"},
      {"LeakyRelu", {Halves({-2, 3})}, {{"alpha", 0.25f}}, "half[2] [-0.5, 3]"},
      {"Elu", {Floats({-1000, 2})}, {}, "float[2] [-1, 2]"},
      {"Selu", {Floats({-1000, 1})}, {}, "float[2] [-1.7580993, 1.050701]"},
      {"Softplus", {Floats({-1000, 1000})}, {}, "float[2] [0, 1000]"},
      {"Softsign", {Floats({-1, 3})}, {}, "float[2] [-0.5, 0.75]"},
      {"Elu", {Empty(DType::kDouble, Dims{0})}, {}, "double[0] []"},
  });
}

TEST(ActivationTest, Gradients) {
  Check({
      {"ReluGrad", {Floats({2, 3}), Floats({1, -1})}, {}, "float[2] [2, 0]"},
      {"Relu6Grad", {Ints({2, 3, 4}), Ints({1, 6, -1})}, {}, "int32[3] [2, 0, 0]"},
      {"LeakyReluGrad", {Floats({2, 2}), Floats({1, -1})}, {{"alpha", 0.5f}}, "float[2] [2, 1]"},
      {"EluGrad", {Floats({2, 2}), Floats({1, -0.5})}, {}, "float[2] [2, 1]"},
      {"SeluGrad", {Floats({1}), Floats({1})}, {}, "float[1] [1.050701]"},
      {"SoftplusGrad", {Floats({2}), Floats({0})}, {}, "float[1] [1]"},
      {"SoftsignGrad", {Floats({4}), Floats({1})}, {}, "float[1] [1]"},
      {"ReluGrad", {Floats({1, 2}), Float(1)}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MathGradTest, OfFunctions) {
  using Complex = std::complex<float>;
  const Tensor i = Tensor::Scalar(Complex(0, 1)), one = Tensor::Scalar(Complex(1, 0));
  Check({
      {"TanhGrad", {Floats({0.5}), Floats({4})}, {}, "float[1] [3]"},
      {"SigmoidGrad", {Float(0.5), Float(4)}, {}, "float[] 1"},
      {"SqrtGrad", {Floats({2, 0}), Floats({4, 0})}, {}, "float[2] [1, 0]"},
      {"RsqrtGrad", {Floats({2, kInf}), Floats({1, 0})}, {}, "float[2] [-4, 0]"},
      {"ReciprocalGrad", {Floats({2}), Floats({3})}, {}, "float[1] [-12]"},
      {"InvGrad", {Halves({2}), Halves({3})}, {}, "half[1] [-12]"},
      {"SqrtGrad", {i, one}, {}, "complex64[] (0,0.5)"},
      {"TanhGrad", {i, one}, {}, "complex64[] (2,0)"},
      {"TanhGrad", {Floats({1, 2}), Floats({1})}, {}, "INVALID_ARGUMENT:"},
  });
}

TEST(MathGradTest, BroadcastGradientArgs) {
  const std::string op = "BroadcastGradientArgs";
  Check({
      {op, {Ints({2, 1}), Ints({3})}, {}, "int32[1] [1]; int32[1] [0]"},
      {op, {Ints({2, 3}), Ints({2, 3})}, {}, "int32[0] []; int32[0] []"},
      {op, {Ints({2, 1}), Ints({1})}, {}, "int32[1] [1]; int32[2] [0, 1]"},
      {op,
       {Tensor::Vector<int64_t>({3}), Tensor::Vector<int64_t>({})},
       {},
       "int64[0] []; int64[1] [0]"},
      {op, {Ints({2}), Ints({3})}, {}, "INVALID_ARGUMENT:"},
      {op, {Int(2), Ints({3})}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
