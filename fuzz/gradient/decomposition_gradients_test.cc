// Gradients of what is made of decompositions of complex matrices and does not hang on the phases
// of vectors, of which each engine has its own: on both engines, against finite differences.
//
// Tests: transform/gradients/decomposition_gradients.cc

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "fuzz/gradient/test_orders.h"

namespace tagflow::fuzz {
namespace {

using MakeParts = std::function<Output(const Scope& scope, const Output& matrix)>;

// Little numbers, with 2, 4, 6 … on the diagonal.
Tensor Graded(const Dims& dims) {
  std::uniform_real_distribution<double> draw(-0.4, 0.4);
  std::vector<double> values(static_cast<size_t>(*NumElements(dims)));
  const auto columns = static_cast<size_t>(dims[1]);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_diagonal = i / columns == i % columns;
    values[i] = draw(random_bits) + (is_diagonal ? 2 * static_cast<double>(i % columns + 1) : 0);
  }
  return Tensor::Of<double>(dims, values);
}

Output Total(const Scope& scope, const Output& x) {
  return Sum(scope, Reshape(scope, x, Const(scope, std::vector<int32_t>{-1})), 0);
}

// The gradients of the sum of squares of both parts of what `make` makes of re + i im.
void ExpectDifferences(const Dims& dims, const MakeParts& make) {
  const Scope scope = Scope::Root();
  const Output re = Placeholder(scope.WithOpName("re"), DType::kDouble, dims);
  const Output im = Placeholder(scope.WithOpName("im"), DType::kDouble, dims);
  const AttrMap to_real = {{"Tout", DType::kDouble}};
  const Output made = make(scope, Op(scope, "Complex", {re, im}, {{"Tout", DType::kComplex128}}));
  const Output real = Op(scope, "Real", {made}, to_real), imag = Op(scope, "Imag", {made}, to_real);
  const Output y =
      Add(scope, Total(scope, Op(scope, "Sin", {real})), Total(scope, Op(scope, "Exp", {imag})));
  const Result<OutputList> gradients = Gradients(scope, {y}, {re, im}, {}, {});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  const Feeds feeds = {{"re", Graded(dims)}, {"im", RandomDoubles(dims)}};
  const std::vector<Tensor> found = ByReference(scope, feeds, *gradients);
  const std::vector<Tensor> by_engine = ByEngine(scope, feeds, *gradients);
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(by_engine.size(), 2U);
  for (size_t k = 0; k < 2; ++k) {
    for (int64_t i = 0; i < found[k].num_elements(); ++i) {
      constexpr double kStep = 1e-5;
      const auto moved = [&](double by) {
        Feeds near = feeds;
        near[k].second = *near[k].second.Clone();
        near[k].second.mutable_data<double>()[i] += by;
        return ByReference(scope, near, {y})[0].data<double>()[0];
      };
      const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      const double bound = 1e-6 * (1 + std::fabs(slope));
      EXPECT_NEAR(found[k].data<double>()[i], slope, bound) << feeds[k].first << i;
      EXPECT_NEAR(by_engine[k].data<double>()[i], slope, bound) << feeds[k].first << i;
    }
  }
}

Output Times(const Scope& scope, const Output& x, const Output& y, bool adjoint_y) {
  return Op(scope, "BatchMatMulV2", {x, y}, {{"adj_y", adjoint_y}});
}
Output Row(const Scope& scope, const Output& numbers) { return ExpandDims(scope, numbers, -2); }

// v f(e) v*, of which the matrix itself is one: here with squares.
TEST(DecompositionGradients, OfAFunctionOfAHermitianMatrix) {
  ExpectDifferences({3, 3}, [](const Scope& scope, const Output& matrix) -> Output {
    const Operation parts = Op(scope, "SelfAdjointEigV2", {matrix});
    const Output scaled = Mul(scope, parts[1], Row(scope, Square(scope, parts[0])));
    return Times(scope, scaled, parts[1], true);
  });
}

// u f(s) v*: both vectors of a value turn alike.
TEST(DecompositionGradients, OfAFunctionOfSingularValues) {
  for (const Dims& dims : {Dims{3, 3}, Dims{4, 2}, Dims{2, 3}}) {
    ExpectDifferences(dims, [](const Scope& scope, const Output& matrix) -> Output {
      const Operation parts = Op(scope, "Svd", {matrix});
      const Output scaled = Mul(scope, parts[1], Row(scope, Square(scope, parts[0])));
      return Times(scope, scaled, parts[2], true);
    });
  }
}

// The vectors that make v square project onto what the matrix takes to nothing.
TEST(DecompositionGradients, OfAProjection) {
  ExpectDifferences({2, 3}, [](const Scope& scope, const Output& matrix) -> Output {
    const Operation parts = Op(scope, "Svd", {matrix}, {{"full_matrices", true}});
    const Output weights = Const(scope, std::vector<double>{1, 2, 3});
    const Output scaled =
        Mul(scope, parts[2], Row(scope, Cast(scope, weights, DType::kComplex128)));
    return Times(scope, scaled, parts[2], true);
  });
}

}  // namespace
}  // namespace tagflow::fuzz
