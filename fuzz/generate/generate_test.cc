// Tests: branches.cc, chains.cc, generate.cc, literals.cc, loop_count.cc, loop_variables.cc,
// Tests: loops.cc, maker.cc, operations.cc, profile.cc, repeat.cc, shapes.cc, stores.cc

#include "fuzz/generate/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fuzz/direct/direct.h"
#include "fuzz/program/check.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kSeeds = 150;

Program Generate(uint64_t seed, const Profile& profile) {
  Choices choices = Choices::FromSeed(seed);
  return GenerateProgram(choices, profile);
}

bool AllFinite(const Tensor& tensor) {
  const auto finite = [](auto x) { return std::isfinite(x); };
  if (tensor.dtype() == DType::kFloat) return std::ranges::all_of(tensor.flat<float>(), finite);
  if (tensor.dtype() == DType::kDouble) return std::ranges::all_of(tensor.flat<double>(), finite);
  return true;
}

// The largest bound of the rounding error, for values of about 1.
double Tolerance(const Tensor& tolerance, const Tensor& value) {
  if (!tolerance.has_value() || value.dtype() != DType::kDouble) return 0;
  double worst = 0;
  for (size_t i = 0; i < tolerance.flat<double>().size(); ++i) {
    const double size = std::max(1.0, std::fabs(value.flat<double>()[i]));
    worst = std::max(worst, tolerance.flat<double>()[i] / size);
  }
  return worst;
}

class GenerateTest : public testing::TestWithParam<Profile> {};

TEST_P(GenerateTest, ProgramsAreValidAndRunToTheirEnd) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Program program = Generate(seed, GetParam());
    const Status valid = Check(program);
    ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid.ToString();
    const auto runs = Evaluate(program);
    ASSERT_TRUE(runs.ok()) << "seed " << seed << ": " << runs.status().ToString();
  }
}

TEST_P(GenerateTest, NumbersAreTameUnlessSpecialOnesAreAskedFor) {
  int special = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto runs = Evaluate(Generate(seed, GetParam()));
    ASSERT_TRUE(runs.ok());
    for (const RunResult& run : *runs) {
      special += static_cast<int>(
          std::ranges::count_if(run.values, [](const Tensor& value) { return !AllFinite(value); }));
    }
  }
  EXPECT_EQ(special > 0, GetParam().specials);
}

TEST_P(GenerateTest, TheSameChoicesGiveTheSameProgram) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const std::string text = ToText(GenerateProgram(choices, GetParam()));
    Choices again = Choices::FromNumbers(choices.drawn());
    EXPECT_EQ(ToText(GenerateProgram(again, GetParam())), text) << "seed " << seed;
    EXPECT_EQ(again.drawn(), choices.drawn());
  }
}

TEST_P(GenerateTest, ChoicesOfZeroGiveTheSimplestProgram) {
  Choices choices = Choices::FromNumbers({});
  const Program program = GenerateProgram(choices, GetParam());
  EXPECT_TRUE(Check(program).ok());
  EXPECT_LE(Size(program), 3);
}

TEST_P(GenerateTest, AnyBytesGiveAProgram) {
  Choices seeds = Choices::FromSeed(11);
  for (int i = 0; i < 60; ++i) {
    std::string bytes(seeds.Below(600), '\0');
    for (char& byte : bytes) byte = static_cast<char>(seeds.Below(256));
    Choices choices = Choices::FromBytes(bytes);
    const Program program = GenerateProgram(choices, GetParam());
    EXPECT_TRUE(Check(program).ok()) << Check(program).ToString();
    EXPECT_TRUE(Evaluate(program).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, GenerateTest, testing::ValuesIn(Profiles()),
                         [](const auto& info) { return info.param.name; });

// A bool loop variable that depends on inexact numbers, and an element of an array.
TEST(GenerateBoolTest, IsNeitherClampedNorScaled) {
  const Status valid = Check(Generate(538, *ProfileOf("smooth")));
  EXPECT_TRUE(valid.ok()) << valid.ToString();
}

TEST(TamenessTest, WithoutInexactOperationsResultsNeedNoTolerance) {
  DirectOptions options;
  options.tolerances = true;
  const Profile exact = *ProfileOf("exact");
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto runs = Evaluate(Generate(seed, exact), options);
    ASSERT_TRUE(runs.ok());
    for (const RunResult& run : *runs) {
      for (const Tensor& tolerance : run.tolerances) EXPECT_FALSE(tolerance.has_value());
    }
  }
}

TEST(TamenessTest, RoundingErrorsStaySmall) {
  DirectOptions options;
  options.tolerances = true;
  int loose = 0, results = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto runs = Evaluate(Generate(seed, Profile()), options);
    ASSERT_TRUE(runs.ok());
    for (const RunResult& run : *runs) {
      for (size_t i = 0; i < run.values.size(); ++i) {
        ++results;
        loose += Tolerance(run.tolerances[i], run.values[i]) > 1e-6;
      }
    }
  }
  EXPECT_LT(loose, results / 100);
}

TEST(TamenessTest, GradientsAreFiniteToTheThirdOrderAndSeldomZero) {
  const Profile gradient = *ProfileOf("gradient");
  int zero = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Program program = Generate(seed, gradient);
    EXPECT_EQ(program.type(program.body.results[0]), (Type{Kind::kTensor, DType::kDouble, {}}));
    bool moves = false;
    for (int order = 1; order <= 3; ++order) {
      const auto derivative = Derivative(program, 0, 0, order);
      ASSERT_TRUE(derivative.ok()) << derivative.status().ToString();
      EXPECT_TRUE(AllFinite(*derivative)) << "seed " << seed << ", order " << order;
      moves |= derivative->scalar<double>() != 0;
    }
    zero += !moves;
  }
  EXPECT_LT(zero, 30);
}

TEST(ProfileTest, AnUnknownNameListsThoseThereAre) {
  EXPECT_EQ(ProfileOf("tiny")->name, "tiny");
  const Status status = ProfileOf("tinny").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  for (const Profile& profile : Profiles()) {
    EXPECT_NE(status.message().find(profile.name), std::string::npos) << profile.name;
    EXPECT_FALSE(profile.about.empty());
  }
}

}  // namespace
}  // namespace tagflow::fuzz
