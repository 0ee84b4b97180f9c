#include "reference/tape/walk.h"

#include <gtest/gtest.h>

namespace tagflow::reference {
namespace {

using Places = std::vector<size_t>;

TEST(Walk, GoesInRowMajorOrder) {
  EXPECT_EQ(StepsOf(Dims{2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(Walk(Dims{2, 2}, {1, 2}), (Places{0, 2, 1, 3}));  // a transpose
  EXPECT_EQ(Walk(Dims{3}, {-2}, 5), (Places{5, 3, 1}));
  EXPECT_EQ(Walk(Dims{}, {}, 7), Places{7});
  EXPECT_EQ(Walk(Dims{2, 0}, {1, 1}), Places{});
}

TEST(Walk, BroadcastingRepeatsMissingDimensionsAndThoseOfOne) {
  EXPECT_EQ(BroadcastWalk(Dims{2}, Dims{2, 2}), (Places{0, 1, 0, 1}));
  EXPECT_EQ(BroadcastWalk(Dims{2, 1}, Dims{2, 2}), (Places{0, 0, 1, 1}));
  EXPECT_EQ(BroadcastWalk(Dims{}, Dims{3}), (Places{0, 0, 0}));
}

TEST(Walk, VisitsEveryPlaceOnce) {
  Places places;
  ForEachCoordinate(Dims{2, 3}, [&](const Dims& at) { places.push_back(PlaceOf(at, {3, 1})); });
  EXPECT_EQ(places, (Places{0, 1, 2, 3, 4, 5}));
  int visits = 0;
  ForEachCoordinate(Dims{2, 0}, [&](const Dims&) { ++visits; });
  EXPECT_EQ(visits, 0);
  ForEachCoordinate(Dims{}, [&](const Dims& at) { visits += at.empty() ? 1 : 10; });
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace tagflow::reference
