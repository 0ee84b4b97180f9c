// Tests: counted_unigrams.cc fixed_unigrams.cc
//
// The numbers themselves: conformance/ops/random.ops.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "optimized/kernels/counted_unigrams.h"
#include "optimized/kernels/fixed_unigrams.h"
#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

// How often each class comes among so many.
template <typename Unigrams>
std::vector<double> Shares(const Unigrams& unigrams, size_t classes) {
  constexpr int kDraws = 40000;
  StreamWords words(Philox(3, 0, 5));
  std::vector<double> shares(classes);
  for (int i = 0; i < kDraws; ++i) {
    shares[static_cast<size_t>(unigrams.Draw(words))] += 1.0 / kDraws;
  }
  return shares;
}

TEST(FixedUnigrams, ClassesComeAsOftenAsTheirWeightsSay) {
  const std::vector<float> weights = {1, 0, 3, 0.5, 10, 2, 0.25};
  const auto unigrams = FixedUnigrams::Of(weights);
  ASSERT_TRUE(unigrams.ok());
  const std::vector<double> shares = Shares(*unigrams, weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_FLOAT_EQ(unigrams->ProbabilityOf(static_cast<int64_t>(i)), weights[i] / 16.75F);
    EXPECT_NEAR(shares[i], weights[i] / 16.75, 0.012) << i;
  }
  EXPECT_EQ(shares[1], 0);
  EXPECT_EQ(unigrams->NumDrawable(), 6);
}

TEST(FixedUnigrams, SomeWeightsAreTooSmallEverToCome) {
  EXPECT_EQ(FixedUnigrams::Of({1, 1e-10F, 1})->NumDrawable(), 3);  // where the fraction is 0
  EXPECT_EQ(FixedUnigrams::Of({1e30F, 1e-30F})->NumDrawable(), 1);
  EXPECT_EQ(FixedUnigrams::Of({2})->NumDrawable(), 1);
}

TEST(FixedUnigrams, WeightsThatAreNoneAreRefused) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float weight : {kInf, -1.0F, std::nanf(""), 3e38F}) {
    EXPECT_EQ(FixedUnigrams::Of({1, weight, 3e38F}).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(FixedUnigrams::Of({0, 0}).status().code(), Code::kInvalidArgument);
}

std::string FileOf(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/weights.csv";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// What is expected of each class among one candidate, by weights in such a file; or the error.
std::string Expected(const std::string& text, const std::vector<int64_t>& classes, int64_t range,
                     int64_t num_shards = 1) {
  const AttrMap attrs = {{"num_true", static_cast<int64_t>(classes.size())},
                         {"num_sampled", int64_t{1}},
                         {"unique", false},
                         {"range_max", range},
                         {"vocab_file", FileOf(text)},
                         {"num_shards", num_shards}};
  OpRunner runner;
  const Tensor truth = Tensor::Of<int64_t>(Dims{1, static_cast<int64_t>(classes.size())}, classes);
  const auto outputs = runner.Run("FixedUnigramCandidateSampler", {truth}, attrs);
  return outputs.ok() ? (*outputs)[1].DebugString() : outputs.status().ToString();
}

TEST(FixedUnigrams, WeightsAreTheLastColumnOfAFile) {
  EXPECT_EQ(Expected("a,1\n\nb,x, 2 \r\n5", {0, 1, 2}, 3), "float[1,3] [[0.125, 0.25, 0.625]]");
  EXPECT_EQ(Expected("a,1\nb,2\nc,3\n", {0, 1}, 2, 2), "float[1,2] [[0.25, 0.75]]");
}

TEST(FixedUnigrams, WhatIsWrongWithAFileIsSaid) {
  for (const char* text : {"a,1\nb,z\n", "a,1\nb,\n", "a,1\nb,2 3\n", "a,1\nb\n"}) {
    EXPECT_NE(Expected(text, {0}, 2).find("Wrong vocabulary format at line: b"), std::string::npos);
  }
  EXPECT_NE(Expected("a,nan\n", {0}, 1).find("finite and not negative"), std::string::npos);
  EXPECT_NE(Expected("", {0}, 1).find("range_max is 1"), std::string::npos);
}

TEST(CountedUnigrams, EachClassWeighsOneAndWhatItWasCounted) {
  CountedUnigrams unigrams(6);
  const std::vector<int64_t> seen = {1, 4, 4, 4, 5, 4};
  unigrams.Count(seen);
  const std::vector<double> weights = {1, 2, 1, 1, 5, 2};
  const std::vector<double> shares = Shares(unigrams, weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_FLOAT_EQ(unigrams.ProbabilityOf(static_cast<int64_t>(i)),
                    static_cast<float>(weights[i] / 12));
    EXPECT_NEAR(shares[i], weights[i] / 12, 0.012) << i;
  }
}

// The classes of a range of many blocks lie in one order, of which a draw takes a place: as a plain
// sum finds it.
TEST(CountedUnigrams, ADrawFindsThePlaceAmongAllClasses) {
  for (const int64_t range : {1, 1023, 1024, 1025, 5000, 1 << 20}) {
    CountedUnigrams unigrams(range);
    std::vector<int64_t> weights(static_cast<size_t>(range), 1), seen;
    for (int64_t i = 0; i < 3000; ++i) seen.push_back(i * i * 7919 % range);
    for (const int64_t value : seen) ++weights[static_cast<size_t>(value)];
    unigrams.Count(seen);
    StreamWords words(Philox(1, 0, 2)), same(Philox(1, 0, 2));
    for (int i = 0; i < 100; ++i) {
      int64_t place = same.Below(static_cast<uint32_t>(range + std::ssize(seen)));
      int64_t value = 0;
      while (place >= weights[static_cast<size_t>(value)]) {
        place -= weights[static_cast<size_t>(value++)];
      }
      ASSERT_EQ(unigrams.Draw(words), value) << range << " " << i;
    }
  }
}

TEST(CountedUnigrams, TheWeightOfAllEndsWhereInt32Does) {
  CountedUnigrams unigrams(CountedUnigrams::kWeightMax - 2);
  const std::vector<int64_t> seen(5, unigrams.range() - 1);
  unigrams.Count(seen);
  EXPECT_FLOAT_EQ(unigrams.ProbabilityOf(seen[0]),
                  3.0F / static_cast<float>(CountedUnigrams::kWeightMax));
  StreamWords words(Philox(1, 0, 2));
  for (int i = 0; i < 100; ++i) EXPECT_LT(unigrams.Draw(words), unigrams.range());
}

}  // namespace
}  // namespace tagflow::optimized
