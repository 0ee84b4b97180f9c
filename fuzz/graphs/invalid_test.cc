// Tests: violation_node.cc, violation_frame.cc, violation_step.cc, violation_state.cc

#include "fuzz/graphs/invalid.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzz/graphs/properties.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kSamples = 400;

TEST(Invalid, EveryViolationIsRefusedAsTheStandardSays) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample sample = MakeInvalid(choices);
    ASSERT_TRUE(sample.error);
    ++seen[sample.error->violation];
    const Problem problem = IsRefused(sample, choices);
    EXPECT_FALSE(problem) << "seed " << seed << ": " << *problem << "\n" << ToText(sample);
  }
  for (const std::string& violation : Violations()) EXPECT_GE(seen[violation], 3) << violation;
  EXPECT_EQ(seen.size(), Violations().size());
}

TEST(Invalid, AnotherErrorThanTheOneThatMustComeIsNoticed) {
  Choices choices = Choices::FromSeed(1);
  const GraphSample sample = MakeInvalid(choices);
  ASSERT_FALSE(IsRefused(sample, choices));
  GraphSample code = sample.Clone();
  code.error->code = Code::kDataLoss;
  EXPECT_TRUE(IsRefused(code, choices));
  GraphSample rule = sample.Clone();
  rule.error->rule = "token.1";
  EXPECT_TRUE(IsRefused(rule, choices));
  GraphSample node = sample.Clone();
  node.error->node = "nobody";
  EXPECT_TRUE(IsRefused(node, choices));
}

}  // namespace
}  // namespace tagflow::fuzz
