// Each property on programs drawn by RapidCheck, from a fixed seed and so many of them. A failure
// is reported as the smallest program that RapidCheck finds.
// Tests: properties.cc, direct_claims.cc, graph_claims.cc, session_claims.cc, stop_claims.cc,
// order_claims.cc, placement_claim.cc, recover_claim.cc, simplify_claim.cc, with_functions.cc,
// with_gradients.cc, differences.cc

#include "fuzz/properties/properties.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <set>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

const bool kSeeded = setenv("RC_PARAMS", "seed=20 max_success=40 verbose_progress=0", 0) == 0;

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const ProgramProperty& property : ProgramProperties()) names.push_back(property.name);
  return names;
}

class PropertiesTest : public testing::TestWithParam<size_t> {};

TEST_P(PropertiesTest, Holds) {
  const ProgramProperty& property = ProgramProperties()[GetParam()];
  const Result<Profile> profile = ProfileOf(property.profile);
  ASSERT_TRUE(profile.ok()) << profile.status().ToString();
  const auto numbers = rc::gen::resize(
      1000, rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>()));
  EXPECT_TRUE(rc::check(property.about, [&] {
    Choices drawn = Choices::FromNumbers(*numbers);
    Choices choices = Choices::FromSeed(*rc::gen::arbitrary<uint32_t>());
    const Program program = GenerateProgram(drawn, *profile);
    const Violation violation = property.check(program, choices, StandardReference());
    if (violation) RC_FAIL(*violation + "\n" + ToText(program));
  }));
}

INSTANTIATE_TEST_SUITE_P(All, PropertiesTest, testing::Range(size_t{0}, Names().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           std::string name = Names()[info.param];
                           std::erase(name, '-');
                           return name;
                         });

TEST(ProgramPropertiesTest, EachHasANameOfItsOwnAndAProfile) {
  EXPECT_TRUE(kSeeded);
  const std::vector<std::string> names = Names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const ProgramProperty& property : ProgramProperties()) {
    EXPECT_FALSE(property.about.empty()) << property.name;
    EXPECT_TRUE(ProfileOf(property.profile).ok()) << property.name;
  }
}

}  // namespace
}  // namespace tagflow::fuzz
