#include "optimized/devices/gpu/kernels/walk.h"

#include <gtest/gtest.h>

#include <vector>

namespace tagflow::optimized {
namespace {

std::vector<int64_t> Places(const Walk<2>& walk, int tensor) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < walk.count; ++i) {
    int64_t at[2];
    walk.Find(i, at);
    places.push_back(at[tensor]);
  }
  return places;
}

TEST(Walk, JoinsDimensionsThatAllTensorsWalkAsOne) {
  Walk<2> walk;
  ASSERT_TRUE(walk.Add(4, {1, 1}).ok());
  ASSERT_TRUE(walk.Add(1, {100, 100}).ok());
  ASSERT_TRUE(walk.Add(3, {4, 4}).ok());
  EXPECT_EQ(walk.rank, 1);
  EXPECT_EQ(walk.dims[0], 12);
  ASSERT_TRUE(walk.Add(2, {0, 12}).ok());
  EXPECT_EQ(walk.rank, 2);
  EXPECT_EQ(walk.count, 24);
}

TEST(Walk, FindsPlacesByTheStepsOfEach) {
  Walk<2> walk;  // a matrix [2, 3], transposed
  ASSERT_TRUE(walk.Add(2, {3, 1}).ok());
  ASSERT_TRUE(walk.Add(3, {1, 2}).ok());
  EXPECT_EQ(Places(walk, 0), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Places(walk, 1), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Walk, OfNoDimensionIsOnePlace) {
  const Walk<2> walk;
  EXPECT_EQ(Places(walk, 0), std::vector<int64_t>{0});
}

TEST(Walk, IsEmptyWhereADimensionIs) {
  Walk<2> walk;
  ASSERT_TRUE(walk.Add(0, {1, 1}).ok());
  ASSERT_TRUE(walk.Add(3, {0, 0}).ok());
  EXPECT_EQ(walk.count, 0);
}

TEST(Walk, TakesDimensionsBesideAnEmptyOneWhoseProductDoesNotFit) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  Walk<2> walk;
  ASSERT_TRUE(walk.Add(kLarge, {1, 1}).ok());
  ASSERT_TRUE(walk.Add(kLarge, {kLarge, kLarge}).ok());
  ASSERT_TRUE(walk.Add(0, {0, 0}).ok());
  EXPECT_EQ(walk.count, 0);
}

TEST(Walk, RefusesMoreDimensionsThanItHolds) {
  Walk<2> walk;
  for (int d = 0; d < Walk<2>::kRankMax; ++d) ASSERT_TRUE(walk.Add(2, {1, 1 + d}).ok());
  EXPECT_EQ(walk.Add(2, {1, 1000}).code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow::optimized
