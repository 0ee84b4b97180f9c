#include "optimized/straight/moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tagflow::optimized {
namespace {

// The moves, with spare slots from 10 on.
std::vector<Move> Sequence(const std::vector<Move>& moves) {
  uint32_t spare = 10;
  return InSequence(moves, [&spare] { return spare++; });
}

// What the slots 0 … 9 hold after the moves, each having held its own number.
std::vector<uint32_t> After(const std::vector<Move>& sequence) {
  std::vector<uint32_t> held(20);
  for (uint32_t i = 0; i < 20; ++i) held[i] = i;
  for (const Move& move : sequence) held[move.to] = held[move.from];
  held.resize(10);
  return held;
}

void ExpectAtOnce(const std::vector<Move>& moves) {
  std::vector<uint32_t> expected(10);
  for (uint32_t i = 0; i < 10; ++i) expected[i] = i;
  for (const Move& move : moves) expected[move.to] = move.from;
  EXPECT_EQ(After(Sequence(moves)), expected);
}

TEST(MovesTest, AMoveToItselfIsNone) { EXPECT_TRUE(Sequence({{3, 3}}).empty()); }

TEST(MovesTest, ReadersComeBeforeTheWriter) {
  ExpectAtOnce({{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(Sequence({{0, 1}, {1, 2}}), (std::vector<Move>{{1, 2}, {0, 1}}));
}

TEST(MovesTest, EachCycleGoesThroughASlotOfItsOwn) {
  EXPECT_EQ(Sequence({{0, 1}, {1, 0}, {2, 3}, {3, 2}}),
            (std::vector<Move>{{1, 10}, {0, 1}, {10, 0}, {3, 11}, {2, 3}, {11, 2}}));
  ExpectAtOnce({{0, 1}, {1, 0}});
  ExpectAtOnce({{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 3}});
}

TEST(MovesTest, OneValueMayGoToMany) { ExpectAtOnce({{0, 1}, {0, 2}, {1, 0}, {2, 3}, {3, 4}}); }

TEST(MovesTest, AnyMovesAtAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<Move> moves;
    for (uint32_t to = 0; to < 8; ++to) {
      if (random() % 4 != 0) moves.push_back({static_cast<uint32_t>(random() % 8), to});
    }
    std::shuffle(moves.begin(), moves.end(), random);
    ExpectAtOnce(moves);
  }
}

}  // namespace
}  // namespace tagflow::optimized
