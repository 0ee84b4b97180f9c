// `tagflow diff` in this process; fuzz_command_test.py runs it from outside.
// Tests: diff.cc, difference_page.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/file.h"
#include "conformance/command/args.h"

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DiffTest : public ::testing::Test {
 protected:
  DiffTest() {
    std::ofstream(path_) << "input x: float = 2\n"
                            "go: bool = Const true\n"
                            "y: float = Cond(go) {\n"
                            "then:\n"
                            "  n: float = Neg(x)\n"
                            "  return n\n"
                            "else:\n"
                            "  return x\n"
                            "}\n"
                            "return y\n";
  }
  const std::string path_ = ::testing::TempDir() + "/diff_test.program";
};

TEST_F(DiffTest, NoDifference) {
  EXPECT_EQ(DiffCommand({path_, "--engine", "reference:3"}), kExitOk);
}

TEST_F(DiffTest, TheEngineAgreesWithTheReference) {
  for (const char* engine : {"optimized", "optimized-tokens:2", "optimized-straight"}) {
    EXPECT_EQ(DiffCommand({path_, "--engine", engine}), kExitOk) << engine;
  }
}

TEST_F(DiffTest, ADifference) {
  EXPECT_EQ(DiffCommand({path_, "--engine", "reference", "--mutant", "switch.1-outputs-exchanged"}),
            kExitFailed);
}

TEST_F(DiffTest, ASavedModelIsMadeReadyAndItsFunctionsArePutInTheirPlaces) {
  const std::string model = "graph/saved/testdata/model";
  for (const char* engine : {"reference:4", "optimized"}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(DiffCommand({model, "--engine", engine, "--feed", "x=[[1,2]]"}), kExitOk);
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_EQ(said.find("failed"), std::string::npos) << said;
    EXPECT_EQ(DiffCommand({model, "--engine", engine, "--signature", "count", "--feed", "n=10"}),
              kExitOk);
  }
  EXPECT_EQ(DiffCommand({model, "--engine", "reference", "--signature", "none"}), kExitBadInput);
}

TEST_F(DiffTest, VariablesAreInitializedBefore) {
  const std::string path = ::testing::TempDir() + "/diff_test.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "shape" value { shape {} } } }
    node { name: "init" op: "Assign" input: "v" input: "x"
           attr { key: "T" value { type: DT_INT32 } } }
    node { name: "more" op: "AssignAdd" input: "v" input: "x"
           attr { key: "T" value { type: DT_INT32 } } })";
  for (const char* engine : {"reference:4", "optimized"}) {
    EXPECT_EQ(DiffCommand(
                  {path, "--engine", engine, "--feed", "x=2", "--fetch", "more", "--init", "init"}),
              kExitOk);
  }
  EXPECT_EQ(DiffCommand({path_, "--engine", "reference:4", "--init", "init"}), kExitUsage);
}

TEST_F(DiffTest, UsageAndInput) {
  EXPECT_EQ(DiffCommand({path_}), kExitUsage);
  EXPECT_EQ(DiffCommand({path_, "--engine", "reference", "--feed", "x=1"}), kExitUsage);
  EXPECT_EQ(DiffCommand({path_, "--engine", "direct"}), kExitBadInput);
  EXPECT_EQ(DiffCommand({path_, "--engine", "reference", "--mutant", "no"}), kExitBadInput);
  EXPECT_EQ(DiffCommand({"none.program", "--engine", "reference"}), kExitBadInput);
  EXPECT_EQ(DiffCommand({"--help"}), kExitOk);
}

TEST_F(DiffTest, ADeviceThatIsNotThereIsAnErrorUnlessSoftly) {
  const std::string path = ::testing::TempDir() + "/diff_test_device.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "x" device: "/device:GPU:0"
           attr { key: "T" value { type: DT_FLOAT } } })";
  std::vector<std::string> words = {path, "--engine", "optimized", "--feed", "x=2", "--fetch", "y"};
  EXPECT_EQ(DiffCommand(words), kExitBadInput);
  words.push_back("--soft-placement");
  EXPECT_EQ(DiffCommand(words), kExitOk);
}

class DifferencePageTest : public DiffTest {
 protected:
  // The page of this comparison, after the command's exit code.
  std::pair<int, std::string> PageOf(std::vector<std::string> words) {
    words.insert(words.begin(), {path_, "--html", page_});
    const int code = DiffCommand(words, {});
    const Result<std::string> page = ReadFile(page_);
    return {code, page.ok() ? *page : page.status().ToString()};
  }
  const std::string page_ = ::testing::TempDir() + "/diff_test.html";
};

TEST_F(DifferencePageTest, TellsEachFiringThatDiffers) {
  const auto [code, page] =
      PageOf({"--engine", "reference", "--mutant", "switch.1-outputs-exchanged"});
  EXPECT_EQ(code, kExitFailed);
  EXPECT_THAT(page, HasSubstr(R"("other":{"name":"reference, mutant switch.1-outputs-exchanged",)"
                              R"("against":"reference","first":"  first diverging token: )"));
  EXPECT_THAT(page, Not(HasSubstr(R"("differences":[])")));
}

TEST_F(DifferencePageTest, IsMadeWhereNothingDiffersToo) {
  const auto [code, page] = PageOf({"--engine", "optimized"});
  EXPECT_EQ(code, kExitOk);
  EXPECT_THAT(page, HasSubstr(R"("first":"","differences":[])"));
}

TEST_F(DifferencePageTest, ShowsTheFiringsOfTheReferenceAlone) {
  EXPECT_EQ(DiffCommand(
                {path_, "--html", page_, "--engine", "optimized", "--against", "optimized-tokens"}),
            kExitUsage);
  EXPECT_EQ(DiffCommand({path_, "--html", page_, "--stages"}), kExitUsage);
}

}  // namespace
}  // namespace tagflow::cli
