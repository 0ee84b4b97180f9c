#include "conformance/command/args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow {
namespace {

using ::testing::HasSubstr;

TEST(ArgsTest, OptionsAndOperandsInAnyOrder) {
  const std::vector<OptionSpec> specs = {{"--feed"}, {"--json", false}, {"--n"}};
  const Result<Args> args =
      Args::Parse({"a", "--feed", "x=1", "--json", "b", "--feed=y=2", "--", "--json"}, specs);
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->operands(), (std::vector<std::string>{"a", "b", "--json"}));
  EXPECT_EQ(args->All("--feed"), (std::vector<std::string>{"x=1", "y=2"}));
  EXPECT_TRUE(args->Has("--json"));
  EXPECT_EQ(args->Last("--feed"), "y=2");
  EXPECT_EQ(args->Last("--n", "7"), "7");
}

TEST(ArgsTest, RefusesWhatItDoesNotKnow) {
  const std::vector<OptionSpec> specs = {{"--n"}, {"--json", false}};
  EXPECT_FALSE(Args::Parse({"--m"}, specs).ok());
  EXPECT_FALSE(Args::Parse({"--n"}, specs).ok());
  EXPECT_FALSE(Args::Parse({"--json=1"}, specs).ok());
}

TEST(ArgsTest, Numbers) {
  const std::vector<OptionSpec> specs = {{"--n"}};
  auto number = [&](const char* text) {
    return Args::Parse({"--n", text}, specs)->Int("--n", 0, 1);
  };
  EXPECT_EQ(*number("12"), 12);
  for (const char* bad : {"0", "-1", "1.5", "x", "", "99999999999999999999"}) {
    EXPECT_FALSE(number(bad).ok()) << bad;
  }
  auto seconds = [&](const char* text) {
    return Args::Parse({"--n", text}, specs)->Seconds("--n", 0);
  };
  EXPECT_EQ(*seconds("0.5"), 0.5);
  for (const char* bad : {"-1", "nan", "inf", "1s"}) EXPECT_FALSE(seconds(bad).ok()) << bad;
  EXPECT_EQ(*Args::Parse({}, specs)->Int("--n", 5, 1), 5);
}

TEST(ArgsTest, RangesAreTold) {
  const Result<Args> args = Args::Parse({"--n", "9", "--t", "700000"}, {{"--n"}, {"--t"}});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(*args->Int("--n", 0, 1, 9), 9);
  EXPECT_THAT(args->Int("--n", 0, 1, 8).status().message(),
              HasSubstr("--n takes a whole number of at least 1 and at most 8, not '9'"));
  EXPECT_THAT(args->Seconds("--t", 0).status().message(), HasSubstr("a week at most"));
}

TEST(ArgsTest, AnEmptyValueCanBeRefused) {
  EXPECT_THAT(Args::Parse({"--n="}, {{"--n"}})->RefuseEmpty().message(), HasSubstr("--n"));
  EXPECT_TRUE(Args::Parse({"--n=1", "--is"}, {{"--n"}, {"--is", false}})->RefuseEmpty().ok());
}

}  // namespace
}  // namespace tagflow
