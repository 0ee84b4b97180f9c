#include "fuzz/harness/sample.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

namespace tagflow::fuzz {
namespace {

TEST(SampleTest, SeedsOfNeighboursDiffer) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    for (uint64_t index = 0; index < 30; ++index) seeds.insert(ChoiceSeed(seed, index));
  }
  EXPECT_EQ(seeds.size(), 900u);
  EXPECT_EQ(ChoiceSeed(5, 6), ChoiceSeed(5, 6));
}

TEST(SampleTest, DrawnProgramsAreWhatWasChecked) {
  Property property;
  std::vector<int64_t> sizes;
  std::set<uint64_t> seeds;
  property.check = [&](const Program& program, Setting& setting) {
    sizes.push_back(Size(program));
    seeds.insert(setting.seed);
    return Finding::Holds();
  };
  Setting setting;
  for (uint64_t index = 0; index < 20; ++index) {
    const SampleName name{3, index, *ProfileOf("tiny")};
    Sample checked;
    EXPECT_EQ(DrawAndCheck(property, name, setting, &checked).kind, Finding::Kind::kHolds);
    const Result<Sample> drawn = Draw(property, name);
    ASSERT_TRUE(drawn.ok());
    EXPECT_EQ(SizeOf(*drawn), SizeOf(checked));
    EXPECT_EQ(SizeOf(*drawn), sizes.back());
    EXPECT_EQ(drawn->seed, setting.seed);
  }
  EXPECT_EQ(seeds.size(), 20u);
}

TEST(SampleTest, WhatIsNoProgramIsInvalid) {
  Property property;
  property.check = [](const Program&, Setting&) { return Finding::Holds(); };
  Sample sample;
  sample.program.emplace();
  sample.program->body.results = {static_cast<ValueId>(5)};
  Setting setting;
  EXPECT_EQ(CheckSample(property, sample, setting).kind, Finding::Kind::kInvalid);
}

TEST(SampleTest, AFindingComesBackFromAnotherProcess) {
  const Finding finding = Isolated(
      [] {
        return Finding{Finding::Kind::kFails, "two\nlines", 7};
      },
      30);
  EXPECT_EQ(finding.kind, Finding::Kind::kFails);
  EXPECT_EQ(finding.why, "two\nlines");
  EXPECT_EQ(finding.firings, 7);
}

TEST(SampleTest, DeathAndDelayAreFindings) {
  EXPECT_EQ(Isolated([]() -> Finding { std::_Exit(1); }, 30).kind, Finding::Kind::kCrashed);
  const auto wait = []() -> Finding {
    while (true) pause();
  };
  EXPECT_EQ(Isolated(wait, 0.05).kind, Finding::Kind::kHung);
}

}  // namespace
}  // namespace tagflow::fuzz
