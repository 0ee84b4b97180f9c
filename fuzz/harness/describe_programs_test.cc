// Tests: describe_programs.cc, mutant_names.cc

#include "fuzz/harness/describe_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/harness/mutant_names.h"
#include "fuzz/harness/registry.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

TEST(DescribeProgramsTest, TellsOfThoseThatRanAndOfProgramsOnly) {
  Campaign campaign;
  campaign.claims = {{*PropertyOf("equal"), *ProfileOf("tiny")},
                     {*PropertyOf("graphs-orders"), Profile()},
                     {*PropertyOf("equal"), *ProfileOf("default")}};
  Outcome outcome;
  outcome.tallies.resize(3);
  outcome.tallies[0].programs = 12;
  outcome.tallies[1].programs = 12;
  const std::vector<std::string> features = DescribePrograms(campaign, outcome);
  ASSERT_EQ(features.size(), 3u);
  EXPECT_THAT(features[0], HasSubstr("12"));
  EXPECT_EQ(features[0].front(), '{');
  EXPECT_EQ(features[1], "");
  EXPECT_EQ(features[2], "") << "nothing ran";
}

TEST(MutantNamesTest, FindsMutants) {
  EXPECT_EQ((*MutantOf("switch.1-outputs-exchanged"))->rule, "switch.1");
  EXPECT_EQ(*MutantOf("none"), nullptr);
  EXPECT_EQ(*MutantOf(""), nullptr);
  EXPECT_THAT(MutantOf("switch.1").status().message(), HasSubstr("--list"));
}

}  // namespace
}  // namespace tagflow::fuzz
