#include "conformance/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "conformance/case_file.h"
#include "conformance/test_cases.h"

namespace tagflow::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() { fs::remove_all(folder_); }

  void Write(const std::string& file, const std::string& bytes) {
    const fs::path path = folder_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  void WriteCase(const std::string& file, const std::string& name, const std::string& op) {
    Case test = CaseOf(op);
    test.set_name(name);
    std::string text;
    google::protobuf::TextFormat::PrintToString(test, &text);
    Write(file, file.ends_with(".case") ? test.SerializeAsString() : text);
  }
  std::vector<CaseResult> Run(RunnerOptions options) {
    options.timeout_s = 0.5;
    const EngineFactory factory = []() -> Result<std::unique_ptr<Engine>> {
      return std::unique_ptr<Engine>(StartFakeEngine());
    };
    Result<std::vector<CaseResult>> results =
        RunCases(*FindCases({folder_.string()}), factory, options);
    TAGFLOW_CHECK(results.ok());
    return *results;
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "cases";
};

TEST_F(RunnerTest, FindsCasesByEndingThroughFoldersAndLinks) {
  WriteCase("b/two.case", "two", "Echo");
  WriteCase("a.textproto", "one", "Echo");
  Write("readme.txt", "not a case");
  fs::create_directory_symlink(folder_ / "b", folder_ / "linked");
  fs::create_directory_symlink(folder_, folder_ / "b/loop");
  const Result<std::vector<std::string>> files = FindCases({folder_.string()});
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(*files,
              ElementsAre((folder_ / "a.textproto").string(), (folder_ / "b/two.case").string(),
                          (folder_ / "linked/two.case").string()));
  EXPECT_EQ(FindCases({(folder_ / "nowhere").string()}).status().code(), Code::kNotFound);
  EXPECT_THAT(*FindCases({(folder_ / "readme.txt").string()}),
              ElementsAre(HasSubstr("readme.txt")));
}

TEST_F(RunnerTest, EveryCaseGetsItsVerdictInTheOrderOfFiles) {
  WriteCase("1.textproto", "good", "Echo");
  WriteCase("2.case", "crashing", "Crash");
  WriteCase("3.textproto", "hanging", "Hang");
  WriteCase("4.textproto", "lacking", "Lack");
  WriteCase("5.textproto", "failing", "Fail");
  Write("6.textproto", "name: 'broken' steps {");
  WriteCase("7.textproto", "good again", "Echo");
  for (int jobs : {1, 3}) {
    RunnerOptions options;
    options.jobs = jobs;
    const std::vector<CaseResult> results = Run(options);
    std::vector<Verdict> verdicts;
    for (const CaseResult& result : results) verdicts.push_back(result.verdict);
    EXPECT_THAT(verdicts,
                ElementsAre(Verdict::kPass, Verdict::kCrash, Verdict::kTimeout,
                            Verdict::kUnsupported, Verdict::kFail, Verdict::kFail, Verdict::kPass));
    EXPECT_EQ(results[0].name, "good");
    EXPECT_THAT(results[5].why, HasSubstr("6.textproto:1:"));
    EXPECT_THAT(results[5].name, HasSubstr("6.textproto"));
  }
}

TEST_F(RunnerTest, AnExpectedFailureIsNotBadAndAnUnexpectedPassIs) {
  WriteCase("1.textproto", "good", "Echo");
  WriteCase("2.textproto", "crashing", "Crash");
  RunnerOptions options;
  options.expected_failures = *ExpectedFailures::Parse(
      "# known\ncrashing it does that\n\ngood  was bad once\ngone x\n", "f");
  const std::vector<CaseResult> results = Run(options);
  EXPECT_TRUE(IsBad(results[0]));
  EXPECT_THAT(results[0].why, HasSubstr("passes, but is listed"));
  EXPECT_FALSE(IsBad(results[1]));
  EXPECT_EQ(results[1].expected, "it does that");
  EXPECT_THAT(options.expected_failures.NotAmong(results), ElementsAre("gone"));
}

TEST_F(RunnerTest, AnEngineThatCannotStartIsAnErrorOfTheRun) {
  WriteCase("1.textproto", "good", "Echo");
  const EngineFactory factory = []() -> Result<std::unique_ptr<Engine>> {
    return NotFound("no engine");
  };
  EXPECT_EQ(RunCases(*FindCases({folder_.string()}), factory, {}).status().message(), "no engine");
}

}  // namespace
}  // namespace tagflow::conformance
