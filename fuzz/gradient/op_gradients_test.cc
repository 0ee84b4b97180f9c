// The gradient of every op, as graph, against the tape, at the calls at which the tape's
// derivatives are checked against finite differences; and the gradients of those gradients. Each
// call is made twice: with shapes and constants known when the graph is built, and with none known.
//
// Tests: op_chain.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "fuzz/gradient/op_chain.h"

namespace tagflow::fuzz {
namespace {

using reference::AdjointCall;
using reference::AdjointCalls;

void ExpectRight(const AdjointCalls& calls, int orders) {
  for (const AdjointCall& call : calls) {
    for (const bool is_known : {true, false}) {
      OpChain chain(call, {.is_known = is_known});
      EXPECT_FALSE(chain.done()) << call.ToString();
      for (int order = 1; order <= std::min(orders, call.orders_max) && !chain.done(); ++order) {
        EXPECT_EQ(chain.StepByTape(), "")
            << "order " << order << (is_known ? "" : ", not known") << ", of " << call.ToString();
      }
    }
  }
}

TEST(OpGradients, OfActivations) { ExpectRight(reference::ActivationCalls(), 3); }
TEST(OpGradients, OfConvolutions) { ExpectRight(reference::ConvolutionCalls(), 3); }
TEST(OpGradients, OfDecompositions) { ExpectRight(reference::DecompositionCalls(), 2); }
TEST(OpGradients, OfDiagonals) { ExpectRight(reference::DiagonalCalls(), 2); }
TEST(OpGradients, OfEinsum) { ExpectRight(reference::EinsumCalls(), 3); }
TEST(OpGradients, OfImages) { ExpectRight(reference::ImageCalls(), 2); }
TEST(OpGradients, OfWholeMatrices) { ExpectRight(reference::LinalgCalls(), 2); }
TEST(OpGradients, OfArithmetic) { ExpectRight(reference::MathCalls(), 2); }
TEST(OpGradients, OfProducts) { ExpectRight(reference::MatrixCalls(), 3); }
TEST(OpGradients, OfNormalization) { ExpectRight(reference::NormalizationCalls(), 2); }
TEST(OpGradients, OfPooling) { ExpectRight(reference::PoolingCalls(), 2); }
TEST(OpGradients, OfRandomNumbers) { ExpectRight(reference::RandomCalls(), 1); }
TEST(OpGradients, OfRaggedTensors) { ExpectRight(reference::RaggedCalls(), 2); }
TEST(OpGradients, OfReductions) { ExpectRight(reference::ReductionCalls(), 2); }
TEST(OpGradients, OfSegments) { ExpectRight(reference::SegmentCalls(), 2); }
TEST(OpGradients, OfSequences) { ExpectRight(reference::SequenceCalls(), 2); }
TEST(OpGradients, OfSparseTensors) { ExpectRight(reference::SparseCalls(), 2); }
TEST(OpGradients, OfSoftmax) { ExpectRight(reference::SoftmaxCalls(), 2); }
TEST(OpGradients, OfSpecialFunctions) { ExpectRight(reference::SpecialCalls(), 2); }

// One call of each op.
TEST(OpGradients, ToThirdOrder) {
  AdjointCalls calls;
  for (const AdjointCall& call : reference::AllAdjointCalls()) {
    if (calls.empty() || calls.back().op != call.op) calls.push_back(call);
  }
  ExpectRight(calls, 3);
}

TEST(OpGradients, AreRefusedByParametersThatNobodyCanDifferentiateBy) {
  const Tensor x = Tensor::Vector<double>({0.5, 0.25});
  for (const AdjointCall& call :
       AdjointCalls{{"Betainc", {x, x, x}}, {"Zeta", {x, x}}, {"IgammaGradA", {x, x}}}) {
    OpChain chain(call, {});
    EXPECT_EQ(chain.StepByTape().substr(0, 13), "UNIMPLEMENTED") << call.op;
  }
}

TEST(OpGradients, AtCornersTakeTheSideThatTheTapeTakes) {
  ExpectRight(reference::CornerCalls(), 1);
}

TEST(OpGradients, OfFloatsAreThoseOfTheTape) {
  for (const AdjointCall& call : reference::AllAdjointCalls()) {
    const CallOf floats = AsDType(call, DType::kFloat);
    if (!floats.is_there) continue;
    OpChain chain(floats.call, {});
    EXPECT_FALSE(chain.done()) << floats.call.ToString();
    EXPECT_EQ(chain.StepByTape(), "") << floats.call.ToString();
  }
}

TEST(OpGradients, AreThereForNarrowFloats) {
  for (const AdjointCall& call : reference::AllAdjointCalls()) {
    for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
      const CallOf narrow = AsDType(call, dtype);
      if (!narrow.is_there) continue;
      OpChain chain(narrow.call, {});
      if (!chain.HasKernel()) continue;
      EXPECT_FALSE(chain.done()) << narrow.call.ToString();
      for (int order = 1; order <= std::min(2, call.orders_max) && !chain.done(); ++order) {
        EXPECT_EQ(chain.Step(), "") << narrow.call.ToString();
      }
    }
  }
}

// Square factors have derivatives where the shapes say that they are determined.
TEST(OpGradients, OfFullDecompositions) {
  for (const AdjointCall& call : reference::FullDecompositionCalls()) {
    OpChain known(call, {});
    for (int order = 1; order <= 2; ++order) EXPECT_EQ(known.StepByTape(), "") << call.ToString();
    OpChain unknown(call, {.is_known = false});
    EXPECT_EQ(unknown.Step().substr(0, 13), "UNIMPLEMENTED") << call.ToString();
  }
  reference::Numbers numbers;
  const AttrMap full = {{"full_matrices", true}};
  for (const AdjointCall& call : AdjointCalls{{"Qr", {numbers({3, 2}, -1, 1)}, full},
                                              {"Svd", {numbers({4, 2}, -1, 1)}, full}}) {
    OpChain chain(call, {});
    EXPECT_EQ(chain.Step().substr(0, 13), "UNIMPLEMENTED") << call.ToString();
  }
}

// Whose phase is not what the gradient takes it to be.
bool HasFreePhases(const AdjointCall& call) {
  const auto has = [&](const char* name) {
    return std::ranges::any_of(call.attrs, [&](const auto& attr) {
      return attr.first == name && attr.second == AttrValue(true);
    });
  };
  return has("compute_v") || has("compute_uv") || has("full_matrices");
}

// What Cholesky factors of Hermitian matrices are, finite differences of one element cannot say.
TEST(OpGradients, OfComplexNumbersAreFiniteDifferences) {
  for (const AdjointCall& call : reference::AllAdjointCalls()) {
    const CallOf complex = AsDType(call, DType::kComplex128);
    if (!complex.is_there || call.op == "Cholesky" || HasFreePhases(call)) continue;
    OpChain chain(complex.call, {});
    if (!chain.HasKernel()) continue;
    EXPECT_FALSE(chain.done()) << complex.call.ToString();
    for (int order = 1; order <= 2 && !chain.done(); ++order) {
      EXPECT_EQ(chain.StepByFiniteDifferences(), "")
          << "order " << order << ", of " << complex.call.ToString();
    }
  }
}

TEST(OpGradients, BetweenRealAndComplexNumbersAreFiniteDifferences) {
  const std::vector<std::complex<double>> numbers = {{1, 2}, {-0.5, 1}, {0.5, -2}};
  const Tensor z = Tensor::Vector(numbers);
  const AttrMap to_real = {{"Tout", DType::kDouble}};
  AdjointCalls calls = {{"Conj", {z}},
                        {"Complex",
                         {Tensor::Vector<double>({1, 2}), Tensor::Scalar(3.0)},
                         {{"Tout", DType::kComplex128}}},
                        {"Cast", {z}, {{"DstT", DType::kDouble}}},
                        {"Cast", {Tensor::Vector<double>({1, 2})}, {{"DstT", DType::kComplex128}}}};
  for (const char* op : {"FFT", "IFFT"}) calls.push_back({op, {z}});
  for (const char* op : {"FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    calls.push_back({op, {z.Reshaped(Dims{1, 3, 1})}});
  }
  // Of all numbers there are, and of fewer; of even and of odd lengths.
  const Tensor x = Tensor::Of<double>(Dims{2, 1, 4}, std::vector<double>{1, 2, 0, 3, -1, 1, 2, .5});
  for (const int length : {4, 3, 2, 1}) {
    calls.push_back(
        {"RFFT", {x, Tensor::Vector<int32_t>({length})}, {{"Tcomplex", DType::kComplex128}}});
    calls.push_back(
        {"RFFT2D", {x, Tensor::Vector<int32_t>({1, length})}, {{"Tcomplex", DType::kComplex128}}});
    calls.push_back({"RFFT3D",
                     {x, Tensor::Vector<int32_t>({2, 1, length})},
                     {{"Tcomplex", DType::kComplex128}}});
    calls.push_back({"IRFFT", {z, Tensor::Vector<int32_t>({length})}, {{"Treal", DType::kDouble}}});
    const Tensor rows = z.Reshaped(Dims{1, 1, 3});
    calls.push_back(
        {"IRFFT2D", {rows, Tensor::Vector<int32_t>({1, length})}, {{"Treal", DType::kDouble}}});
    calls.push_back({"IRFFT3D",
                     {rows, Tensor::Vector<int32_t>({1, 1, length + 1})},
                     {{"Treal", DType::kDouble}}});
  }
  for (const char* op : {"Real", "Imag", "ComplexAbs", "Angle"}) {
    calls.push_back({op, {z}, to_real});
  }
  for (const AdjointCall& call : calls) {
    OpChain chain(call, {});
    EXPECT_FALSE(chain.done()) << call.op;
    for (int order = 1; order <= 2 && !chain.done(); ++order) {
      EXPECT_EQ(chain.StepByFiniteDifferences(), "") << "order " << order << ", of " << call.op;
    }
  }
}

TEST(OpGradients, AWrongOneIsFound) {
  GradientRegistry registry;
  ASSERT_TRUE(registry
                  .Register("Sin",
                            [](NodeGradient& node) {
                              node.Give(0, Mul(node.scope(), node.grad(0),
                                               Sin(node.scope(), node.input(0))));
                              return Status();
                            })
                  .ok());
  const AdjointCall call = {"Sin", {Tensor::Vector<double>({0.5, 0.25})}};
  OpChain by_tape(call, {.registry = &registry});
  EXPECT_EQ(by_tape.StepByTape().substr(0, 10), "by input0[");
  OpChain by_differences(call, {.registry = &registry});
  EXPECT_EQ(by_differences.StepByFiniteDifferences().substr(0, 10), "by input0[");
}

}  // namespace
}  // namespace tagflow::fuzz
