// The numbers themselves are held to TensorFlow's by recorded cases; here are a few of them, the
// distributions, which no number alone shows, and every error.
//
// Tests: random_trials.cc random_trial_kernels.cc

#include "optimized/kernels/random_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "optimized/kernels/op_runner.h"

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

Tensor Seed() { return Tensor::Vector<int64_t>({1, 2}); }
Tensor Doubles(const std::vector<double>& values) { return Tensor::Vector(values); }

// What TensorFlow gives.
TEST(RandomTrialKernels, KnownNumbers) {
  Check({
      {"StatelessRandomGammaV2",
       {Ints({2, 5}), Seed(), Floats({.1f, .5f, 1, 2, 30})},
       {},
       "float[2,5] [[4.5858954e-08, 0.18136732, 0.22994834, 3.1218414, 33.98386], "
       "[0.0182107, 0.04758992, 1.1978732, 1.9545732, 30.516413]]"},
      {"StatelessRandomPoisson",
       {Ints({2, 5}), Seed(), Floats({.5f, 3, 9.9f, 10, 100})},
       {{"dtype", DType::kInt64}},
       "int64[2,5] [[3, 4, 11, 10, 88], [2, 6, 13, 10, 105]]"},
      {"StatelessRandomBinomial",
       {Ints({2, 2, 2}), Seed(), Tensor::Of<double>(Dims{2, 1}, std::vector<double>{20, 100}),
        Doubles({.3, .9})},
       {},
       "int64[2,2,2] [[[10, 17], [26, 87]], [[9, 18], [34, 96]]]"},
  });
}

TEST(RandomTrialKernels, ASeedIsAKeyAndACounter) {
  OpRunner runner;
  const auto key = runner.Run("StatelessRandomGetKeyCounterAlg", {Seed()});
  ASSERT_TRUE(key.ok());
  const Tensor alpha = Doubles({2, 0.5});
  EXPECT_EQ(
      runner.Text("StatelessRandomGammaV3", {Ints({3, 2}), (*key)[0], (*key)[1], (*key)[2], alpha}),
      runner.Text("StatelessRandomGammaV2", {Ints({3, 2}), Seed(), alpha}));
}

TEST(RandomTrialKernels, EveryDTypeIsDrawn) {
  OpRunner runner;
  for (const DType dtype :
       {DType::kHalf, DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}) {
    const AttrMap attrs = {{"dtype", dtype}};
    const std::string zero = DTypeName(dtype) + "[] 0";
    EXPECT_EQ(runner.Text("StatelessRandomPoisson", {Ints({}), Seed(), Int(-3)}, attrs), zero);
    EXPECT_EQ(runner.Text("StatelessRandomBinomial",
                          {Ints({}), Seed(), Tensor::Scalar(5.0f), Tensor::Scalar(0.0f)}, attrs),
              zero);
  }
  const Tensor half = Tensor::Scalar(HalfFromFloat(0.5f));
  EXPECT_EQ(runner.Text("StatelessRandomBinomial",
                        {Ints({}), Seed(), Tensor::Scalar(HalfFromFloat(0)), half}),
            "int64[] 0");
}

TEST(RandomTrialKernels, SpecialParameters) {
  OpRunner runner;
  const auto poisson = [&](double rate, DType dtype) {
    return runner.Text("StatelessRandomPoisson", {Ints({}), Seed(), Tensor::Scalar(rate)},
                       {{"dtype", dtype}});
  };
  EXPECT_EQ(poisson(kInfinity, DType::kHalf), "half[] inf");
  EXPECT_EQ(poisson(kInfinity, DType::kInt32), "int32[] 0");
  EXPECT_EQ(poisson(1e10, DType::kInt32).rfind("INVALID_ARGUMENT: no Poisson number", 0), 0u);
  const auto binomial = [&](double count, double probability, DType dtype) {
    return runner.Text("StatelessRandomBinomial",
                       {Ints({}), Seed(), Tensor::Scalar(count), Tensor::Scalar(probability)},
                       {{"dtype", dtype}});
  };
  EXPECT_EQ(binomial(5, 1, DType::kInt32), "int32[] 5");
  EXPECT_EQ(binomial(-5, 0.5, DType::kInt32), "int32[] 0");
  EXPECT_EQ(binomial(5, kNaN, DType::kFloat), "float[] nan");
  EXPECT_EQ(binomial(5, kNaN, DType::kInt32), "int32[] -2147483648");
  EXPECT_EQ(binomial(5e9, 1, DType::kInt32), "int32[] -2147483648");
  EXPECT_EQ(binomial(5e9, 1, DType::kInt64), "int64[] 5000000000");
  EXPECT_EQ(binomial(1e300, 1, DType::kInt64), "int64[] -9223372036854775808");
  EXPECT_EQ(binomial(kNaN, 0.5, DType::kInt32).rfind("INVALID_ARGUMENT: no binomial", 0), 0u);
}

TEST(RandomTrialKernels, ShapesAndSeedsThatDoNotFit) {
  const Tensor two = Doubles({1, 2});
  const Tensor many = Tensor::Vector<int64_t>({int64_t{1} << 50, 2});
  const Tensor none = Empty(DType::kDouble, Dims{0});
  const Tensor key = Empty(DType::kUInt64, Dims{2});
  Check({
      {"StatelessRandomGammaV2", {Ints({3}), Seed(), two}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomGammaV2", {Ints({}), Seed(), two}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomGammaV2", {Ints({2}), Seed(), none}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomGammaV2", {Ints({0}), Seed(), two}, {}, "double[0] []"},
      {"StatelessRandomGammaV2", {Int(2), Seed(), two}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomGammaV2", {Ints({0}), Ints({1}), two}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomGammaV2", {many, Seed(), two}, {}, "RESOURCE_EXHAUSTED:"},
      {"StatelessRandomBinomial", {many, Seed(), two, two}, {}, "RESOURCE_EXHAUSTED:"},
      {"StatelessRandomBinomial",
       {Ints({3}), Seed(), two, Doubles({1, 2, 3})},
       {},
       "INVALID_ARGUMENT:"},
      {"StatelessRandomBinomial", {Ints({0}), Seed(), two, two}, {}, "INVALID_ARGUMENT:"},
      {"StatelessRandomBinomial", {Ints({0}), Seed(), none, none}, {}, "int64[0] []"},
      {"StatelessRandomBinomial", {Ints({1}), Seed(), Int(2), Int(1)}, {}, "UNIMPLEMENTED:"},
      {"StatelessRandomGammaV3", {Ints({2}), key, key, Int(1), two}, {}, "INVALID_ARGUMENT:"},
  });
}

}  // namespace
}  // namespace tagflow::optimized
