// `tagflow fuzz` in this process; cli/fuzz_command_test.py runs it from outside.
// Tests: fuzz_command.cc, listing.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/command/commands.h"
#include "fuzz/command/listing.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

int Fuzz(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "fuzz");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return FuzzCommand(static_cast<int>(pointers.size()), pointers.data());
}

TEST(FuzzCommandTest, ExitCodes) {
  const fs::path folder = fs::path(::testing::TempDir()) / "fuzz_command_test";
  fs::remove_all(folder);
  EXPECT_EQ(Fuzz({"--count", "5", "--profile", "tiny"}), 0);
  EXPECT_EQ(Fuzz({"--count", "8", "--profile", "tiny", "--mutant", "switch.1-outputs-exchanged",
                  "--shrink-seconds", "0", "--save", folder.string()}),
            1);
  EXPECT_FALSE(fs::is_empty(folder));
  EXPECT_EQ(Fuzz({"--property", "nothing"}), 2);
  EXPECT_EQ(Fuzz({"--fly"}), 2);
  EXPECT_EQ(Fuzz({"--help"}), 0);
}

TEST(FuzzCommandTest, TheReportIsWrittenOrTheCommandIsWrong) {
  const std::string path = ::testing::TempDir() + "/fuzz_command_test.json";
  EXPECT_EQ(Fuzz({"--count", "5", "--profile", "tiny", "--report", path}), 0);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"programs\":5"));
  EXPECT_THAT(text.str(), HasSubstr("\"features\":{"));
  EXPECT_EQ(Fuzz({"--count", "5", "--report", "no/such/folder/report.json"}), 2);
}

TEST(FuzzCommandTest, TheListHasPropertiesProfilesAndMutants) {
  const std::string listing = Listing();
  EXPECT_THAT(listing, HasSubstr("properties:\n  equal "));
  EXPECT_THAT(listing, HasSubstr("profiles:\n  default "));
  EXPECT_THAT(listing, HasSubstr("\n  switch.1-outputs-exchanged "));
  EXPECT_EQ(Fuzz({"--list"}), 0);
}

}  // namespace
}  // namespace tagflow::fuzz
