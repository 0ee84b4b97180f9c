#include "fuzz/shrink/shrink_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tagflow::fuzz {
namespace {

using Numbers = std::vector<uint32_t>;
using Fails = std::function<bool(const Numbers&)>;

Numbers RandomNumbers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Numbers numbers(count);
  for (uint32_t& number : numbers) number = random() % 1000;
  return numbers;
}

Numbers Shrunk(const Numbers& numbers, const Fails& fails, ShrinkActivity* activity = nullptr) {
  EXPECT_TRUE(fails(numbers));
  const Numbers smallest = ShrinkChoices(numbers, fails, {}, activity);
  EXPECT_TRUE(fails(smallest));
  return smallest;
}

TEST(ShrinkChoicesTest, NothingIsLeftWhenNothingIsNeeded) {
  ShrinkActivity activity;
  EXPECT_EQ(Shrunk(
                RandomNumbers(500, 1), [](const Numbers&) { return true; }, &activity),
            Numbers());
  EXPECT_EQ(activity.tests, 1);
}

TEST(ShrinkChoicesTest, ASingleNumberIsLoweredToTheLeastThatFails) {
  ShrinkActivity activity;
  const auto fails = [](const Numbers& numbers) {
    return std::ranges::any_of(numbers, [](uint32_t number) { return number >= 613; });
  };
  EXPECT_EQ(Shrunk(RandomNumbers(300, 2), fails, &activity), Numbers{613});
  EXPECT_LE(activity.tests, 150);
}

TEST(ShrinkChoicesTest, SeveralNumbersInOrderStay) {
  const auto fails = [](const Numbers& numbers) {
    const auto first = std::ranges::find_if(numbers, [](uint32_t n) { return n > 900; });
    return std::find_if(first, numbers.end(), [](uint32_t n) { return n % 100 == 7; }) !=
           numbers.end();
  };
  EXPECT_EQ(Shrunk(RandomNumbers(400, 3), fails), (Numbers{901, 7}));
}

TEST(ShrinkChoicesTest, APlaceThatCountsKeepsItsPlace) {
  const auto fails = [](const Numbers& numbers) { return numbers.size() > 20 && numbers[20] > 4; };
  Numbers smallest(21, 0);
  smallest[20] = 5;
  EXPECT_EQ(Shrunk(RandomNumbers(100, 4), fails), smallest);
}

// The first number says how many follow; one of these must be above 500.
TEST(ShrinkChoicesTest, ACountFollowsWhatIsLeftOut) {
  const auto fails = [](const Numbers& numbers) {
    if (numbers.empty() || numbers[0] == 0 || numbers.size() < 1 + numbers[0]) return false;
    return std::any_of(numbers.begin() + 1, numbers.begin() + 1 + numbers[0],
                       [](uint32_t n) { return n > 500; });
  };
  Numbers numbers = RandomNumbers(41, 5);
  numbers[0] = 40;
  numbers[30] = 700;
  EXPECT_EQ(Shrunk(numbers, fails), (Numbers{1, 501}));
}

TEST(ShrinkChoicesTest, ASequenceGoesOnWithZeros) {
  // What is asked never ends in zeros, so that nothing is asked in two forms.
  const auto fails = [](const Numbers& numbers) {
    EXPECT_TRUE(numbers.empty() || numbers.back() != 0);
    return numbers.size() >= 3;
  };
  EXPECT_EQ(ShrinkChoices({5, 0, 7, 9, 0, 0}, fails), (Numbers{0, 0, 1}));
  EXPECT_EQ(ShrinkChoices({0, 0, 0}, [](const Numbers&) { return false; }), Numbers());
}

TEST(ShrinkChoicesTest, StopsAtItsLimits) {
  ShrinkOptions options;
  options.max_tests = 5;
  ShrinkActivity activity;
  const Numbers numbers = RandomNumbers(1000, 6);
  const uint32_t sum = std::accumulate(numbers.begin(), numbers.end(), 0u);
  const auto fails = [&](const Numbers& tried) {
    return std::accumulate(tried.begin(), tried.end(), 0u) * 2 >= sum;
  };
  ShrinkChoices(numbers, fails, options, &activity);
  EXPECT_EQ(activity.tests, 5);
  options.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(ShrinkChoices(numbers, fails, options, &activity), numbers);
  EXPECT_EQ(activity.tests, 0);
}

}  // namespace
}  // namespace tagflow::fuzz
