// A property is added in ten lines: those of docs/fuzzing.md, compiled and run. Text between
// "[name]" and "[/name]" is in that page word for word.

#include "fuzz/harness/property.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/harness/campaign.h"
#include "fuzz/harness/equal.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

Property Twice() {
  // [property]
  Property twice;
  twice.name = "twice";
  twice.about = "the engine gives the same when it is asked again";
  twice.check = [](const Program& program, Setting& setting) {
    const Result<Answers> first = RunProgram(setting.engine, program);
    if (!first.ok()) return FindingOf(first.status());
    const Result<Answers> second = RunProgram(setting.engine, program);
    if (!second.ok()) return FindingOf(second.status());
    if (BitwiseEqual(*first, *second)) return Finding::Holds();
    return Finding::Fails("the second answer differs");
  };
  // [/property]
  return twice;
}

Property NoLoops() {
  Property property;
  property.name = "no-loops";
  property.check = [](const Program& program, Setting&) {
    for (const Statement& statement : program.body.statements) {
      if (statement.op == Op::kWhile) return Finding::Fails("there is a loop");
    }
    return Finding::Holds();
  };
  return property;
}

class PropertyTest : public ::testing::Test {
 protected:
  Outcome Run(Property property) {
    Campaign campaign;
    campaign.claims = {{std::move(property), *ProfileOf("tiny")}};
    campaign.count = 40;
    campaign.shrink_s = 5;
    campaign.examine_max = 1;
    campaign.save = ::testing::TempDir() + "/property_test";
    Result<Outcome> outcome = RunCampaign(campaign, Listener());
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return *std::move(outcome);
  }
};

TEST_F(PropertyTest, TheDocumentedOneHolds) {
  const Outcome outcome = Run(Twice());
  EXPECT_EQ(outcome.Total().programs, 40u);
  EXPECT_EQ(outcome.Total().failures, 0u);
}

TEST_F(PropertyTest, AFailureIsShrunkToWhatMatters) {
  const Outcome outcome = Run(NoLoops());
  ASSERT_GT(outcome.Total().failures, 3u);
  for (const Failure& failure : outcome.failures) {
    if (failure.files().empty()) continue;
    EXPECT_LE(failure.size_after(), 3) << "a bound, and the loop";
    return;
  }
  ADD_FAILURE() << "no failure was examined";
}

TEST_F(PropertyTest, ThePageIsUpToDate) {
  const auto read = [](const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string source = read("fuzz/harness/property_test.cc");
  const std::string opening = "  // [property]\n";
  const size_t begin = source.find(opening) + opening.size();
  std::istringstream code(source.substr(begin, source.find("  // [/property]\n") - begin));
  const std::string page = read("docs/fuzzing.md");
  std::string line;
  int lines = 0;
  for (; std::getline(code, line); ++lines) EXPECT_THAT(page, HasSubstr(line.substr(2) + "\n"));
  EXPECT_GE(lines, 10);
}

}  // namespace
}  // namespace tagflow::fuzz
