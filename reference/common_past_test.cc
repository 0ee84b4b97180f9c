#include "reference/common_past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <vector>

namespace tagflow::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Firings = std::vector<int64_t>;

History HistoryOf(const std::vector<Firings>& after) {
  History history;
  for (const Firings& earlier : after) history.firings.push_back({nullptr, "", earlier, {}});
  return history;
}

// 0 → 1 → 2 → 3, 1 → 4, and 5 by itself.
const History& Fork() {
  static const History& history = *new History(HistoryOf({{}, {0}, {1}, {2}, {1}, {}}));
  return history;
}

Firings Latest(const History& history, const Firings& a, const Firings& b) {
  return CommonPast().Latest(history, a, b);
}

TEST(CommonPastTest, TheForkOfTwoChains) {
  EXPECT_THAT(Latest(Fork(), {3}, {4}), ElementsAre(1));
  EXPECT_THAT(Latest(Fork(), {4}, {3}), ElementsAre(1));
}

TEST(CommonPastTest, OneBeforeTheOtherIsCommon) {
  EXPECT_THAT(Latest(Fork(), {3}, {2}), ElementsAre(2));
  EXPECT_THAT(Latest(Fork(), {3}, {3}), ElementsAre(3));
}

TEST(CommonPastTest, NothingInCommon) {
  EXPECT_THAT(Latest(Fork(), {3}, {5}), IsEmpty());
  EXPECT_THAT(Latest(Fork(), {3}, {}), IsEmpty());
}

TEST(CommonPastTest, SeveralOfWhichNoneIsBeforeAnother) {
  // 2 and 3 come after 0 and after 1.
  EXPECT_THAT(Latest(HistoryOf({{}, {}, {0, 1}, {0, 1}}), {2}, {3}), ElementsAre(1, 0));
}

std::set<int64_t> AllBefore(const History& history, const Firings& firings) {
  std::set<int64_t> before(firings.begin(), firings.end());
  Firings stack = firings;
  while (!stack.empty()) {
    const int64_t at = stack.back();
    stack.pop_back();
    for (const int64_t earlier : history.firings[static_cast<size_t>(at)].after) {
      if (before.insert(earlier).second) stack.push_back(earlier);
    }
  }
  return before;
}

TEST(CommonPastTest, WithAllBeforeThemTheyAreAllInCommon) {
  constexpr int kHistories = 300, kFirings = 30;
  std::mt19937 random(1);
  CommonPast past;  // one for all: nothing is left over from the one before
  for (int i = 0; i < kHistories; ++i) {
    std::vector<Firings> after(kFirings);
    for (int firing = 1; firing < kFirings; ++firing) {
      for (size_t edges = random() % 3; edges > 0; --edges) {
        after[static_cast<size_t>(firing)].push_back(random() % static_cast<uint32_t>(firing));
      }
    }
    const History history = HistoryOf(after);
    const auto any = [&] { return static_cast<int64_t>(random() % kFirings); };
    const Firings a = {any(), any()}, b = {any()};
    const std::set<int64_t> before_a = AllBefore(history, a), before_b = AllBefore(history, b);
    std::set<int64_t> common;
    std::ranges::set_intersection(before_a, before_b, std::inserter(common, common.end()));
    const Firings latest = past.Latest(history, a, b);
    EXPECT_EQ(AllBefore(history, latest), common);
    for (const int64_t one : latest) {
      Firings others = latest;
      std::erase(others, one);
      EXPECT_FALSE(AllBefore(history, others).contains(one)) << one << " is before another";
    }
  }
}

}  // namespace
}  // namespace tagflow::reference
