// Tests: feature_names.cc, features.cc, report.cc

#include "fuzz/features/features.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/direct/direct.h"
#include "fuzz/features/report.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

Features Of(std::string_view text) {
  const Result<Program> program = ParseProgram(text);
  EXPECT_TRUE(program.ok()) << program.status().ToString();
  Activity activity;
  DirectOptions options;
  options.activity = &activity;
  EXPECT_TRUE(Evaluate(*program, options).ok());
  return FeaturesOf(*program, &activity);
}

// A loop of `bound` trips whose body swaps its variables, in a branch that p takes.
std::string SwapsInBranch(std::string_view p, int bound) {
  return "input v0: bool = " + std::string(p) + "\nv1: int32 = Const " + std::to_string(bound) +
         R"(
v2: int32 = Const 4
v3: int32 = Cond(v0) {
then:
  v4: int32, v5: int32, v6: int32 = While(v1, v1, v2) from 0 step 1 Less most 9 parallel 2 {
  test(v7: int32, v8: int32, v9: int32):
  body(v10: int32, v11: int32, v12: int32):
    v13: int32 = Add(v12, v2)
    return v13, v11
  }
  return v6
else:
  return v2
}
return v3
)";
}

TEST(FeaturesTest, SayHowBlocksNest) {
  const Features features = Of(SwapsInBranch("true", 3));
  EXPECT_TRUE(features.Has(Feature::kLoopInBranch));
  EXPECT_FALSE(features.Has(Feature::kBranchInLoop));
  EXPECT_FALSE(features.Has(Feature::kLoopInLoop));
  EXPECT_EQ(features.depth, 2);
  EXPECT_EQ(features.loop_depth, 1);
  EXPECT_EQ(features.size, 6);
}

TEST(FeaturesTest, SayHowLoopsCount) {
  const Features features = Of(SwapsInBranch("true", 3));
  EXPECT_TRUE(features.Has(Feature::kTripsAboveParallel));
  EXPECT_TRUE(features.Has(Feature::kBoundHit));
  EXPECT_TRUE(features.Has(Feature::kInt32Counter));
  EXPECT_FALSE(features.Has(Feature::kDataBound));
  EXPECT_FALSE(features.Has(Feature::kZeroTrips));
  EXPECT_TRUE(Of(SwapsInBranch("true", 0)).Has(Feature::kZeroTrips));
}

TEST(FeaturesTest, SayWhatBecomesOfVariables) {
  const Features features = Of(SwapsInBranch("true", 3));
  EXPECT_TRUE(features.Has(Feature::kSwapped));
  EXPECT_TRUE(features.Has(Feature::kVariableAndCapture));
  EXPECT_FALSE(features.Has(Feature::kPassedThrough));
  EXPECT_FALSE(features.Has(Feature::kDuplicated));
}

TEST(FeaturesTest, CountCapturesByLevelAndUse) {
  const Features features = Of(SwapsInBranch("true", 3));
  // The branch captures the bound, twice, and the second initial value; the body that value, from
  // two blocks out; the other branch too, as it is.
  EXPECT_EQ(features.captures_by_level, (std::array<int64_t, 4>{0, 3, 1, 0}));
  EXPECT_EQ(features.captures_by_uses, (std::array<int64_t, 3>{3, 1, 0}));
  EXPECT_TRUE(features.Has(Feature::kBareCaptureFromBranch));
}

TEST(FeaturesTest, SayWhatRan) {
  const Features live = Of(SwapsInBranch("true", 3));
  EXPECT_FALSE(live.Has(Feature::kDeadLoop));
  EXPECT_EQ(live.trips[3], 1) << "one loop with 3 to 8 trips";
  const Features dead = Of(SwapsInBranch("false", 3));
  EXPECT_TRUE(dead.Has(Feature::kDeadLoop));
  EXPECT_TRUE(dead.Has(Feature::kDeadRegion));
  EXPECT_EQ(dead.trips, (std::array<int64_t, 8>{}));
  EXPECT_EQ(dead.both_branches, 0);
}

TEST(FeaturesTest, SayHowOperandsBroadcast) {
  const Features ranks = Of(R"(
v0: int32[2,3] = Const [[1, 2, 3], [4, 5, 6]]
v1: int32[3] = Const [1, -2, 3]
v2: bool[2,3] = Less(v1, v0)
v3: int32[2,3] = FloorMod(v0, v1)
return v2, v3
)");
  EXPECT_TRUE(ranks.Has(Feature::kBroadcastRanks));
  EXPECT_TRUE(ranks.Has(Feature::kBroadcastCompared));
  EXPECT_TRUE(ranks.Has(Feature::kNegativeDivisor));
  EXPECT_FALSE(ranks.Has(Feature::kBroadcastOnes));
  const Features ones = Of(R"(
v0: int32[2,1] = Const [[1], [2]]
v1: int32[1,3] = Const [[1, 2, 3]]
v2: int32[2,3] = FloorMod(v0, v1)
return v2
)");
  EXPECT_TRUE(ones.Has(Feature::kBroadcastOnes));
  EXPECT_FALSE(ones.Has(Feature::kBroadcastRanks));
  EXPECT_FALSE(ones.Has(Feature::kBroadcastCompared));
  EXPECT_FALSE(ones.Has(Feature::kNegativeDivisor));
}

