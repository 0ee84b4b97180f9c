#include "fuzz/harness/mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fuzz/harness/registry.h"

namespace tagflow::fuzz {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::set<std::string> NamesIn(const std::vector<Claim>& claims) {
  std::set<std::string> names;
  for (const Claim& claim : claims) names.insert(claim.property.name);
  return names;
}

// But derivatives of higher order and by duals, which take long.
TEST(MixtureTest, EveryPropertyHasItsTurn) {
  const std::set<std::string> names = NamesIn(*PlainRun("reference"));
  std::vector<std::string> missing;
  for (const Property& property : AllProperties()) {
    if (!names.contains(property.name)) missing.push_back(property.name);
  }
  EXPECT_THAT(missing, ElementsAre("second_order", "third_order", "tape", "finite-differences"));
  EXPECT_EQ(names, NamesIn(*PlainRun("optimized:2")));
}

TEST(MixtureTest, AnEngineOfAnotherProcessIsAskedForNoSessions) {
  const std::vector<Claim> claims = *PlainRun("python3 engine.py");
  for (const Claim& claim : claims) EXPECT_FALSE(claim.property.opens_sessions);
  EXPECT_THAT(NamesIn(claims), Contains("graphs-altered"));
  EXPECT_THAT(NamesIn(claims), Not(Contains("gradient")));
}

TEST(MixtureTest, ABadNameIsAnError) { EXPECT_FALSE(PlainRun("reference:x").ok()); }

}  // namespace
}  // namespace tagflow::fuzz
