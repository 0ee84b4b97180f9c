// Tests: fuzz_options.cc

#include "fuzz/command/fuzz_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return ParseFuzzOptions(arguments).status().message();
}

TEST(FuzzOptionsTest, DefaultsRunForTenSeconds) {
  const Result<FuzzOptions> options = ParseFuzzOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->seconds, 10.0);
  EXPECT_FALSE(options->count.has_value());
  EXPECT_EQ(options->seed, 1u);
  EXPECT_EQ(options->jobs, 0);
}

TEST(FuzzOptionsTest, AllOfThem) {
  const Result<FuzzOptions> options = ParseFuzzOptions(
      {"--property", "equal", "--property=orders", "--engine", "e",         "--against=a",
       "--seed",     "7",     "--count",           "12",       "--profile", "tiny",
       "--jobs",     "3",     "--report",          "r",        "--save",    "s",
       "--timeout",  "0.5",   "--shrink-seconds",  "0",        "--stop-at", "2",
       "--examine",  "0",     "--mutant",          "m"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_THAT(options->properties, ElementsAre("equal", "orders"));
  EXPECT_EQ(options->engine, "e");
  EXPECT_EQ(options->against, "a");
  EXPECT_EQ(options->mutant, "m");
  EXPECT_EQ(options->seed, 7u);
  EXPECT_EQ(options->count, 12u);
  EXPECT_FALSE(options->seconds.has_value());
  EXPECT_EQ(options->profile, "tiny");
  EXPECT_EQ(options->jobs, 3);
  EXPECT_EQ(options->report, "r");
  EXPECT_EQ(options->save, "s");
  EXPECT_EQ(options->timeout_s, 0.5);
  EXPECT_EQ(options->shrink_s, 0);
  EXPECT_EQ(options->stop_at, 2u);
  EXPECT_EQ(options->examine_max, 0u);
}

TEST(FuzzOptionsTest, AnIndexAloneIsOneProgram) {
  EXPECT_EQ(ParseFuzzOptions({"--index", "5"})->count, 1u);
  EXPECT_EQ(ParseFuzzOptions({"--index", "5", "--count", "3"})->count, 3u);
  EXPECT_FALSE(ParseFuzzOptions({"--index", "5", "--seconds", "3"})->count.has_value());
}

TEST(FuzzOptionsTest, MistakesAreNamed) {
  EXPECT_THAT(ErrorOf({"--fly"}), HasSubstr("--fly"));
  EXPECT_THAT(ErrorOf({"file"}), HasSubstr("'file'"));
  EXPECT_THAT(ErrorOf({"--seed"}), HasSubstr("--seed needs a value"));
  EXPECT_THAT(ErrorOf({"--seed", "x"}),
              HasSubstr("--seed takes a whole number of at least 0, not 'x'"));
  EXPECT_THAT(ErrorOf({"--seed", "-1"}), HasSubstr("--seed"));
  EXPECT_THAT(ErrorOf({"--jobs", "0"}), HasSubstr("--jobs"));
  EXPECT_THAT(ErrorOf({"--jobs", "5000"}), HasSubstr("--jobs"));
  EXPECT_THAT(ErrorOf({"--seconds", "nan"}), HasSubstr("--seconds"));
  EXPECT_THAT(ErrorOf({"--timeout", "0"}), HasSubstr("--timeout"));
  EXPECT_THAT(ErrorOf({"--engine="}), HasSubstr("--engine"));
  EXPECT_THAT(ErrorOf({"--replay", "f", "--count", "3"}), HasSubstr("--replay"));
  EXPECT_THAT(ErrorOf({"--index", "18446744073709551615", "--count", "5"}), HasSubstr("--index"));
}

TEST(FuzzOptionsTest, HelpTeachesByExample) {
  EXPECT_TRUE(ParseFuzzOptions({"--count", "3", "--help"})->help);
  EXPECT_THAT(std::string(kFuzzHelp), HasSubstr("examples:"));
  EXPECT_TRUE(ParseFuzzOptions({"--list"})->list);
}

}  // namespace
}  // namespace tagflow::fuzz
