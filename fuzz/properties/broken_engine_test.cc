// No property is true of everything: an engine that breaks a rule is caught by each. Some of the
// broken rules are wrong in the same way every time, and some only now and then, as races are.

#include <gtest/gtest.h>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {
namespace {

using reference::Arrivals;
using reference::Needs;
using reference::Rules;

// One Switch in 61 goes wrong.
int SometimesTheOtherPort(bool predicate) {
  static int calls = 0;
  return predicate == (++calls % 61 != 0) ? 1 : 0;
}

Rules Flaky() {
  Rules rules = reference::StandardRules();
  rules.switch_port = SometimesTheOtherPort;
  return rules;
}

Rules NoControl() {
  Rules rules = reference::StandardRules();
  rules.ready = [](const Needs& needs, const Arrivals& arrived) {
    return arrived.data() == needs.data && (needs.data > 0 || arrived.control() == needs.control);
  };
  return rules;
}

Rules NeverOneAtATime() {
  Rules rules = reference::StandardRules();
  rules.may_begin = [](int64_t live, int64_t parallel) { return parallel > 1 && live < parallel; };
  return rules;
}

Rules FramesThatNeverEnd() {
  Rules rules = reference::StandardRules();
  rules.frame_ended = [](const reference::FrameState&) { return false; };
  return rules;
}

// What is first found wrong with the claim, of what begins so, within so many programs.
Violation Caught(const ProgramClaim& claim, const std::string& profile, const Rules& rules,
                 const std::string& begin = "") {
  const Result<Profile> known = ProfileOf(profile);
  if (!known.ok()) return std::nullopt;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, *known);
    const Violation violation = claim(program, choices, *ReferenceEngine(rules));
    if (violation && violation->starts_with(begin)) return violation;
  }
  return std::nullopt;
}

TEST(BrokenEngineTest, EveryPropertyCatchesAnEngineThatIsWrongNowAndThen) {
  for (const ProgramProperty& property : ProgramProperties()) {
    EXPECT_TRUE(Caught(property.check, property.profile, Flaky())) << property.name;
  }
}

TEST(BrokenEngineTest, NoPropertyBlamesTheStandard) {
  for (const ProgramProperty& property : ProgramProperties()) {
    const Result<Profile> profile = ProfileOf(property.profile);
    ASSERT_TRUE(profile.ok());
    Choices choices = Choices::FromSeed(1);
    const Program program = GenerateProgram(choices, *profile);
    EXPECT_EQ(property.check(program, choices, StandardReference()), std::nullopt) << property.name;
  }
}

TEST(BrokenEngineTest, EdgesThatDoNotOrderAreSeenInOtherOrders) {
  EXPECT_TRUE(Caught(RandomOrder, "effects", NoControl(), "in order ") ||
              Caught(RandomOrder, "effects", NoControl(), "race on "));
}

TEST(BrokenEngineTest, ALoopThatCannotGoOneAtATimeIsSeenWithOtherWidths) {
  const Violation violation = Caught(Parallel, "default", NeverOneAtATime());
  ASSERT_TRUE(violation);
}

TEST(BrokenEngineTest, FramesThatNeverEndAreSeenByTheEvaluator) {
  EXPECT_TRUE(Caught(EqualsDirect, "default", FramesThatNeverEnd()));
}

}  // namespace
}  // namespace tagflow::fuzz
