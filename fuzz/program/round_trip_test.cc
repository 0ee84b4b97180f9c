// Programs of the generator, as text and back.

#include <gtest/gtest.h>

#include "fuzz/direct/direct.h"
#include "fuzz/generate/generate.h"
#include "fuzz/program/check.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

// Equal in every bit, or failing in the same way.
void ExpectSameResults(const Program& a, const Program& b) {
  const auto left = Evaluate(a);
  const auto right = Evaluate(b);
  ASSERT_EQ(left.ok(), right.ok());
  if (!left.ok()) {
    EXPECT_EQ(left.status().ToString(), right.status().ToString());
    return;
  }
  ASSERT_EQ(left->size(), right->size());
  for (size_t run = 0; run < left->size(); ++run) {
    ASSERT_EQ((*left)[run].values.size(), (*right)[run].values.size());
    for (size_t i = 0; i < (*left)[run].values.size(); ++i) {
      EXPECT_TRUE(BitwiseEqual((*left)[run].values[i], (*right)[run].values[i]));
    }
  }
}

TEST(RoundTripTest, GeneratedProgramsComeBackAsTheyWere) {
  int made = 0;
  for (const Profile& profile : Profiles()) {
    for (uint64_t seed = 1; seed <= 60; ++seed, ++made) {
      SCOPED_TRACE(profile.name + " " + std::to_string(seed));
      Choices choices = Choices::FromSeed(seed);
      const Program program = GenerateProgram(choices, profile);
      ASSERT_TRUE(Check(program).ok()) << Check(program).ToString() << "\n" << ToText(program);
      const std::string text = ToText(program);
      const Result<Program> read = ParseProgram(text);
      ASSERT_TRUE(read.ok()) << read.status().ToString() << "\n" << text;
      EXPECT_EQ(ToText(*read), text);
      EXPECT_EQ(read->types, Canonical(program).types);
      ExpectSameResults(program, *read);
    }
  }
  EXPECT_GE(made, 300);
}

}  // namespace
}  // namespace tagflow::fuzz
