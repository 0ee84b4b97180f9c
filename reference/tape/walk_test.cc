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

}  // namespace
}  // namespace tagflow::reference
