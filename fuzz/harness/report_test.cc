#include "fuzz/harness/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    Property property;
    property.name = "equal";
    property.check = [](const Program&, Setting&) { return Finding::Holds(); };
    campaign_.claims = {{property, Profile()}};
    campaign_.seed = 7;
    outcome_.tallies = {{1200, 2, 1, 480'000, 4.0}};
    outcome_.seconds = 2.5;
    failure_.set_index(17);
    failure_.set_kind(static_cast<int>(Finding::Kind::kFails));
    failure_.set_why("result 0: \"3\"\nand\tmore");
    failure_.set_size_before(41);
    failure_.set_size_after(5);
    failure_.add_files("a/b.program");
    failure_.set_replay("tagflow fuzz --replay a/b.program");
    failure_.set_tokens("  first diverging token: x\n");
    outcome_.failures = {failure_};
  }

  Campaign campaign_;
  Outcome outcome_;
  Failure failure_;
};

TEST_F(ReportTest, TheLastLineIsPlain) {
  const std::string line = "programs 1200, failures 2, programs/s 480.0\n";
  outcome_.tallies[0].unsupported = 0;
  EXPECT_EQ(SummaryText(outcome_), line);
  outcome_.tallies[0].unsupported = 7;
  EXPECT_EQ(
      SummaryText(outcome_),
      "unsupported 7: the engine has not what these programs or the property ask for\n" + line);
  EXPECT_EQ(SummaryText(Outcome()), "programs 0, failures 0, programs/s 0.0\n");
}

TEST_F(ReportTest, AFailureSaysWhatAndHowToSeeItAgain) {
  const std::string text = FailureText(campaign_, failure_);
  EXPECT_THAT(text, HasSubstr("equal fails, program 17 of seed 7: result 0"));
  EXPECT_THAT(text, HasSubstr("shrunk from 41 to 5 tree nodes"));
  EXPECT_THAT(text, HasSubstr("saved a/b.program\n"));
  EXPECT_THAT(text, HasSubstr("replay: tagflow fuzz --replay a/b.program\n"));
  EXPECT_THAT(text, HasSubstr("first diverging token: x\n"));
  EXPECT_THAT(text, Not(HasSubstr("note")));
}

TEST_F(ReportTest, ProgressIsOfTheCount) {
  campaign_.count = 40;
  const std::string text = ProgressText(campaign_, outcome_.Total(), 2);
  EXPECT_THAT(text, HasSubstr(" of 40 programs, "));
  EXPECT_THAT(text, HasSubstr(" failures, 2 s"));
}

TEST_F(ReportTest, JsonHasTheTotalsThePropertiesAndTheFailures) {
  const std::string json = ReportJson(campaign_, outcome_, {R"({"depth":3})"});
  EXPECT_THAT(json, HasSubstr(R"("seed":7)"));
  EXPECT_THAT(json, HasSubstr(R"("programs":1200,"failures":2,"unsupported":1)"));
  EXPECT_THAT(json, HasSubstr(R"("firings_per_s":192000.000)"));
  EXPECT_THAT(json, HasSubstr(R"("features":{"depth":3})"));
  EXPECT_THAT(json, HasSubstr(R"("why":"result 0: \"3\"\u000aand\u0009more")"));
  EXPECT_THAT(json, HasSubstr(R"("size_before":41,"size_after":5)"));
}

}  // namespace
}  // namespace tagflow::fuzz
