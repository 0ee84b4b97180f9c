#include <gtest/gtest.h>

#include "graph/ops/shape_case.h"

namespace tagflow {
namespace {

TEST(RandomOpsTest, StreamsOfAShape) {
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"=[2,3]"}), "[2,3]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"[2]"}), "[?,?]") << op;
    EXPECT_EQ(ShapesOf(op, {}, {"<unknown>"}), "<unknown>") << op;
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]"}), "must be of rank 1");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"=[-2]"}), "the dimension -2");
  }
  EXPECT_EQ(ShapesOf("RandomUniformInt", {}, {"=[2]", "[]", "[]"}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("RandomUniformInt", {}, {"=[2]", "[1]", "[]"}), "a scalar");
  EXPECT_EQ(ShapesOf("RandomShuffle", {}, {"[?,3]"}), "[?,3]");
}

TEST(RandomOpsTest, Classes) {
  EXPECT_EQ(ShapesOf("Multinomial", {}, {"[2,3]", "=5"}), "[2,5]");
  EXPECT_EQ(ShapesOf("Multinomial", {}, {"<unknown>", "[]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("StatelessMultinomial", {}, {"[?,3]", "=5", "[2]"}), "[?,5]");
  EXPECT_PRED2(Contains, ShapesOf("Multinomial", {}, {"[2]", "=5"}), "must be of rank 2");
  EXPECT_PRED2(Contains, ShapesOf("Multinomial", {}, {"[2,3]", "=-2"}), "must not be negative");
}

TEST(RandomOpsTest, SeededAndKeyed) {
  EXPECT_EQ(ShapesOf("StatelessRandomUniform", {}, {"=[2,3]", "[2]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("StatelessRandomUniform", {}, {"=[2,3]", "<unknown>"}), "[2,3]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomNormal", {}, {"=[2]", "[3]"}), "shape [2]");
  EXPECT_EQ(ShapesOf("StatelessRandomUniformInt", {}, {"=[2]", "[?]", "[]", "[]"}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomUniformInt", {}, {"=[2]", "[2]", "[]", "[1]"}),
               "a scalar");
  EXPECT_EQ(ShapesOf("StatelessRandomUniformV2", {}, {"=[2]", "[1]", "[2]", "[]"}), "[2]");
  EXPECT_EQ(ShapesOf("StatelessRandomUniformIntV2", {}, {"=[2]", "[1]", "[2]", "[]", "[]", "[]"}),
            "[2]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessTruncatedNormalV2", {}, {"=[2]", "[2]", "[2]", "[]"}),
               "shape [1]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomNormalV2", {}, {"=[2]", "[1]", "[]", "[]"}),
               "of rank 1");
}

// What the parameters' shape has to do with the output's is seen when numbers are drawn.
TEST(RandomOpsTest, Distributions) {
  EXPECT_EQ(ShapesOf("StatelessRandomGammaV2", {}, {"=[2,3]", "[2]", "[3]"}), "[2,3]");
  EXPECT_EQ(ShapesOf("StatelessRandomPoisson", {}, {"[2]", "<unknown>", "[7]"}), "[?,?]");
  EXPECT_EQ(ShapesOf("StatelessRandomBinomial", {}, {"=[2]", "[?]", "[3]", "[4]"}), "[2]");
  EXPECT_EQ(ShapesOf("StatelessRandomGammaV3", {}, {"=[2]", "[1]", "[2]", "[]", "[2]"}), "[2]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomPoisson", {}, {"=[2]", "[3]", "[]"}),
               "shape [2]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomBinomial", {}, {"[]", "[2]", "[]", "[]"}),
               "of rank 1");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomGammaV3", {}, {"=[2]", "[2]", "[2]", "[]", "[]"}),
               "shape [1]");
  EXPECT_PRED2(Contains,
               ShapesOf("StatelessRandomGammaV3", {}, {"=[2]", "[1]", "[2]", "[1]", "[]"}),
               "a scalar");
}

TEST(RandomOpsTest, KeysOfSeeds) {
  EXPECT_EQ(ShapesOf("StatelessRandomGetKeyCounter", {}, {"[2]"}), "[1] [2]");
  EXPECT_EQ(ShapesOf("StatelessRandomGetKeyCounterAlg", {}, {"<unknown>"}), "[1] [2] []");
  EXPECT_EQ(ShapesOf("StatelessRandomGetAlg", {}, {}), "[]");
  EXPECT_PRED2(Contains, ShapesOf("StatelessRandomGetKeyCounter", {}, {"[3]"}), "shape [2]");
}

TEST(RandomOpsTest, Candidates) {
  for (const char* op :
       {"UniformCandidateSampler", "LogUniformCandidateSampler", "FixedUnigramCandidateSampler",
        "LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"}) {
    const auto shapes = [op](const char* classes) {
      return ShapesOf(op, {{"num_true", 2}, {"num_sampled", 5}, {"unique", true}, {"range_max", 9}},
                      {classes});
    };
    EXPECT_EQ(shapes("[3,2]"), "[5] [3,2] [5]");
    EXPECT_EQ(shapes("<unknown>"), "[5] [?,2] [5]");
    EXPECT_PRED2(Contains, shapes("[3]"), "rank 2");
  }
}

TEST(RandomOpsTest, NumbersForEachParameter) {
  for (const char* op : {"RandomGamma", "RandomPoissonV2"}) {
    EXPECT_EQ(ShapesOf(op, {}, {"=[4,5]", "[2,?]"}), "[4,5,2,?]");
    EXPECT_EQ(ShapesOf(op, {}, {"[2]", "[3]"}), "[?,?,3]");
    EXPECT_EQ(ShapesOf(op, {}, {"[2]", "<unknown>"}), "<unknown>");
    EXPECT_PRED2(Contains, ShapesOf(op, {}, {"[]", "[3]"}), "rank 1");
  }
}

TEST(RandomOpsTest, CandidatesThatAreTrueClasses) {
  EXPECT_EQ(ShapesOf("AllCandidateSampler", {{"num_true", 2}, {"num_sampled", 5}, {"unique", true}},
                     {"[3,2]"}),
            "[5] [3,2] [5]");
  EXPECT_EQ(ShapesOf("ComputeAccidentalHits", {{"num_true", 2}}, {"[3,2]", "[5]"}), "[?] [?] [?]");
  EXPECT_PRED2(Contains, ShapesOf("ComputeAccidentalHits", {{"num_true", 2}}, {"[3]", "[5]"}),
               "must be of rank 2");
}

}  // namespace
}  // namespace tagflow
