#include "fuzz/generate/swarm.h"

#include <gtest/gtest.h>

#include <set>

namespace tagflow::fuzz {
namespace {

constexpr int kTable[] = {10, 11, 12, 13};

TEST(Swarm, HasEverySetOfRowsButNone) {
  std::set<std::vector<size_t>> sets;
  int whole = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Swarm swarm(std::size(kTable), choices);
    sets.insert(swarm.rows());
    whole += swarm.rows().size() == std::size(kTable) ? 1 : 0;
  }
  EXPECT_EQ(sets.size(), 15u);
  EXPECT_GT(whole, 80);
}

TEST(Swarm, TakesTheRowsThatAreIn) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Swarm swarm(std::size(kTable), choices);
    std::set<int> taken, wanted;
    for (const size_t row : swarm.rows()) wanted.insert(kTable[row]);
    for (int i = 0; i < 100; ++i) taken.insert(swarm.Of(kTable, choices));
    EXPECT_EQ(taken, wanted);
  }
}

TEST(Swarm, IsOfTheFirstRowWhereChoicesAreTheSimplest) {
  Choices choices = Choices::FromNumbers({});
  EXPECT_EQ(Swarm(std::size(kTable), choices).rows(), std::vector<size_t>{0});
}

TEST(Sizes, AroundALimitAreOnBothSidesOfItAndOfTwiceIt) {
  std::set<int64_t> sizes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    sizes.insert(choices.AroundLimit(32));
  }
  EXPECT_EQ(sizes, (std::set<int64_t>{31, 32, 33, 63, 64, 65}));
  Choices simplest = Choices::FromNumbers({});
  EXPECT_EQ(simplest.AroundLimit(32), 32);
  EXPECT_EQ(simplest.Between(kFew), 1);
}

}  // namespace
}  // namespace tagflow::fuzz
