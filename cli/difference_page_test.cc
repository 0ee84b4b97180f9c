#include "cli/difference_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "cli/commands.h"
#include "cli/file.h"
#include "conformance/command/args.h"

namespace tagflow::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DifferencePageTest : public ::testing::Test {
 protected:
  DifferencePageTest() {
    std::ofstream(program_) << "input x: float = 2\n"
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
  // The page of this comparison, after its exit code.
  std::pair<int, std::string> PageOf(std::vector<std::string> words) {
    words.insert(words.begin(), {program_, "--html", page_});
    const int code = DiffCommand(words, {});
    const Result<std::string> page = ReadFile(page_);
    return {code, page.ok() ? *page : page.status().ToString()};
  }
  const std::string program_ = ::testing::TempDir() + "/difference_page_test.program";
  const std::string page_ = ::testing::TempDir() + "/difference_page_test.html";
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
  EXPECT_EQ(DiffCommand({program_, "--html", page_, "--engine", "optimized", "--against",
                         "optimized-tokens"}),
            kExitUsage);
  EXPECT_EQ(DiffCommand({program_, "--html", page_, "--stages"}), kExitUsage);
}

}  // namespace
}  // namespace tagflow::cli
