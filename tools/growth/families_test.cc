#include "tools/growth/families.h"

#include <gtest/gtest.h>

#include "optimized/session.h"
#include "reference/session.h"

namespace tagflow::growth {
namespace {

// What is measured runs, and gives the same on both engines.
TEST(FamiliesTest, EachRunsOnBothEngines) {
  for (const Family& family : Families()) {
    const Result<Member> member = family.make(family.least);
    ASSERT_TRUE(member.ok()) << family.name << ": " << member.status().ToString();
    const auto reference = *reference::Session::Create(member->graph.Clone());
    const auto engine = *optimized::Session::Create(member->graph.Clone());
    const auto expected = reference->Run(member->feeds, member->fetches);
    const auto actual = engine->Run(member->feeds, member->fetches);
    ASSERT_TRUE(expected.ok()) << family.name << ": " << expected.status().ToString();
    ASSERT_TRUE(actual.ok()) << family.name << ": " << actual.status().ToString();
    EXPECT_TRUE(BitwiseEqual((*expected)[0], (*actual)[0])) << family.name;
  }
}

TEST(FamiliesTest, EachGrowsWithItsNumber) {
  for (const Family& family : Families()) {
    const Result<Member> small = family.make(family.least);
    const Result<Member> large = family.make(2 * family.least);
    ASSERT_TRUE(small.ok() && large.ok()) << family.name;
    EXPECT_GT(2 * large->graph.NodeIds().size(), 3 * small->graph.NodeIds().size()) << family.name;
  }
}

TEST(FamiliesTest, AreFoundByName) {
  EXPECT_EQ(FindFamily("loops")->name, "loops");
  EXPECT_EQ(FindFamily("nothing"), nullptr);
}

}  // namespace
}  // namespace tagflow::growth
