#include <gtest/gtest.h>

#include <fstream>

#include "cli/args.h"
#include "cli/commands.h"

namespace tagflow::cli {
namespace {

std::string GraphFile() {
  const std::string path = testing::TempDir() + "/lonely.pbtxt";
  std::ofstream(path) << R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  )";
  return path;
}

struct Outcome {
  int exit_code;
  std::string out;
};

Outcome Capture(std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  const int exit_code = ShowCommand(words);
  return {exit_code, testing::internal::GetCapturedStdout()};
}

TEST(ShowCommandTest, DescribesAndChecks) {
  const Outcome shown = Capture({GraphFile()});
  EXPECT_EQ(shown.exit_code, kExitOk);
  EXPECT_NE(shown.out.find("x: float of any shape"), std::string::npos) << shown.out;
  EXPECT_EQ(Capture({GraphFile(), "--check"}).exit_code, kExitOk);
  EXPECT_EQ(Capture({GraphFile(), "--fly"}).exit_code, kExitUsage);
  EXPECT_EQ(Capture({"no/such"}).exit_code, kExitBadInput);
}

}  // namespace
}  // namespace tagflow::cli
