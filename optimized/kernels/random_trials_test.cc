// The distributions. The numbers themselves: conformance/ops/random.ops.

#include "optimized/kernels/random_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace tagflow::optimized {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubleMax = std::numeric_limits<double>::max();

using Draw = std::function<Result<double>(const Philox&)>;

// The mean of so many numbers is five deviations of its own from the truth once in a million times;
// the variance of these distributions scatters more.
void ExpectMoments(const Draw& draw, double mean, double variance) {
  constexpr int kNumbers = 20000;
  const Philox stream(17, 0, 4);
  double sum = 0;
  double squares = 0;
  for (uint64_t i = 0; i < kNumbers; ++i) {
    const Result<double> number = draw(stream.From(256 * i));
    ASSERT_TRUE(number.ok()) << number.status().ToString();
    sum += *number;
    squares += *number * *number;
  }
  EXPECT_NEAR(sum / kNumbers, mean, 5 * std::sqrt(variance / kNumbers));
  const double spread = squares / kNumbers - sum / kNumbers * (sum / kNumbers);
  EXPECT_NEAR(spread, variance, 0.1 * variance);
}

TEST(RandomTrials, GammaNumbersAreDistributedSo) {
  for (const double alpha : {0.3, 0.9, 1.0, 1.1, 4.0, 500.0}) {
    SCOPED_TRACE(alpha);
    ExpectMoments([&](const Philox& stream) { return GammaNumber(alpha, stream); }, alpha, alpha);
  }
}

TEST(RandomTrials, PoissonNumbersAreDistributedSo) {
  for (const double rate : {0.1, 3.0, 9.9, 10.0, 12.5, 300.0}) {
    SCOPED_TRACE(rate);
    ExpectMoments([&](const Philox& stream) { return PoissonNumber(rate, 1e9, stream); }, rate,
                  rate);
  }
}

TEST(RandomTrials, BinomialNumbersAreDistributedSo) {
  const auto expect = [](auto draw, double count, double p) {
    SCOPED_TRACE(count);
    ExpectMoments([&](const Philox& stream) { return draw(count, p, stream); }, count * p,
                  count * p * (1 - p));
  };
  expect(BinomialNumberByGaps, 20, 0.4);
  expect(BinomialNumberByGaps, 1e6, 3e-6);
  expect(BinomialNumberByShape, 20, 0.5);
  expect(BinomialNumberByShape, 40, 0.25);
  expect(BinomialNumberByShape, 1e6, 0.3);
}

TEST(RandomTrials, WhatNoTrialCanGiveIsAnError) {
  const Philox stream(1, 0, 2);
  EXPECT_EQ(PoissonNumber(kNaN, kDoubleMax, stream).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(PoissonNumber(1e6, 65504, stream).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(BinomialNumberByGaps(kNaN, 0.5, stream).status().code(), Code::kInvalidArgument);
}

TEST(RandomTrials, WhatMeansNothingIsComputedAllTheSame) {
  const Philox stream(1, 0, 2);
  EXPECT_TRUE(std::isnan(*GammaNumber(kNaN, stream)));
  EXPECT_TRUE(std::isnan(*GammaNumber(-1, stream)));
  EXPECT_EQ(*GammaNumber(0, stream), 0);
  EXPECT_EQ(*GammaNumber(kInfinity, stream), kInfinity);
  EXPECT_EQ(*PoissonNumber(kInfinity, kDoubleMax, stream), kInfinity);
  EXPECT_EQ(*PoissonNumber(-kInfinity, kDoubleMax, stream), 0);
}

}  // namespace
}  // namespace tagflow::optimized
