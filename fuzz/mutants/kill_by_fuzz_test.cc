// Random programs and graphs kill the mutants, soon, and shrink to little; the standard survives.
// Tests: fuzz_killer.cc, program_judge.cc, graph_judge.cc

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
      {"frame.2-captures-itself",
       "no sample mixes what an Enter gives with what comes from outside the frame"},
      {"frame.5-the-first-applies",
       "the first of disagreeing Enters is mostly the one with the smallest number"},
      {"feed.2-the-default-wins", "no sample feeds a PlaceholderWithDefault"},
      {"fetch.2-the-exit-comes",
       "a sample that fetches in a loop has no Exit that would come instead"},
      {"error.1-an-index-out-of-range-gives-the-last", "generated indices are in range"},
      {"resource.1-each-node-its-own", "a variable of a sample has one node"},
      {"resource.1-containers-are-one", "no sample names a container"},
      {"resource.2-a-stack-has-no-size", "programs do not push too much"},
      {"resource.2-a-stack-does-not-close", "programs do not close stacks"},
      {"resource.2-an-element-is-read-for-ever", "programs read elements that stay"},
      {"resource.2-a-second-write-is-dropped", "programs write each element once"},
      {"resource.3-a-new-one-each-time", "gradient arrays come with gradients of arrays"},
      {"resource.3-one-for-all-sources", "gradient arrays come with gradients of arrays"},
      {"ref.1-read-on-the-way", "samples have resource variables, no reference variables"},
      {"ref.2-not-read-at-all", "samples have resource variables, no reference variables"},
      {"ref.3-no-value-is-a-value", "samples have resource variables, no reference variables"},
      {"ref.3-no-op-is-excused", "samples have resource variables, no reference variables"},
      {"rendezvous.2-data-alone",
       "no Send of a sample has a control input that is dead while its data is live"},
      {"rendezvous.2-deadness-stays",
       "no Send of a sample has a control input that is dead while its data is live"},
      {"graph.1-the-whole-graph-is-checked", "what is wrong in a sample is needed"},
      {"graph.4-only-whole-names", "samples name no device but a wrong one"},
      {"number.1-half-loses-a-bit", "programs have no half"},
      {"number.4-nothing-is-zero", "programs reduce no empty tensors"},
      {"op.1-a-transpose-moves-nothing", "programs have no Transpose"},
      {"op.1-dimensions-are-never-kept", "programs keep no dimensions of a sum"},
      {"op.2-any-size-can-be-reshaped", "what programs reshape fits"},
      {"op.2-codes-are-lost", "the indices and sizes of programs are in range"},
      {"op.2-written-before-refused", "samples have resource variables, no reference variables"},
  };
  return reasons;
}

// Mutants that only what is rare kills: the soak target mutant_report finds them.
const std::map<std::string, std::string>& Rare() {
  static const std::map<std::string, std::string> reasons = {
      {"fire.3-a-dead-send-is-silent", "a dead Send"},
      {"control.2-a-trigger-dies-with-all-inputs", "a ControlTrigger behind dead nodes alone"},
      {"merge.1-enters-stay-in-later-iterations",
       "an Enter and an ordinary value that is dead later, at one Merge"},
      {"merge.1-constants-leave-with-the-enters", "a constant Enter at a Merge that is dead later"},
      {"merge.1-no-constants", "a dead constant Enter at a Merge"},
      {"merge.1-one-iteration-late",
       "an Enter and an ordinary value that is dead later, at one Merge"},
      {"merge.2-one-control-input-is-enough", "a Merge with two control inputs, one of them late"},
      {"merge.2-control-is-not-awaited", "a Merge with a late control input that an effect shows"},
      {"merge.3-two-live-inputs-are-fine", "two live inputs of a Merge without a race report"},
      {"merge.4-control-is-not-awaited",
       "a dead Merge with a late control input that an effect shows"},
      {"exit.3-two-live-exits-are-fine", "an Exit that is live twice"},
      {"frame.5-the-greatest-applies", "Enters that disagree in a loop where run-ahead shows"},
      {"feed.1-a-fed-node-does-not-run", "a node in the path of effects that is fed"},
      {"feed.1-control-follows-the-feed", "a node in the path of effects that is fed"},
      {"feed.3-any-feed-will-do", "a feed of the wrong dtype or shape"},
      {"rendezvous.3-a-second-send-is-dropped", "two Sends of one key"},
      {"graph.1-inputs-are-not-counted", "too many inputs"},
      {"graph.2-any-cycle", "a cycle without a NextIteration"},
      {"frame.9-any-number-of-conditions", "two LoopConds in a frame"},
      {"number.1-subnormals-are-flushed", "subnormal products"},
      {"number.1-sums-in-float", "sums that need all the bits of a double"},
      {"number.2-division-rounds-to-zero", "a negative dividend of FloorDiv that leaves a rest"},
      {"number.3-casts-round", "a cast of a number that is no integer"},
      {"number.3-casts-saturate", "a cast of a number that no int32 holds"},
      {"number.4-nan-loses", "a NaN at Maximum or Minimum"},
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
  for (const auto& exceptions : {OutOfReach(), Rare()}) {
    for (const auto& [name, reason] : exceptions) {
      const bool known = std::any_of(Mutants().begin(), Mutants().end(),
                                     [&](const Mutant& mutant) { return mutant.name == name; });
      EXPECT_TRUE(known) << name;
      EXPECT_FALSE(reason.empty()) << name;
    }
  }
  EXPECT_LE(OutOfReach().size() + Rare().size(), Mutants().size() / 3);
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
  if (OutOfReach().contains(mutant.name) || Rare().contains(mutant.name)) {
    GTEST_SKIP() << "the cases alone kill it";
  }
  const std::optional<FuzzKill> kill = KillByFuzz(mutant, {3000, 60, 1, false});
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
