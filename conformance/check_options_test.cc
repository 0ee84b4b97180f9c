#include "conformance/check_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CheckOptions, EveryOptionIsRead) {
  const Result<CheckOptions> options = ParseCheckOptions(
      {"--engine", "reference", "--in-process", "--tsv=t", "--junit", "j", "--html", "h", "--jobs",
       "3", "--timeout", "1.5", "--expected-failures", "e", "--shard", "1/4", "a", "b"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->engine.engine, "reference");
  EXPECT_TRUE(options->engine.in_process);
  EXPECT_EQ(options->tsv, "t");
  EXPECT_EQ(options->junit, "j");
  EXPECT_EQ(options->html, "h");
  EXPECT_EQ(options->jobs, 3);
  EXPECT_EQ(options->timeout_s, 1.5);
  EXPECT_EQ(options->expected_failures, "e");
  EXPECT_EQ(options->shard, 1);
  EXPECT_EQ(options->shards, 4);
  EXPECT_THAT(options->paths, ElementsAre("a", "b"));
}

TEST(CheckOptions, AfterTwoDashesEverythingIsAPath) {
  EXPECT_THAT(ParseCheckOptions({"--", "--jobs"})->paths, ElementsAre("--jobs"));
}

TEST(CheckOptions, MistakesAreNamed) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"--jobs", "0", "p"},      {"--jobs", "many", "p"},   {"--timeout", "0", "p"},
      {"--timeout", "inf", "p"}, {"--timeout", "nan", "p"}, {"--shard", "2/2", "p"},
      {"--shard", "1", "p"},     {"--engine", "", "p"}};
  for (const auto& arguments : mistakes) {
    EXPECT_THAT(ParseCheckOptions(arguments).status().message(), HasSubstr(arguments[0]));
  }
  EXPECT_THAT(ParseCheckOptions({"--frobnicate", "p"}).status().message(),
              HasSubstr("--frobnicate"));
  EXPECT_THAT(ParseCheckOptions({"p", "--tsv"}).status().message(),
              HasSubstr("--tsv needs a value"));
  EXPECT_FALSE(ParseCheckOptions({}).ok());
}

TEST(CheckOptions, HelpNeedsNoPath) { EXPECT_TRUE(ParseCheckOptions({"--help"})->help); }

}  // namespace
}  // namespace tagflow::conformance
