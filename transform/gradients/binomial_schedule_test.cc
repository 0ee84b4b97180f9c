// Tests: binomial_schedule.cc

#include "transform/gradients/binomial_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tagflow::internal {
namespace {

int64_t Beta(int64_t s, int64_t r) {  // C(s + r, s)
  int64_t beta = r < 0 ? 0 : 1;
  for (int64_t i = 1; i <= r; ++i) beta = beta * (s + i) / i;
  return beta;
}

// t(n, s)
int64_t Formula(int64_t n, int64_t s) {
  int64_t r = 0;
  while (Beta(s, r) < n) ++r;
  return r * n - Beta(s + 1, r - 1);
}

// The steps of the first sweep and of the way back, and how many states were saved at a time.
struct Counts {
  int64_t steps = 0;
  size_t states = 0;
};
Counts Reverse(int64_t n, int64_t s) {
  std::vector<int32_t> saved = FirstSweep(n, s);
  Counts counts{n - 1, saved.size() - 1};
  for (int64_t i = n - 1; i >= 0; --i) {
    int32_t at = saved.back();
    saved.pop_back();
    while (at < i) {
      saved.push_back(at);
      counts.states = std::max(counts.states, saved.size());
      const auto free = s + 1 - static_cast<int64_t>(saved.size());
      const auto steps = static_cast<int32_t>(StepsToNextState(i + 1 - at, free));
      EXPECT_GT(steps, 0);
      counts.steps += steps;
      at += steps;
    }
    EXPECT_EQ(at, i);
  }
  EXPECT_TRUE(saved.empty());
  return counts;
}

TEST(BinomialSchedule, TakesAsManyStepsAsTheFormulaSays) {
  for (int64_t s = 1; s <= 8; ++s) {
    for (int64_t n = 1; n <= 120; ++n) {
      const Counts counts = Reverse(n, s);
      EXPECT_EQ(counts.steps, Formula(n, s)) << n << " iterations, " << s << " states";
      EXPECT_LE(counts.states, static_cast<size_t>(s));
    }
  }
}

// By trying all of them.
TEST(BinomialSchedule, IsTheBest) {
  constexpr int64_t kStates = 6, kLength = 80;
  std::vector<std::vector<int64_t>> best(kStates + 1, std::vector<int64_t>(kLength + 1, 0));
  for (int64_t s = 1; s <= kStates; ++s) {
    for (int64_t n = 2; n <= kLength; ++n) {
      best[s][n] = n * (n - 1) / 2;
      for (int64_t m = 1; m < n && s > 1; ++m) {
        best[s][n] = std::min(best[s][n], m + best[s - 1][n - m] + best[s][m]);
      }
      EXPECT_EQ(Formula(n, s), best[s][n]) << n << " iterations, " << s << " states";
    }
  }
}

TEST(BinomialSchedule, HasNoTrouble) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const int64_t states : {int64_t{1}, int64_t{2}, int64_t{50}, kMost}) {
    const int64_t steps = StepsToNextState(kMost, states);
    EXPECT_GT(steps, 0);
    EXPECT_LT(steps, kMost);
  }
  EXPECT_EQ(FirstSweep(0, 3), std::vector<int32_t>{0});
  EXPECT_EQ(FirstSweep(1, 3), std::vector<int32_t>{0});
  EXPECT_EQ(FirstSweep(4, 4), (std::vector<int32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tagflow::internal
