#include "optimized/devices/gpu/kernels/reduction_places.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(ReductionPlaces, AreOneGroupWhereDimensionsAreNeighbours) {
  const ReductionPlaces places = *ReductionPlacesOf(Dims{2, 3, 1, 4}, Dims{2, 1, 1, 1});
  EXPECT_EQ(places.outputs, 2);
  EXPECT_EQ(places.elements, 12);
  EXPECT_EQ(places.reduced.rank, 1);
  EXPECT_TRUE(places.reduced_is_innermost);
}

TEST(ReductionPlaces, FindWhatEachElementIsMadeOf) {
  const ReductionPlaces places = *ReductionPlacesOf(Dims{2, 3, 4, 5}, Dims{1, 3, 1, 5});
  EXPECT_FALSE(places.reduced_is_innermost);
  for (int64_t output = 0; output < 15; ++output) {
    EXPECT_EQ(places.kept.Offset(output), output / 5 * 20 + output % 5);
  }
  for (int64_t at = 0; at < 8; ++at) {
    EXPECT_EQ(places.reduced.Offset(at), at / 4 * 60 + at % 4 * 5);
  }
}

TEST(ReductionPlaces, HaveNoneWithoutElements) {
  EXPECT_EQ(ReductionPlacesOf(Dims{0, 3}, Dims{1, 3})->elements, 0);
  EXPECT_EQ(ReductionPlacesOf(Dims{0, 3}, Dims{1, 3})->outputs, 3);
  EXPECT_EQ(ReductionPlacesOf(Dims{0, 3}, Dims{0, 1})->outputs, 0);
  EXPECT_EQ(ReductionPlacesOf(Dims{}, Dims{})->elements, 1);
}

TEST(ReductionPlaces, RefuseWhatHasTooManyGroups) {
  const Dims input(18, 2);
  Dims kept;
  for (int i = 0; i < 18; ++i) kept.push_back(i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(ReductionPlacesOf(input, kept).status().code(), Code::kUnimplemented);
  EXPECT_TRUE(ReductionPlacesOf(DimsView(input).first(16), DimsView(kept).first(16)).ok());
}

}  // namespace
}  // namespace tagflow::optimized
