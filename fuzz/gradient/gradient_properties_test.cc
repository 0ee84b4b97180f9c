#include "fuzz/gradient/gradient_properties.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fuzz/generate/generate.h"
#include "fuzz/generate/profile.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

using Claim = std::optional<std::string> (*)(const Program&, Choices&, const GradientCheck&);

// A program drawn from RapidCheck's random numbers, and whether the claim holds of it.
void Hold(Claim claim, const char* profile, const GradientCheck& check) {
  Choices choices =
      Choices::FromSeed(*rc::gen::resize(100, rc::gen::arbitrary<uint64_t>()).as("seed"));
  const Program program = GenerateProgram(choices, *ProfileOf(profile));
  const std::optional<std::string> wrong = claim(program, choices, check);
  if (wrong.has_value()) RC_FAIL(*wrong + "\n" + ToText(program));
}

RC_GTEST_PROP(GradientProperties, TheTapeEqualsDualsOnSmoothPrograms, ()) {
  Hold(TapeEqualsDuals, "gradient", {});
}

RC_GTEST_PROP(GradientProperties, TheTapeEqualsDualsOnAnyProgram, ()) {
  Hold(TapeEqualsDuals, "default", {});
}

RC_GTEST_PROP(GradientProperties, DualsEqualFiniteDifferences, ()) {
  Hold(DualsEqualFiniteDifferences, "gradient", {});
}

// How many of `count` programs the claim fails of.
int Failures(Claim claim, int count, const GradientCheck& check) {
  int failures = 0;
  for (int seed = 0; seed < count; ++seed) {
    Choices choices = Choices::FromSeed(static_cast<uint64_t>(seed));
    const Program program = GenerateProgram(choices, *ProfileOf("gradient"));
    if (claim(program, choices, check).has_value()) ++failures;
  }
  return failures;
}

TEST(GradientProperties, AWrongDerivativeIsCaught) {
  reference::AdjointTable table = reference::AdjointTable::Standard();
  table.Set("Sin", [](reference::FiringPartials& firing) {
    const std::vector<double> x = reference::ToDoubles(firing.input(0));
    for (size_t i = 0; i < x.size(); ++i) firing.Add(0, i, 0, i, std::sin(x[i]));
    return Status();
  });
  GradientCheck check;
  check.adjoints = &table;
  EXPECT_GT(Failures(TapeEqualsDuals, 60, check), 3);
}

TEST(GradientProperties, ALoopThatForgetsAGradientIsCaught) {
  reference::AdjointTable table = reference::AdjointTable::Standard();
  table.Stop("NextIteration");
  GradientCheck check;
  check.adjoints = &table;
  EXPECT_GT(Failures(TapeEqualsDuals, 100, check), 3);
}

TEST(GradientProperties, ManyDerivativesThatAreNotZeroAreCompared) {
  GradientCheck::Counts tape, differences;
  GradientCheck check;
  check.counts = &tape;
  EXPECT_EQ(Failures(TapeEqualsDuals, 200, check), 0);
  EXPECT_GT(tape.nonzero, 200);
  EXPECT_LT(tape.largest_multiple, kTapeMultiple / 8);
  check.counts = &differences;
  EXPECT_EQ(Failures(DualsEqualFiniteDifferences, 200, check), 0);
  EXPECT_GT(differences.nonzero, 100);
  EXPECT_LT(differences.incomparable * 10, differences.derivatives);
}

TEST(GradientProperties, AStopGradientStopsTheTapeAndNotTheFiniteDifferences) {
  const Program program = ProgramOf(R"(
    input v0: double = 3
    v1: double = StopGradient(v0)
    v2: double = Mul(v0, v1)
    return v2
  )");
  Choices choices = Choices::FromNumbers({});
  EXPECT_EQ(TapeEqualsDuals(program, choices), std::nullopt);
  EXPECT_EQ(DualsEqualFiniteDifferences(program, choices), std::nullopt);
}

TEST(GradientProperties, AProgramWithoutRealResultsOrInputsHasNothingToCompare) {
  const Program program = ProgramOf("input v0: int32 = 3\nv1: int32 = Neg(v0)\nreturn v1\n");
  Choices choices = Choices::FromNumbers({});
  EXPECT_EQ(TapeEqualsDuals(program, choices), std::nullopt);
  EXPECT_EQ(DualsEqualFiniteDifferences(program, choices), std::nullopt);
}

}  // namespace
}  // namespace tagflow::fuzz
