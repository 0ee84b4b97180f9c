// Every derivative against what the op itself does when an input moves a little, at the calls that
// the gradients of graphs are checked at too.
//
// Tests: adjoint_calls_convolution.cc, adjoint_calls_decomposition.cc, adjoint_calls_image.cc,
//        adjoint_calls_math.cc, adjoint_calls_matrix.cc, adjoint_calls_ragged.cc,
//        adjoint_calls_resize.cc, adjoint_calls_sequence.cc, adjoint_calls_sparse.cc,
//        adjoint_tables.cc, adjoints_activation.cc, adjoints_convolution.cc,
//        adjoints_decomposition.cc, adjoints_diagonal.cc, adjoints_einsum.cc, adjoints_image.cc,
//        adjoints_linalg.cc, adjoints_math.cc, adjoints_matrix.cc, adjoints_normalization.cc,
//        adjoints_pooling.cc, adjoints_quantization.cc, adjoints_random.cc, adjoints_ragged.cc,
//        adjoints_reduction.cc, adjoints_segment.cc, adjoints_sequence.cc, adjoints_softmax.cc,
//        adjoints_sparse.cc, adjoints_special.cc, matrix.cc

#include "reference/tape/adjoint_calls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/kernels/special_functions.h"
#include "reference/tape/test_adjoints.h"

namespace tagflow::reference {
namespace {

void ExpectRight(const AdjointCalls& calls) {
  for (const AdjointCall& call : calls) {
    const auto moves = [&](size_t slot) { return call.Moves(slot); };
    EXPECT_EQ(
        WrongBy(call.op, call.inputs, call.attrs, moves, AdjointTable::Standard(), call.unused), 0)
        << call.ToString();
  }
}

TEST(AdjointCalls, OfActivations) { ExpectRight(ActivationCalls()); }
TEST(AdjointCalls, OfDecompositions) { ExpectRight(DecompositionCalls()); }
TEST(AdjointCalls, OfFullDecompositions) { ExpectRight(FullDecompositionCalls()); }
TEST(AdjointCalls, OfDiagonals) { ExpectRight(DiagonalCalls()); }
TEST(AdjointCalls, OfEinsum) { ExpectRight(EinsumCalls()); }
TEST(AdjointCalls, OfArithmetic) { ExpectRight(MathCalls()); }
TEST(AdjointCalls, OfProducts) { ExpectRight(MatrixCalls()); }
TEST(AdjointCalls, OfNormalization) { ExpectRight(NormalizationCalls()); }
TEST(AdjointCalls, OfImages) { ExpectRight(ImageCalls()); }
TEST(AdjointCalls, OfPooling) { ExpectRight(PoolingCalls()); }
TEST(AdjointCalls, OfRaggedTensors) { ExpectRight(RaggedCalls()); }
TEST(AdjointCalls, OfReductions) { ExpectRight(ReductionCalls()); }
TEST(AdjointCalls, OfSegments) { ExpectRight(SegmentCalls()); }
TEST(AdjointCalls, OfConvolutions) { ExpectRight(ConvolutionCalls()); }
TEST(AdjointCalls, OfSequences) { ExpectRight(SequenceCalls()); }
TEST(AdjointCalls, OfSparseTensors) { ExpectRight(SparseCalls()); }
TEST(AdjointCalls, OfSoftmax) { ExpectRight(SoftmaxCalls()); }
TEST(AdjointCalls, OfSpecialFunctions) { ExpectRight(SpecialCalls()); }

TEST(AdjointCalls, OfWholeMatrices) {
  AdjointCalls calls = LinalgCalls();
  std::erase_if(calls, [](const AdjointCall& call) { return call.op == "Cholesky"; });
  ExpectRight(calls);
}

// Only the lower triangle is read; the derivative is that of a symmetric matrix.
TEST(AdjointCalls, OfCholeskyFactorsOfSymmetricMatrices) {
  for (const AdjointCall& call : LinalgCalls()) {
    if (call.op != "Cholesky") continue;
    Firing firing = Fire(call.op, call.inputs, call.attrs);
    const Adjoint found = Adjoints(firing, AdjointTable::Standard())[0];
    for (size_t i = 0; i < found.gradient.size(); ++i) {
      const size_t mirrored = i / 9 * 9 + i % 3 * 3 + i / 3 % 3;
      const double both = firing.FiniteDifference(0, i) + firing.FiniteDifference(0, mirrored);
      EXPECT_NEAR(found.gradient[i], both / 2, 1e-6) << i;
    }
  }
}

// The sampler accepts and rejects, so it does not move smoothly; its distribution does.
TEST(AdjointCalls, OfGammaNumbersThatKeepTheirRank) {
  const Tensor seed = Tensor::Vector<int32_t>({3, 4});
  Firing firing =
      Fire("StatelessRandomGammaV2",
           {Tensor::Vector<int32_t>({2, 3}), seed, Tensor::Vector<double>({.7, 1, 4})}, {});
  for (std::vector<double>& weights : firing.weights) std::fill(weights.begin(), weights.end(), 1);
  const std::vector<double> slopes = Adjoints(firing, AdjointTable::Standard())[2].gradient;
  const std::vector<double> alpha = ToDoubles(firing.inputs[2]), x = ToDoubles(firing.outputs[0]);
  for (size_t k = 0; k < 3; ++k) {
    double expected = 0;
    for (const double sample : {x[k], x[k + 3]}) {
      const double h = 1e-5;
      const auto slope = [&](double a, double b) {
        return (LowerGamma(alpha[k] + a, sample + b) - LowerGamma(alpha[k] - a, sample - b)) / h;
      };
      expected -= slope(h, 0) / slope(0, h);
    }
    EXPECT_NEAR(slopes[k], expected, 1e-6 * std::fabs(expected));
  }
}

TEST(AdjointCalls, AreTheSameInEachRun) {
  EXPECT_EQ(MathCalls()[0].ToString(), MathCalls()[0].ToString());
  EXPECT_GT(AllAdjointCalls().size(), 500);
}

}  // namespace
}  // namespace tagflow::reference
