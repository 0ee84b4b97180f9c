// The distributions. The numbers themselves: conformance/ops/random.ops.

#include "reference/kernels/candidate_distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace tagflow::reference {
namespace {

// That each class of [0, classes) comes as often as its probability says, among so many.
void ExpectShares(const ClassDistribution& distribution, int64_t classes) {
  constexpr int kDraws = 40000;
  PhiloxWords words(Philox(3, 5));
  std::map<int64_t, int> counts;
  for (int i = 0; i < kDraws; ++i) ++counts[distribution.Draw(words)];
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) {
    sum += distribution.ProbabilityOf(k);
    EXPECT_NEAR(counts[k] / double{kDraws}, distribution.ProbabilityOf(k), 0.012) << k;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_LE(std::ssize(counts), classes);
}

TEST(CandidateDistributions, AreWhatTheirProbabilitiesSay) {
  ExpectShares(UniformClasses(7), 7);
  ExpectShares(LogUniformClasses(7), 7);
  ExpectShares(WeightedClasses({1, 0, 3, 0.5, 10, 2, 0.25}), 7);
  const std::map<int64_t, int64_t> counts = {{1, 1}, {4, 4}, {5, 1}};
  ExpectShares(CountedClasses(6, counts), 6);
  EXPECT_FLOAT_EQ(CountedClasses(6, counts).ProbabilityOf(4), 5.0F / 12);
}

TEST(CandidateDistributions, SomeWeightsAreTooSmallEverToCome) {
  EXPECT_EQ(WeightedClasses({1, 0, 1}).Drawable(), (std::set<int64_t>{0, 2}));
  EXPECT_EQ(WeightedClasses({1, 1e-10F, 1}).Drawable().size(), 3u);  // where the number is 0
  EXPECT_EQ(WeightedClasses({1e30F, 1e-30F}).Drawable(), std::set<int64_t>{0});
}

}  // namespace
}  // namespace tagflow::reference