TEST(FeaturesTest, TellNumbersApart) {
  const Features long_ones = Of(R"(
v0: double = Const 0.1
v1: int64 = Cast(v0)
return v1
)");
  EXPECT_TRUE(long_ones.Has(Feature::kLongFraction));
  EXPECT_TRUE(long_ones.Has(Feature::kFloatToInteger));
  EXPECT_FALSE(long_ones.Has(Feature::kFloatBeyondInteger));
  const Features large = Of(R"(
v0: double = Const 4294967296
v1: int32 = Cast(v0)
return v1
)");
  EXPECT_TRUE(large.Has(Feature::kFloatBeyondInteger));
  EXPECT_FALSE(large.Has(Feature::kSixteenBits));
  EXPECT_FALSE(large.Has(Feature::kLongFraction));
}

TEST(FeaturesTest, SayWhatWouldFailIfTheBodyRan) {
  const auto dividing_by = [](const std::string& divisor) {
    return Of(
        "v0: int32 = Const 0\nv1: int32 = Const 3\n"
        "v2: int32, v3: int32 = While(v0, v0) from 0 step 1 Less most 0 {\n"
        "test(v4: int32, v5: int32):\nbody(v6: int32, v7: int32):\n"
        "  v8: int32 = FloorDiv(v7, " +
        divisor + ")\n  return v8\n}\nreturn v3\n");
  };
  EXPECT_TRUE(dividing_by("v0").Has(Feature::kDivisionByBound));
  EXPECT_FALSE(dividing_by("v1").Has(Feature::kDivisionByBound));
}

TEST(FeaturesTest, SayWhatIsReduced) {
  const Features features = Of(R"(
v0: int32[3] = Const [1, -2, 3]
v1: int32 = Mean(v0)
v2: float[2] = Const [nan, 1]
v3: float = Max(v2)
return v1, v3
)");
  EXPECT_TRUE(features.Has(Feature::kIntegerMean));
  EXPECT_TRUE(features.Has(Feature::kSpecialExtreme));
  EXPECT_FALSE(features.Has(Feature::kEmptyReduction));
}

TEST(FeaturesTest, SayWhatASumTakesIn) {
  const Features features = Of(R"(
v0: double[2,1] = Const [[1], [2]]
v1: double[1,2] = Const [[3, 4]]
v2: double[2,2] = MatMul(v0, v1)
v3: double[2,2] = Add(v2, v2)
return v3
)");
  EXPECT_TRUE(features.Has(Feature::kOuterSum));
  EXPECT_FALSE(features.Has(Feature::kLargeTensor));
}

TEST(FeaturesTest, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kNumFeatures; ++i) names.insert(FeatureName(static_cast<Feature>(i)));
  EXPECT_EQ(names.size(), kNumFeatures);
  EXPECT_EQ(names.count(""), 0u);
}

TEST(ReportTest, SumsUpPrograms) {
  Report report;
  report.Add(Of(SwapsInBranch("true", 3)), 100);
  report.Add(Of(SwapsInBranch("false", 3)), 50);
  report.AddInvalid();
  EXPECT_EQ(report.programs(), 2);
  EXPECT_NEAR(report.ValidPercent(), 66.7, 0.1);
  EXPECT_EQ(report.MedianSize(), 6);
  EXPECT_EQ(report.MeanFirings(), 75);
  EXPECT_EQ(report.Percent(Feature::kLoopInBranch), 100);
  EXPECT_EQ(report.Percent(Feature::kDeadLoop), 50);
  EXPECT_EQ(report.Count(Feature::kLoopInLoop), 0);
  EXPECT_GT(report.DeadPercent(), 0);
}

TEST(ReportTest, NamesEveryFeatureAndOperation) {
  Report report;
  report.Add(Of(SwapsInBranch("true", 3)), 100);
  const std::string text = report.Text();
  const std::string json = report.Json();
  for (size_t i = 0; i < kNumFeatures; ++i) {
    const std::string name(FeatureName(static_cast<Feature>(i)));
    EXPECT_NE(text.find(name), std::string::npos) << name;
    EXPECT_NE(json.find("\"" + name + "\":"), std::string::npos) << name;
  }
  for (int i = 0; i < kNumOps; ++i) {
    EXPECT_NE(json.find("\"" + std::string(OpName(static_cast<Op>(i))) + "\":"), std::string::npos);
  }
  EXPECT_NE(json.find("\"mean_firings\":100.0"), std::string::npos) << json;
}

}  // namespace
}  // namespace tagflow::fuzz
