// `tagflow check` as a whole, on the reference in this process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "conformance/commands.h"

namespace tagflow::conformance {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kGraph = R"(
  graph { node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
          node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
          node { name: "odd" op: "NobodyHasThis" input: "x" } }
  steps { feeds { name: "x" value { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } )";

class CheckCommandTest : public ::testing::Test {
 protected:
  CheckCommandTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void WriteCase(const std::string& name, const std::string& step) {
    std::ofstream(folder_ / (name + ".textproto"))
        << "name: '" << name << "'" << kGraph << step << " }";
  }
  int Check(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"check", "--in-process"});
    arguments.insert(arguments.end(), {"--tsv", tsv_.string(), folder_.string()});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return CheckCommand(static_cast<int>(pointers.size()), pointers.data());
  }
  std::string Tsv() const {
    std::ostringstream text;
    text << std::ifstream(tsv_).rdbuf();
    return text.str();
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "check_command";
  const fs::path tsv_ = fs::path(::testing::TempDir()) / "check_command.tsv";
  const std::string right_ =
      "fetches: 'y' expect { any_of { dtype: DT_FLOAT tensor_shape {} float_val: -2 } }";
  const std::string wrong_ =
      "fetches: 'y' expect { any_of { dtype: DT_FLOAT tensor_shape {} float_val: 2 } }";
  const std::string lacking_ =
      "fetches: 'odd' expect { any_of { dtype: DT_FLOAT tensor_shape {} float_val: 2 } }";
};

TEST_F(CheckCommandTest, AllPass) {
  WriteCase("right", right_);
  EXPECT_EQ(Check({}), 0);
  EXPECT_EQ(Tsv(), "right\tPASS\t\n");
}

TEST_F(CheckCommandTest, AWrongValueIsAnExitCode) {
  WriteCase("right", right_);
  WriteCase("wrong", wrong_);
  EXPECT_EQ(Check({}), 1);
  EXPECT_THAT(Tsv(), HasSubstr("right\tPASS\t\nwrong\tFAIL\tfetch 'y': the value is"));
}

TEST_F(CheckCommandTest, WhatTheEngineLacksIsNamedAndNoFailure) {
  WriteCase("lacking", lacking_);
  EXPECT_EQ(Check({}), 0);
  EXPECT_THAT(Tsv(), HasSubstr("lacking\tUNSUPPORTED\t"));
  EXPECT_THAT(Tsv(), HasSubstr("NobodyHasThis"));
}

TEST_F(CheckCommandTest, ExpectedFailuresAreExcusedUntilTheyPass) {
  const fs::path list = folder_ / "known.txt";
  WriteCase("wrong", wrong_);
  std::ofstream(list) << "wrong the sign is lost\n";
  EXPECT_EQ(Check({"--expected-failures", list.string()}), 0);
  WriteCase("wrong", right_);
  EXPECT_EQ(Check({"--expected-failures", list.string()}), 1);
}

TEST_F(CheckCommandTest, ReportsAreWritten) {
  WriteCase("right", right_);
  const fs::path junit = folder_ / "out.xml";
  const fs::path html = folder_ / "out.html";
  EXPECT_EQ(Check({"--junit", junit.string(), "--html", html.string()}), 0);
  EXPECT_GT(fs::file_size(junit), 100u);
  EXPECT_GT(fs::file_size(html), 500u);
  EXPECT_EQ(Check({"--html", "/no/such/folder/out.html"}), 2);
}

TEST_F(CheckCommandTest, NothingToRunIsAnError) {
  EXPECT_EQ(Check({}), 2);  // no cases
  EXPECT_EQ(Check({"no/such/path"}), 2);
  EXPECT_EQ(Check({"--engine", "nobody"}), 2);  // in-process, and not built in
}

TEST_F(CheckCommandTest, AShardRunsItsShare) {
  for (const char* name : {"a", "b", "c"}) WriteCase(name, right_);
  EXPECT_EQ(Check({"--shard", "0/2"}), 0);
  EXPECT_EQ(Tsv(), "a\tPASS\t\nc\tPASS\t\n");
}

}  // namespace
}  // namespace tagflow::conformance
