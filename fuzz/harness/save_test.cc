// Tests: save.cc, replay.cc, registry.cc, shrink_sample.cc

#include "fuzz/harness/save.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "conformance/case_file.h"
#include "fuzz/harness/registry.h"
#include "fuzz/harness/replay.h"
#include "fuzz/harness/shrink_sample.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class SaveTest : public ::testing::Test {
 protected:
  SaveTest() {
    fs::remove_all(folder_);
    campaign_.claims = {{*PropertyOf("equal"), *ProfileOf("tiny")}};
    campaign_.save = (folder_ / "new" / "er").string();
    campaign_.engines.against = "reference:3";
    failure_.set_index(17);
    failure_.set_kind(static_cast<int>(Finding::Kind::kFails));
    failure_.set_why("it is\nwrong");
  }

  Sample ProgramSample() {
    Sample sample;
    sample.program = *ParseProgram("input x: float = 2\ny: float = Neg(x)\nreturn y\n");
    sample.seed = 18446744073709551557u;
    return sample;
  }

  std::vector<Replayed> ReplayAll(std::vector<std::string> paths) {
    ReplayOptions options;
    options.paths = std::move(paths);
    std::vector<Replayed> all;
    const Result<Outcome> outcome =
        Replay(options, [&](const Replayed& replayed) { all.push_back(replayed); });
    EXPECT_TRUE(outcome.ok());
    if (outcome.ok()) last_ = *outcome;
    return all;
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "save_test";
  Campaign campaign_;
  Failure failure_;
  Outcome last_;
};

TEST_F(SaveTest, AProgramIsReadBackAsItWas) {
  Save(campaign_, ProgramSample(), failure_);
  const std::string stem = campaign_.save + "/equal-1-17";
  EXPECT_THAT(failure_.files(), ElementsAre(stem + ".program", stem + ".case"));
  EXPECT_EQ(failure_.replay(), "tagflow fuzz --replay " + stem + ".program");
  EXPECT_EQ(failure_.note(), "");
  const std::string text = ReadText(stem + ".program");
  EXPECT_THAT(text, HasSubstr("# fails: it is wrong\n"));
  const Result<Saved> saved = ReadSaved(text);
  ASSERT_TRUE(saved.ok()) << saved.status().ToString();
  EXPECT_EQ(saved->property, "equal");
  EXPECT_EQ(saved->engines.engine, "reference");
  EXPECT_EQ(saved->engines.against, "reference:3");
  EXPECT_EQ(ToText(*saved->sample.program), ToText(*ProgramSample().program));
  EXPECT_EQ(saved->sample.seed, ProgramSample().seed);
  const Result<conformance::Case> test = conformance::ReadCase(stem + ".case");
  ASSERT_TRUE(test.ok()) << test.status().ToString();
  EXPECT_EQ(test->name(), "equal-1-17");
}

TEST_F(SaveTest, ChoicesAreReadBackAsTheyWere) {
  campaign_.claims[0].property = *PropertyOf("graphs-orders");
  Sample sample;
  sample.choices = {1, 0, 4294967295u};
  Save(campaign_, sample, failure_);
  const Result<Saved> saved = ReadSaved(ReadText(failure_.files(0)));
  ASSERT_TRUE(saved.ok()) << saved.status().ToString();
  EXPECT_EQ(saved->property, "graphs-orders");
  EXPECT_EQ(saved->sample.choices, sample.choices);
  EXPECT_FALSE(saved->sample.program.has_value());
}

TEST_F(SaveTest, WhatCannotBeWrittenIsNoted) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "in the way";
  campaign_.save = (folder_ / "file").string();
  Save(campaign_, ProgramSample(), failure_);
  EXPECT_EQ(failure_.files_size(), 0);
  EXPECT_THAT(failure_.note(), HasSubstr("cannot write"));
}

TEST_F(SaveTest, ACommandRunsTheSampleAsItWasGenerated) {
  EXPECT_EQ(
      ReplayOfIndex(campaign_, failure_),
      "tagflow fuzz --property equal --against reference:3 --seed 1 --index 17 --profile tiny");
}

TEST_F(SaveTest, AReplayedProgramIsHeldToItsProperty) {
  Save(campaign_, ProgramSample(), failure_);
  const std::vector<Replayed> all = ReplayAll({campaign_.save});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].finding.kind, Finding::Kind::kHolds) << all[0].finding.why;
  EXPECT_EQ(all[0].property, "equal");
  EXPECT_EQ(last_.Total().programs, 1u);
}

TEST_F(SaveTest, ACorruptFileOfAFolderIsNamedAndSkipped) {
  Save(campaign_, ProgramSample(), failure_);
  std::ofstream(campaign_.save + "/bad.program") << "x = = 3\n";
  std::ofstream(campaign_.save + "/worse.choices") << "choices: 1 two 3\n";
  std::ofstream(campaign_.save + "/other.program")
      << "# property: nothing\nx: float = Const 1\nreturn x\n";
  const std::vector<Replayed> all = ReplayAll({campaign_.save});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_THAT(all[0].path, HasSubstr("bad.program"));
  EXPECT_TRUE(all[0].unreadable.has_value());
  EXPECT_FALSE(all[1].unreadable.has_value());
  EXPECT_THAT(*all[2].unreadable, HasSubstr("no property 'nothing'"));
  EXPECT_THAT(*all[3].unreadable, HasSubstr("choice 2"));
  EXPECT_EQ(last_.Total().programs, 1u);
}

TEST_F(SaveTest, APathThatIsNotThereIsAnError) {
  ReplayOptions options;
  options.paths = {(folder_ / "nothing").string()};
  EXPECT_FALSE(Replay(options, [](const Replayed&) {}).ok());
}

TEST(RegistryTest, NamesAreUniqueAndTheDefaultIsEqual) {
  std::set<std::string> names;
  for (const Property& property : AllProperties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_NE(property.about, "") << property.name;
    EXPECT_TRUE(ProfileOf(property.profile).ok()) << property.name;
    EXPECT_NE(property.check == nullptr, property.check_choices == nullptr) << property.name;
    EXPECT_EQ(property.check_choices == nullptr, property.to_case == nullptr) << property.name;
  }
  EXPECT_EQ(AllProperties().front().name, "equal");
  EXPECT_THAT(PropertyOf("eqal").status().message(), HasSubstr("equal"));
}

TEST(ShrinkSampleTest, MakesProgramsAndChoicesSmaller) {
  Sample program;
  program.program =
      *ParseProgram("input x: float = 2\ny: float = Neg(x)\nz: float = Abs(x)\nreturn y, z\n");
  const auto has_neg = [](const Sample& sample) {
    for (const Statement& statement : sample.program->body.statements) {
      if (statement.op == Op::kNeg) return true;
    }
    return false;
  };
  program.seed = 11;
  const auto has_neg_and_seed = [&](const Sample& sample) {
    return sample.seed == 11 && has_neg(sample);
  };
  const Sample smaller = ShrinkSample(program, has_neg_and_seed, 5);
  EXPECT_LT(SizeOf(smaller), SizeOf(program));
  EXPECT_EQ(smaller.seed, 11u);
  Sample choices;
  choices.choices = {9, 8, 7, 6};
  const auto second_large = [](const Sample& sample) {
    return sample.choices.size() >= 2 && sample.choices[1] >= 3;
  };
  EXPECT_THAT(ShrinkSample(choices, second_large, 5).choices, ElementsAre(0, 3));
}

}  // namespace
}  // namespace tagflow::fuzz
