#include "optimized/kernels/tap_grid.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace tagflow::optimized {
namespace {

// (window, element of the window, element of the image) that meet.
using Meetings = std::set<std::tuple<int64_t, int64_t, int64_t>>;

Meetings ByDefinition(const WindowDim& dim) {
  Meetings meetings;
  for (int64_t o = 0; o < dim.count; ++o) {
    for (int64_t w = 0; w < dim.window; ++w) {
      const int64_t i = o * dim.stride + w * dim.dilation - dim.padding_before;
      if (i >= 0 && i < dim.image) meetings.emplace(o, w, i);
    }
  }
  return meetings;
}

Meetings OfAxis(const TapAxis& axis, bool is_of_gradient) {
  Meetings meetings;
  for (int64_t row = 0; row < axis.rows; ++row) {
    for (const Tap& tap : axis.taps) {
      const int64_t place = row * axis.step + tap.offset;
      if (place < 0 || place >= axis.source) continue;
      const int64_t made = axis.first + row * axis.stride;
      meetings.emplace(is_of_gradient ? place : made, tap.in_window, is_of_gradient ? made : place);
    }
  }
  return meetings;
}

TEST(TapGridTest, TapsAreWhatWindowsLookAt) {
  for (int number = 0; number < 2 * 7 * 4 * 3 * 3 * 3; ++number) {
    int rest = number;
    const auto draw = [&rest](int least, int count) {
      const int value = least + rest % count;
      rest /= count;
      return value;
    };
    const WindowPadding padding = draw(0, 2) == 0 ? WindowPadding::kSame : WindowPadding::kExplicit;
    const Result<WindowDim> dim = PlaceWindows({.image = draw(1, 7),
                                                .window = draw(1, 4),
                                                .stride = draw(1, 3),
                                                .dilation = draw(1, 3),
                                                .padding_before = draw(0, 3),
                                                .padding_after = 2},
                                               padding);
    if (!dim.ok()) continue;
    EXPECT_EQ(OfAxis(AxisOfImage(*dim), false), ByDefinition(*dim));
    Meetings of_phases;
    int64_t rows = 0;
    for (const TapAxis& axis : AxesOfGradient(*dim)) {
      of_phases.merge(OfAxis(axis, true));
      rows += axis.rows;
      EXPECT_TRUE(axis.taps.empty() || axis.taps.front().offset <= axis.taps.back().offset);
    }
    EXPECT_EQ(of_phases, ByDefinition(*dim));
    EXPECT_EQ(rows, dim->image);
  }
}

TEST(TapGridTest, TapsThatLookOutsideFromEveryRowAreLeftOut) {
  const WindowDim dim = *PlaceWindows({.image = 2, .window = 1000000}, WindowPadding::kSame);
  EXPECT_EQ(AxisOfImage(dim).taps.size(), 3u);
  EXPECT_EQ(AxesOfGradient(dim)[0].taps.size(), 3u);
}

TEST(TapGridTest, RowsAndTapsAreCountedInOrder) {
  const WindowDim dim = *PlaceWindows({.image = 5, .window = 2}, WindowPadding::kValid);
  const TapAxis plane, axis = AxisOfImage(dim);
  const TapGrid grid = {2, {&plane, &axis, &axis}};
  EXPECT_EQ(grid.NumRows(), 32);
  EXPECT_EQ(grid.NumTaps(), 4);
  EXPECT_EQ(grid.InWindow(3), 3);
  GridPlace place = GridPlace::Of(grid, 0);
  for (int64_t row = 0; row < grid.NumRows(); ++row, place.Advance(grid)) {
    EXPECT_EQ(GridPlace::Of(grid, row).at, place.at);
    EXPECT_EQ(ElementOf(grid, {16, {16, 4, 1}, 1}, place), row);
  }
  EXPECT_TRUE(axis.IsConsecutive());
}

TEST(TapGridTest, StepsOfImages) {
  const ImageSteps last = ImageSteps::Of({4, false}, Dims{2, 3, 4, 5});
  EXPECT_EQ(last.batch, 60);
  EXPECT_EQ(last.spatial, (std::array<int64_t, 3>{0, 20, 5}));
  EXPECT_EQ(last.channel, 1);
  const ImageSteps second = ImageSteps::Of({5, true}, Dims{2, 3, 4, 5, 6});
  EXPECT_EQ(second.channel, 120);
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(ImageSteps::Of({4, false}, Dims{0, huge, huge, 1}).batch, 0);
  EXPECT_EQ(second.spatial, (std::array<int64_t, 3>{30, 6, 1}));
}

}  // namespace
}  // namespace tagflow::optimized
