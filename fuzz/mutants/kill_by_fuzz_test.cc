// Random programs and graphs kill the mutants, soon, and shrink to little; the standard survives.
// Tests: fuzz_killer.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fuzz/mutants/fuzz_killer.h"
#include "fuzz/mutants/mutants.h"

namespace tagflow::fuzz {
namespace {

// Mutants that fuzzing does not kill, with the reason. The cases kill them all.
const std::map<std::string, std::string>& OutOfReach() {
  static const std::map<std::string, std::string> reasons = {
      {"graph.1-unknown-ops-are-refused-at-once", "samples hold no op that nobody defines"},
      {"merge.3-equal-numbers-are-equal", "no sample has two live inputs that are 0 and -0"},
      {"merge.3-shapes-do-not-matter",
       "no sample has two live inputs of equal bytes in two shapes"},
      {"merge.3-the-index-does-not-matter", "few samples ask which of two equal inputs came"},
      {"op.1-a-transpose-moves-nothing", "the transposes of programs are few and small"},
      {"op.1-dimensions-are-never-kept", "programs keep no dimensions of a sum"},
      {"op.2-any-size-can-be-reshaped", "what programs reshape fits"},
      {"op.2-written-before-refused", "no sample adds a value of another shape to a reference"},
  };
  return reasons;
}

TEST(KillByFuzz, TheStandardSurvives) {
  const std::optional<FuzzKill> kill = KillByFuzz(Mutant(), {200, 60, 1, false});
  EXPECT_FALSE(kill.has_value()) << kill->by << ": " << kill->why;
}

TEST(KillByFuzz, HooksThatChangeNothingSurvive) {
  Mutant idle;
  idle.rewrite = [](Graph&, Call&, const Past&) { return Status(); };
  idle.options = [](const Graph&, reference::RunOptions&) {};
  idle.report = [](const Status& status) { return status; };
  const std::optional<FuzzKill> kill = KillByFuzz(idle, {100, 60, 2, false});
  EXPECT_FALSE(kill.has_value()) << kill->by << ": " << kill->why;
  idle.history = [](reference::History&) {};
  const std::optional<FuzzKill> raced = KillByFuzz(idle, {60, 60, 3, false});
  EXPECT_FALSE(raced.has_value()) << raced->by << ": " << raced->why;
}

TEST(KillByFuzz, EveryExceptionIsAMutant) {
  for (const auto& [name, reason] : OutOfReach()) {
    const bool known = std::any_of(Mutants().begin(), Mutants().end(),
                                   [&](const Mutant& mutant) { return mutant.name == name; });
    EXPECT_TRUE(known) << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
  EXPECT_LE(OutOfReach().size(), 8u);
}

TEST(KillByFuzz, WhatKillsIsShrunk) {
  const auto exchanged = std::find_if(Mutants().begin(), Mutants().end(), [](const Mutant& mutant) {
    return mutant.name == "switch.1-outputs-exchanged";
  });
  ASSERT_NE(exchanged, Mutants().end());
  const std::optional<FuzzKill> kill = KillByFuzz(*exchanged, {100, 20, 1, true});
  ASSERT_TRUE(kill.has_value());
  EXPECT_LE(kill->shrunk, 8) << kill->text;
  EXPECT_FALSE(kill->text.empty());
}

class KillByFuzzOf : public testing::TestWithParam<size_t> {};

TEST_P(KillByFuzzOf, ASampleFails) {
  const Mutant& mutant = Mutants()[GetParam()];
  if (OutOfReach().contains(mutant.name)) {
    GTEST_SKIP() << "the cases alone kill it";
  }
  const std::optional<FuzzKill> kill = KillByFuzz(mutant, {12'000, 240, 1, false});
  EXPECT_TRUE(kill.has_value()) << mutant.name << " survives: " << mutant.about;
}

INSTANTIATE_TEST_SUITE_P(All, KillByFuzzOf, testing::Range<size_t>(0, Mutants().size()),
                         [](const auto& info) {
                           std::string name = Mutants()[info.param].name;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tagflow::fuzz
