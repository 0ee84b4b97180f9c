// The harness on properties made for it: they fail, crash, hang and pass by what they draw.
// Tests: campaign.cc, shares.cc, worker.cc, examine.cc, worker_engines.cc

#include "fuzz/harness/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>

namespace tagflow::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A property of one number below 100, and four that do not matter.
Property OfNumber(const std::string& name, std::function<Finding(uint32_t)> judge) {
  const auto draw = [](Choices& choices) {
    const uint32_t number = choices.Below(100);
    for (int i = 0; i < 4; ++i) choices.Below(10);
    return number;
  };
  Property property;
  property.name = name;
  property.check_choices = [=](Choices& choices, Setting&) { return judge(draw(choices)); };
  property.to_case = [=](Choices& choices) -> Result<conformance::Case> {
    conformance::Case test;
    test.set_about("number " + std::to_string(draw(choices)));
    return test;
  };
  return property;
}

class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest() {
    fs::remove_all(folder_);
    campaign_.save = folder_.string();
    campaign_.count = 200;
    campaign_.shrink_s = 2;
    campaign_.engines.timeout_s = 0.5;
  }

  Outcome Run(Property property) {
    campaign_.claims = {{std::move(property), Profile()}};
    Result<Outcome> outcome = RunCampaign(campaign_, listener_);
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return *std::move(outcome);
  }

  // What fails for numbers from 90 on, one in ten.
  static Property Failing() {
    return OfNumber("failing", [](uint32_t number) {
      return number < 90 ? Finding::Holds(3) : Finding::Fails("it is " + std::to_string(number));
    });
  }

  static std::set<uint64_t> Indices(const Outcome& outcome) {
    std::set<uint64_t> indices;
    for (const Failure& failure : outcome.failures) indices.insert(failure.index());
    return indices;
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "campaign_test";
  Campaign campaign_;
  Listener listener_;
};

TEST_F(CampaignTest, CountsWhatItRan) {
  const Outcome outcome = Run(OfNumber("fine", [](uint32_t) { return Finding::Holds(3); }));
  EXPECT_EQ(outcome.Total().programs, 200u);
  EXPECT_EQ(outcome.Total().failures, 0u);
  EXPECT_EQ(outcome.Total().firings, 600u);
  EXPECT_GT(outcome.seconds, 0);
  EXPECT_FALSE(outcome.interrupted);
}

TEST_F(CampaignTest, ClaimsHaveTheirSharesOfTheSamples) {
  const auto rest = [](uint32_t) {
    usleep(500);
    return Finding::Holds();
  };
  campaign_.claims = {{OfNumber("much", rest), Profile(), 90},
                      {OfNumber("little", rest), Profile(), 10}};
  campaign_.count = 55;
  const Result<Outcome> counted = RunCampaign(campaign_, listener_);
  ASSERT_TRUE(counted.ok());
  EXPECT_EQ(counted->tallies[0].programs, 50u);
  EXPECT_EQ(counted->tallies[1].programs, 5u);
  campaign_.count.reset();
  campaign_.seconds = 3;
  const Result<Outcome> timed = RunCampaign(campaign_, listener_);
  ASSERT_TRUE(timed.ok());
  const double share = static_cast<double>(timed->tallies[1].programs) /
                       static_cast<double>(timed->Total().programs);
  EXPECT_NEAR(share, 0.1, 0.03);
}

TEST_F(CampaignTest, FindsTheSameFailuresInAnyNumberOfProcesses) {
  campaign_.examine_max = 1000;
  const Outcome one = Run(Failing());
  campaign_.jobs = 3;
  const Outcome three = Run(Failing());
  EXPECT_EQ(three.Total().programs, 200u);
  EXPECT_GT(one.Total().failures, 5u);
  EXPECT_LT(one.Total().failures, 50u);
  EXPECT_EQ(Indices(one), Indices(three));
  EXPECT_EQ(one.failures.size(), one.Total().failures);
}

TEST_F(CampaignTest, AnIndexAloneRunsThatSample) {
  const Outcome all = Run(Failing());
  campaign_.first = all.failures[1].index();
  campaign_.count = 1;
  const Outcome one = Run(Failing());
  EXPECT_EQ(one.Total().programs, 1u);
  EXPECT_THAT(Indices(one), ElementsAre(campaign_.first));
}

TEST_F(CampaignTest, AFailureIsShrunkAndSaved) {
  const Outcome outcome = Run(Failing());
  const Failure& failure = outcome.failures[0];
  EXPECT_EQ(failure.why(), "it is 90") << "the smallest number that fails";
  ASSERT_EQ(failure.files_size(), 2);
  for (const std::string& file : failure.files()) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_THAT(failure.replay(), HasSubstr("--replay " + failure.files(0)));
}

