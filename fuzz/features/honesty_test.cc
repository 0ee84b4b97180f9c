// What the generator makes is held against what it promises: each feature really occurs, and the
// default profile does as much work as its figures say. The seeds are fixed.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/direct/direct.h"
#include "fuzz/features/report.h"
#include "fuzz/generate/generate.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/check.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

// Firings of the reference over all runs; -1, and a failed test, when a step fails.
int64_t CountFirings(const Program& program) {
  const Result<Lowered> lowered = Lower(program);
  EXPECT_TRUE(lowered.ok()) << lowered.status().ToString();
  if (!lowered.ok()) return -1;
  const auto session = *reference::Session::Create(lowered->graph.Clone());
  if (!lowered->init.empty()) {
    EXPECT_TRUE(session->Run({}, {}, lowered->init).ok());
  }
  int64_t firings = 0;
  for (int run = 0; run < program.runs; ++run) {
    reference::History history;
    reference::RunOptions options;
    options.history = &history;
    const auto values =
        session->Run(FeedsOf(program, *lowered, run), lowered->fetches, {}, options);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    if (!values.ok()) return -1;
    firings += std::ranges::count_if(
        history.firings, [](const reference::Firing& firing) { return firing.node != nullptr; });
  }
  return firings;
}

Report ReportOf(const Profile& profile, uint64_t programs, bool count_firings) {
  Report report;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, profile);
    Activity activity;
    DirectOptions options;
    options.activity = &activity;
    if (!Check(program).ok() || !Evaluate(program, options).ok()) {
      report.AddInvalid();
      continue;
    }
    report.Add(FeaturesOf(program, &activity), count_firings ? CountFirings(program) : -1);
  }
  return report;
}

TEST(HonestyTest, TheDefaultProfileDoesTheWorkItPromises) {
  const Report report = ReportOf(Profile(), 400, true);
  EXPECT_EQ(report.ValidPercent(), 100);
  EXPECT_GE(report.MedianSize(), 20);
  EXPECT_GE(report.MeanFirings(), 400);
  EXPECT_GE(report.Percent(Feature::kLoopInLoop), 30);
  EXPECT_GE(report.Percent(Feature::kDeadRegion), 30);
  EXPECT_GE(report.Percent(Feature::kDeadLoop), 10);
  EXPECT_GE(report.DeadPercent(), 5);
  EXPECT_GE(report.Percent(Feature::kBroadcastRanks), 5);
  EXPECT_GE(report.Percent(Feature::kBroadcastOnes), 5);
  EXPECT_GE(report.Percent(Feature::kLongFraction), 30);
  EXPECT_GE(report.Percent(Feature::kNegativeDivisor), 5);
}

TEST(HonestyTest, TheDefaultProfileHasEveryFeature) {
  const Report report = ReportOf(Profile(), 2500, false);
  EXPECT_EQ(report.ValidPercent(), 100);
  for (const Feature feature : report.Missing()) {
    const bool special = feature >= Feature::kSpecials && feature <= Feature::kOuterSum;
    if (special) continue;  // only when asked for
    ADD_FAILURE() << "no program has: " << FeatureName(feature);
  }
}

TEST(HonestyTest, SpecialNumbersOccurWhereAskedFor) {
  const Report report = ReportOf(*ProfileOf("specials"), 300, false);
  EXPECT_EQ(report.ValidPercent(), 100);
  EXPECT_GE(report.Percent(Feature::kSpecials), 60);
  EXPECT_GE(report.Percent(Feature::kSpecialExtreme), 5);
  EXPECT_GE(report.Percent(Feature::kEmptyReduction), 3);
}

TEST(HonestyTest, LargeTensorsOccurWhereAskedFor) {
  const Report report = ReportOf(*ProfileOf("tensors"), 150, false);
  EXPECT_EQ(report.ValidPercent(), 100);
  EXPECT_GE(report.Percent(Feature::kLargeTensor), 40);
  EXPECT_GE(report.Percent(Feature::kOuterSum), 10);
}

TEST(HonestyTest, ProfilesDoWhatTheirNamesSay) {
  const auto percent = [](std::string_view name, Feature feature) {
    return ReportOf(*ProfileOf(name), 150, false).Percent(feature);
  };
  EXPECT_GE(percent("deep", Feature::kThreeDeep), 70);
  EXPECT_GE(percent("effects", Feature::kAddInBody), 30);
  EXPECT_GE(percent("arrays", Feature::kArrayReadInLoop), 30);
  EXPECT_GE(percent("gradient", Feature::kBranchInLoop), 15);
  EXPECT_GE(percent("gradient", Feature::kLoopInLoop), 15);
  EXPECT_GE(percent("long", Feature::kManyTrips), 18);
  EXPECT_LE(ReportOf(*ProfileOf("tiny"), 150, false).MedianSize(), 15);
}

}  // namespace
}  // namespace tagflow::fuzz
