#include "fuzz/generate/choices.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tagflow::fuzz {
namespace {

std::vector<uint32_t> Draw(Choices choices, const std::vector<uint32_t>& ranges) {
  for (const uint32_t range : ranges) choices.Below(range);
  return choices.drawn();
}

const std::vector<uint32_t> kRanges = {2, 100, 7, 1000000, 3, 256, 257, 4000000000u};

TEST(ChoicesTest, AreThoseOfTheSeed) {
  EXPECT_EQ(Draw(Choices::FromSeed(7), kRanges), Draw(Choices::FromSeed(7), kRanges));
  EXPECT_NE(Draw(Choices::FromSeed(7), kRanges), Draw(Choices::FromSeed(8), kRanges));
}

TEST(ChoicesTest, StayInTheirRange) {
  Choices choices = Choices::FromSeed(1);
  for (int i = 0; i < 2000; ++i) {
    const uint32_t range = kRanges[static_cast<size_t>(i) % kRanges.size()];
    EXPECT_LT(choices.Below(range), range);
  }
}

TEST(ChoicesTest, OfASeedAreSpreadEvenly) {
  Choices choices = Choices::FromSeed(3);
  std::array<int, 10> counts = {};
  for (int i = 0; i < 10000; ++i) ++counts[choices.Below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(ChoicesTest, ARangeOfOneDrawsNothing) {
  Choices choices = Choices::FromSeed(1);
  EXPECT_EQ(choices.Below(1), 0u);
  EXPECT_EQ(choices.Between(5, 5), 5);
  EXPECT_TRUE(choices.drawn().empty());
}

TEST(ChoicesTest, ReplayWhatWasDrawn) {
  const std::vector<uint32_t> drawn = Draw(Choices::FromSeed(42), kRanges);
  EXPECT_EQ(Draw(Choices::FromNumbers(drawn), kRanges), drawn);
}

TEST(ChoicesTest, TakeNumbersModuloTheRange) {
  Choices choices = Choices::FromNumbers({17, 5});
  EXPECT_EQ(choices.Below(10), 7u);
  EXPECT_EQ(choices.Below(2), 1u);
  EXPECT_EQ(choices.drawn(), (std::vector<uint32_t>{7, 1}));
}

TEST(ChoicesTest, AreTheSimplestPastTheEnd) {
  Choices numbers = Choices::FromNumbers({});
  EXPECT_EQ(numbers.Below(10), 0u);
  EXPECT_FALSE(numbers.Chance(kNearlyAlways));
  Choices bytes = Choices::FromBytes("");
  EXPECT_EQ(bytes.Between(3, 9), 3);
}

TEST(ChoicesTest, TakeAsFewBytesAsTheRangeNeeds) {
  const std::string bytes("\x05\x01\x02\x07", 4);
  Choices choices = Choices::FromBytes(bytes);
  EXPECT_EQ(choices.Below(256), 5u);            // one byte
  EXPECT_EQ(choices.Below(257), 0x102u % 257);  // two
  EXPECT_EQ(choices.Below(2), 1u);
}

TEST(ChoicesTest, ChanceIsOutOfAHundred) {
  constexpr int kDraws = 10000;
  Choices choices = Choices::FromSeed(5);
  for (const Odds odds : {kNever, kRarely, kSeldom, kSometimes, kEvenly, kMostly, kAlways}) {
    int hits = 0;
    for (int i = 0; i < kDraws; ++i) hits += choices.Chance(odds);
    EXPECT_NEAR(hits, kDraws / 100 * static_cast<int>(odds), 200);
  }
}

TEST(ChoicesTest, WeightedFollowsTheWeights) {
  Choices choices = Choices::FromSeed(9);
  const Odds weights[] = {kNever, kSometimes, kNever, kSeldom};
  std::array<int, 4> counts = {};
  for (int i = 0; i < 4000; ++i) ++counts[choices.Weighted(weights)];
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[2], 0);
  EXPECT_NEAR(counts[1], 4000 * 25 / 35, 150);
  EXPECT_EQ(Choices::FromNumbers({}).Weighted(weights), 1u);
}

}  // namespace
}  // namespace tagflow::fuzz