TEST_F(CampaignTest, OnlySomeFailuresAreExamined) {
  campaign_.examine_max = 2;
  int told = 0;
  listener_.on_failure = [&](const Failure&) { ++told; };
  const Outcome outcome = Run(Failing());
  EXPECT_EQ(told, 2);
  EXPECT_GT(outcome.Total().failures, 5u);
  EXPECT_EQ(outcome.failures.size(), outcome.Total().failures);
  EXPECT_THAT(outcome.failures.back().replay(), HasSubstr("--property failing --seed 1 --index "));
}

TEST_F(CampaignTest, StopsAfterSoManyFailures) {
  campaign_.count = 1'000'000;
  campaign_.stop_at = 1;
  const Outcome outcome = Run(Failing());
  EXPECT_GE(outcome.Total().failures, 1u);
  EXPECT_LT(outcome.Total().programs, 100'000u);
}

TEST_F(CampaignTest, ACrashCostsOneSample) {
  campaign_.jobs = 2;
  campaign_.examine_max = 1;
  const Outcome outcome = Run(OfNumber("crashing", [](uint32_t number) {
    if (number >= 97) {
      std::fprintf(stderr, "the number is too large\n");
      std::signal(SIGABRT, SIG_DFL);
      std::abort();
    }
    return Finding::Holds();
  }));
  EXPECT_EQ(outcome.Total().programs, 200u);
  ASSERT_GE(outcome.Total().failures, 1u);
  EXPECT_LT(outcome.Total().failures, 20u);
  for (const Failure& failure : outcome.failures) {
    EXPECT_EQ(failure.kind(), static_cast<int>(Finding::Kind::kCrashed));
    EXPECT_EQ(failure.why(), "killed by SIGABRT; it said: the number is too large");
  }
  EXPECT_FALSE(fs::is_empty(folder_)) << "one of them is saved";
}

TEST_F(CampaignTest, AHangCostsOneSampleToo) {
  campaign_.engines.timeout_s = 0.1;
  campaign_.shrink_s = 0;
  campaign_.examine_max = 1;
  campaign_.count = 60;
  const Outcome outcome = Run(OfNumber("hanging", [](uint32_t number) {
    while (number == 98) usleep(1000);
    return Finding::Holds();
  }));
  EXPECT_EQ(outcome.Total().programs, 60u);
  ASSERT_GE(outcome.Total().failures, 1u);
  for (const Failure& failure : outcome.failures) {
    EXPECT_EQ(failure.kind(), static_cast<int>(Finding::Kind::kHung));
  }
}

TEST_F(CampaignTest, ACrashThatTakesSeveralSamplesIsTracedBack) {
  campaign_.examine_max = 1;
  campaign_.count = 64;
  static int seen = 0;
  const Outcome outcome = Run(OfNumber("grudging", [](uint32_t) {
    if (++seen == 4) std::raise(SIGKILL);
    return Finding::Holds();
  }));
  EXPECT_GE(outcome.Total().failures, 1u);
  const Failure& failure = outcome.failures[0];
  EXPECT_THAT(failure.note(), HasSubstr("it takes the"));
  EXPECT_THAT(failure.replay(), HasSubstr("--index 0 --count 4"));
}

TEST_F(CampaignTest, AFailureThatDoesNotComeAgainIsSavedWithANote) {
  campaign_.examine_max = 1;
  campaign_.count = 8;
  static int seen = 0;
  const Outcome outcome = Run(OfNumber(
      "moody", [](uint32_t) { return ++seen == 5 ? Finding::Fails("five") : Finding::Holds(); }));
  ASSERT_EQ(outcome.failures.size(), 1u);
  EXPECT_EQ(outcome.failures[0].note(), "run again, the same sample holds");
}

TEST_F(CampaignTest, AnInterruptEndsItWithWhatIsKnown) {
  campaign_.count.reset();
  uint64_t programs = 0;
  listener_.on_time = [&](const Tally& total, double) { programs = total.programs; };
  listener_.interrupted = [&] { return programs > 1000; };
  campaign_.jobs = 2;
  const Outcome outcome = Run(OfNumber("fine", [](uint32_t) { return Finding::Holds(); }));
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_GT(outcome.Total().programs, 1000u);
}

TEST_F(CampaignTest, AnEngineThatCannotBeStartedIsAnError) {
  campaign_.claims = {{Failing(), Profile()}};
  campaign_.engines.engine = "exit 3";
  const Result<Outcome> outcome = RunCampaign(campaign_, listener_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.status().message(), HasSubstr("exit 3"));
}

TEST_F(CampaignTest, TimeEndsIt) {
  campaign_.count.reset();
  campaign_.seconds = 0.3;
  const Outcome outcome = Run(OfNumber("fine", [](uint32_t) { return Finding::Holds(); }));
  EXPECT_GE(outcome.seconds, 0.25);
  EXPECT_LT(outcome.seconds, 30);
  EXPECT_GT(outcome.Total().programs, 10u);
}

}  // namespace
}  // namespace tagflow::fuzz
