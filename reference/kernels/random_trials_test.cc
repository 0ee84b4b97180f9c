// The distributions. The numbers themselves: conformance/ops/random.ops.

#include "reference/kernels/random_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace tagflow::reference {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubleMax = std::numeric_limits<double>::max();

struct Moments {
  double mean = 0;
  double variance = 0;
};

// Of 20000 numbers; NaN where one cannot be drawn.
Moments MomentsOf(const std::function<Result<double>(Philox)>& draw) {
  constexpr int kNumbers = 20000;
  Philox stream(17, 4);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kNumbers; ++i, stream.Skip(256)) {
    const Result<double> number = draw(stream);
    if (!number.ok()) return {kNaN, kNaN};
    sum += *number;
    squares += *number * *number;
  }
  const double mean = sum / kNumbers;
  return {mean, squares / kNumbers - mean * mean};
}

// The mean of so many numbers is five deviations of its own from the truth once in a million times;
// the variance of these distributions scatters more.
void ExpectMoments(const std::function<Result<double>(Philox)>& draw, double mean,
                   double variance) {
  const Moments moments = MomentsOf(draw);
  EXPECT_NEAR(moments.mean, mean, 5 * std::sqrt(variance / 20000));
  EXPECT_NEAR(moments.variance, variance, 0.1 * variance);
}

TEST(RandomTrials, GammaNumbersAreDistributedSo) {
  for (const double alpha : {0.3, 0.9, 1.0, 1.1, 4.0, 500.0}) {
    SCOPED_TRACE(alpha);
    ExpectMoments([&](Philox stream) { return GammaNumber(alpha, stream); }, alpha, alpha);
  }
}

TEST(RandomTrials, PoissonNumbersAreDistributedSo) {
  for (const double rate : {0.1, 3.0, 9.9, 10.0, 12.5, 300.0}) {
    SCOPED_TRACE(rate);
    ExpectMoments([&](Philox stream) { return PoissonNumber(rate, 1e9, stream); }, rate, rate);
  }
}

TEST(RandomTrials, BinomialNumbersAreDistributedSo) {
  const auto expect = [](auto draw, double count, double p) {
    SCOPED_TRACE(count);
    ExpectMoments([&](Philox stream) { return draw(count, p, stream); }, count * p,
                  count * p * (1 - p));
  };
  expect(BinomialNumberOfFew, 20, 0.4);
  expect(BinomialNumberOfFew, 1e6, 3e-6);
  expect(BinomialNumberOfMany, 20, 0.5);
  expect(BinomialNumberOfMany, 40, 0.25);
  expect(BinomialNumberOfMany, 1e6, 0.3);
}

TEST(RandomTrials, WhatNoTrialCanGiveIsAnError) {
  const Philox stream(1, 2);
  EXPECT_EQ(PoissonNumber(kNaN, kDoubleMax, stream).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(PoissonNumber(1e6, 65504, stream).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(BinomialNumberOfFew(kNaN, 0.5, stream).status().code(), Code::kInvalidArgument);
}

TEST(RandomTrials, WhatMeansNothingIsComputedAllTheSame) {
  const Philox stream(1, 2);
  EXPECT_TRUE(std::isnan(*GammaNumber(kNaN, stream)));
  EXPECT_TRUE(std::isnan(*GammaNumber(-1, stream)));
  EXPECT_EQ(*GammaNumber(0, stream), 0);
  EXPECT_EQ(*GammaNumber(kInfinity, stream), kInfinity);
  EXPECT_EQ(*PoissonNumber(kInfinity, kDoubleMax, stream), kInfinity);
  EXPECT_EQ(*PoissonNumber(-kInfinity, kDoubleMax, stream), 0);
}

}  // namespace
}  // namespace tagflow::reference
