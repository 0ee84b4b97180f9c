#include "cli/engine_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tagflow::cli {
namespace {

Args Parsed(const std::vector<std::string>& words) {
  return *Args::Parse(words, {{"--engine"},
                              {"--seed"},
                              {"--trace"},
                              {"--out"},
                              {"--devices"},
                              {"--races", false},
                              {"--watch"},
                              {"--stats", false}});
}

std::string Choice(const std::vector<std::string>& words) {
  const Args args = Parsed(words);
  const EngineChoice choice = ChooseEngine(args);
  const Status status = CheckEngineOptions(args, choice);
  if (!status.ok()) return status.message();
  return choice.engine + (choice.because.empty() ? "" : " because of " + choice.because);
}

TEST(EngineChoiceTest, TheFastOneUnlessTheReferenceIsAskedFor) {
  EXPECT_EQ(Choice({}), "optimized");
  EXPECT_EQ(Choice({"--stats"}), "optimized");
  EXPECT_EQ(Choice({"--trace", "t.json"}), "optimized");
  EXPECT_EQ(Choice({"--trace", "t.jsonl"}), "reference because of --trace t.jsonl");
  EXPECT_EQ(Choice({"--seed", "3"}), "reference because of --seed 3");
  EXPECT_EQ(Choice({"--races"}), "reference because of --races");
}

TEST(EngineChoiceTest, ANamedEngineIsIt) {
  EXPECT_EQ(Choice({"--engine", "reference"}), "reference");
  EXPECT_EQ(Choice({"--engine", "optimized:2", "--seed", "3"}), "optimized:2");
  EXPECT_EQ(Choice({"--engine", "optimized", "--trace", "t.jsonl"}), "optimized");
  EXPECT_EQ(Choice({"--engine", "reference", "--races"}), "reference");
}

TEST(EngineChoiceTest, OptionsOfTheOtherEngine) {
  EXPECT_EQ(
      Choice({"--engine", "reference", "--stats"}),
      "--stats is of the fast engine, and --engine chose the reference: leave one of them out");
  EXPECT_EQ(Choice({"--seed", "3", "--devices", "SIM"}),
            "--devices is of the fast engine, and --seed 3 chose the reference: leave one of them "
            "out, or say --engine optimized");
  EXPECT_EQ(Choice({"--engine", "optimized", "--races"}),
            "--races needs the reference: leave out --engine optimized");
  EXPECT_EQ(Choice({"--engine", "optimized", "--watch", "x"}),
            "--watch needs the reference: leave out --engine optimized");
  EXPECT_EQ(Choice({"--watch", "x"}), "reference because of --watch x");
  EXPECT_EQ(Choice({"--races", "--out", "d"}),
            "--races runs the step in many orders: leave out --out");
}

}  // namespace
}  // namespace tagflow::cli
