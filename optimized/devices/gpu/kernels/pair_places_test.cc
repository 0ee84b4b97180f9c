#include "optimized/devices/gpu/kernels/pair_places.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(PairPlaces, AreOneRowWhereNothingRepeats) {
  EXPECT_EQ(PlacesOf(Dims{2, 3}, Dims{2, 3}, Dims{2, 3})->rank, 0);
  EXPECT_EQ(PlacesOf(Dims{}, Dims{2, 3}, Dims{2, 3})->rank, 0);
  EXPECT_EQ(PlacesOf(Dims{2, 3, 4}, Dims{3, 4}, Dims{2, 3, 4})->rank, 2) << "two in one";
}

TEST(PairPlaces, FindWhatEachElementIsMadeOf) {
  const Dims x = {3, 1, 5}, y = {4, 1}, out = {3, 4, 5};
  const PairPlaces places = *PlacesOf(x, y, out);
  for (int64_t i = 0; i < 60; ++i) {
    int64_t x_at = -1, y_at = -1;
    places.Find(i, x_at, y_at);
    EXPECT_EQ(x_at, i / 20 * 5 + i % 5);
    EXPECT_EQ(y_at, i / 5 % 4);
  }
}

TEST(PairPlaces, RefuseWhatHasTooManyParts) {
  Dims x, y, out;
  for (int i = 0; i < 9; ++i) {
    x.push_back(i % 2 == 0 ? 1 : 2);
    y.push_back(i % 2 == 0 ? 2 : 1);
    out.push_back(2);
  }
  EXPECT_EQ(PlacesOf(x, y, out).status().code(), Code::kUnimplemented);
  EXPECT_TRUE(
      PlacesOf(DimsView(x).subspan(1), DimsView(y).subspan(1), DimsView(out).subspan(1)).ok());
}

}  // namespace
}  // namespace tagflow::optimized
