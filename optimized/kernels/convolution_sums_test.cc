#include "optimized/kernels/convolution_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "optimized/kernels/channel_sums.h"
#include "optimized/kernels/gather_taps.h"
#include "optimized/kernels/sums_target.h"

// Tests: convolution_sums, channel_sums, gather_taps, sums_target

namespace tagflow::optimized {
namespace {

using Floats = std::vector<float>;

// Small whole numbers: their sums are exact, in whatever order.
Floats Numbers(int64_t count) {
  Floats numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * 13 % 7 - 3));
  return numbers;
}

// Windows over an image of two dimensions, and its three tensors, channels last or second.
struct Example {
  Example(WindowDim rows, WindowDim columns, int64_t in, int64_t out, bool second)
      : dims{*PlaceWindows(rows, WindowPadding::kExplicit),
             *PlaceWindows(columns, WindowPadding::kExplicit)},
        in_channels(in),
        out_channels(out),
        image_dims(ImageDims({4, second}, kBatch, Dims{dims[0].image, dims[1].image}, in)),
        output_dims(ImageDims({4, second}, kBatch, Dims{dims[0].count, dims[1].count}, out)),
        image_steps(ImageSteps::Of({4, second}, image_dims)),
        output_steps(ImageSteps::Of({4, second}, output_dims)),
        image(Numbers(*NumElements(image_dims))),
        output(static_cast<size_t>(*NumElements(output_dims))) {}
  static constexpr int64_t kBatch = 2;

  int64_t window() const { return dims[0].window * dims[1].window; }

  // Calls visit(image, in_window, output) for elements of first channels that meet.
  template <typename Visit>
  void ForEachMeeting(Visit visit) const {
    const auto at = [](const ImageSteps& steps, int64_t batch, int64_t y, int64_t x) {
      return batch * steps.batch + y * steps.spatial[1] + x * steps.spatial[2];
    };
    const int64_t count = kBatch * dims[0].count * dims[1].count * window();
    for (int64_t number = 0; number < count; ++number) {
      const int64_t w = number % window(), o = number / window();
      const int64_t oy = o / dims[1].count % dims[0].count, ox = o % dims[1].count;
      const int64_t batch = o / dims[1].count / dims[0].count;
      const auto place = [](const WindowDim& dim, int64_t o, int64_t w) {
        return o * dim.stride + w * dim.dilation - dim.padding_before;
      };
      const int64_t y = place(dims[0], oy, w / dims[1].window);
      const int64_t x = place(dims[1], ox, w % dims[1].window);
      if (y < 0 || y >= dims[0].image || x < 0 || x >= dims[1].image) continue;
      visit(at(image_steps, batch, y, x), w, at(output_steps, batch, oy, ox));
    }
  }

  std::vector<WindowDim> dims;
  int64_t in_channels, out_channels;
  Dims image_dims, output_dims;
  ImageSteps image_steps, output_steps;
  Floats image, output;
};

SumsTarget TargetIn(Floats& floats) {
  return {reinterpret_cast<char*>(floats.data()), nullptr, sizeof(float)};
}

struct Axes {
  explicit Axes(const Example& e) : rows(AxisOfImage(e.dims[0])), columns(AxisOfImage(e.dims[1])) {}
  TapGrid grid() const { return {Example::kBatch, {&plane, &rows, &columns}}; }
  TapAxis plane, rows, columns;
};

std::vector<Example> Examples() {
  std::vector<Example> examples;
  for (const bool second : {false, true}) {
    // A window of one element, which is read where it lies.
    examples.emplace_back(WindowDim{.image = 9, .window = 1}, WindowDim{.image = 8, .window = 1}, 5,
                          7, second);
    // Sums of more terms than a tile is deep, and of more channels than it is wide.
    examples.emplace_back(
        WindowDim{.image = 6, .window = 3, .padding_before = 1, .padding_after = 1},
        WindowDim{.image = 5, .window = 3, .stride = 2, .padding_before = 2}, 40, 530, second);
    // More rows than a tile has, and taps that are apart.
    examples.emplace_back(WindowDim{.image = 20, .window = 2, .dilation = 3, .padding_after = 2},
                          WindowDim{.image = 21, .window = 3, .dilation = 2}, 2, 3, second);
  }
  return examples;
}

TEST(ConvolutionSumsTest, SumsOfTaps) {
  for (Example& e : Examples()) {
    const Axes axes(e);
    const TapGrid grid = axes.grid();
    const Floats filter = Numbers(e.window() * e.in_channels * e.out_channels);
    const FilterSteps steps = {e.in_channels * e.out_channels, e.out_channels, 1};
    const auto packed =
        FilterPanels<float>::Of(grid, e.in_channels, {filter.data(), steps, e.out_channels});
    ASSERT_TRUE(packed.ok());
    // In two calls, as two threads would.
    const int64_t rows = grid.NumRows(), half = rows / 2;
    for (const Span span : {Span{0, half}, Span{half, rows - half}}) {
      ASSERT_TRUE(SumTaps<float>(grid, {e.image.data(), e.image_steps, e.in_channels}, *packed,
                                 TargetIn(e.output), e.output_steps, span)
                      .ok());
    }
    Floats sums(e.output.size());
    e.ForEachMeeting([&](int64_t image, int64_t w, int64_t output) {
      for (int64_t i = 0; i < e.in_channels * e.out_channels; ++i) {
        const int64_t in = i / e.out_channels, out = i % e.out_channels;
        sums[output + out * e.output_steps.channel] +=
            e.image[image + in * e.image_steps.channel] * filter[w * steps.in_window + i];
      }
    });
    EXPECT_EQ(e.output, sums);
  }
}

TEST(ConvolutionSumsTest, SumsOfRows) {
  for (Example& e : Examples()) {
    const Axes axes(e);
    const TapGrid grid = axes.grid();
    const Floats gradient = Numbers(static_cast<int64_t>(e.output.size()));
    const FilterSteps steps = {e.in_channels * e.out_channels, e.out_channels, 1};
    Floats filter(static_cast<size_t>(e.window() * steps.in_window));
    ASSERT_TRUE(SumRows<float>(grid, {e.image.data(), e.image_steps, e.in_channels},
                               {gradient.data(), e.output_steps, e.out_channels}, TargetIn(filter),
                               steps, {0, grid.NumTaps() * e.in_channels})
                    .ok());
    Floats sums(filter.size());
    e.ForEachMeeting([&](int64_t image, int64_t w, int64_t output) {
      for (int64_t i = 0; i < e.in_channels * e.out_channels; ++i) {
        const int64_t in = i / e.out_channels, out = i % e.out_channels;
        sums[w * steps.in_window + i] += e.image[image + in * e.image_steps.channel] *
                                         gradient[output + out * e.output_steps.channel];
      }
    });
    EXPECT_EQ(filter, sums);
  }
}

// A window of three elements over one: the first and the last meet padding alone.
TEST(ConvolutionSumsTest, PaddingIsNoTermOfWhatIsNotFinite) {
  const WindowDim along = {.image = 1, .window = 3, .padding_before = 1, .padding_after = 1};
  for (const int64_t height : {1, 200}) {  // one tile of rows, and several
    Example e({.image = height, .window = 1}, along, 1, 1, false);
    Axes axes(e);
    axes.columns.taps = {{-1, 0}, {0, 1}, {1, 2}};  // those that look outside, too
    const TapGrid grid = axes.grid();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Floats filter = {nan, 2, nan};
    const auto panels = FilterPanels<float>::Of(grid, 1, {filter.data(), {1, 1, 1}, 1});
    ASSERT_TRUE(panels.ok());
    ASSERT_TRUE(SumTaps<float>(grid, {e.image.data(), e.image_steps, 1}, *panels,
                               TargetIn(e.output), e.output_steps, {0, grid.NumRows()})
                    .ok());
    for (size_t i = 0; i < e.image.size(); ++i) EXPECT_EQ(e.output[i], 2 * e.image[i]);
    Floats by_filter(3);
    const Floats gradient(e.output.size(), std::numeric_limits<float>::infinity());
    const Floats ones(e.image.size(), 1);
    ASSERT_TRUE(SumRows<float>(grid, {ones.data(), e.image_steps, 1},
                               {gradient.data(), e.output_steps, 1}, TargetIn(by_filter), {1, 1, 1},
                               {0, 3})
                    .ok());
    EXPECT_EQ(by_filter, (Floats{0, std::numeric_limits<float>::infinity(), 0}));
  }
}

// Fewer channels than lanes, as many, and more, looked at once and twice.
std::vector<Example> ChannelExamples() {
  std::vector<Example> examples;
  for (const int64_t channels : {1, 3, 32, 70}) {
    for (const int64_t multiplier : {1, 2}) {
      for (const bool second : {false, true}) {
        examples.emplace_back(
            WindowDim{.image = 6, .window = 3, .padding_before = 1, .padding_after = 1},
            WindowDim{.image = 7, .window = 3, .stride = 2, .padding_before = 2}, channels,
            channels * multiplier, second);
      }
    }
  }
  return examples;
}

TEST(ChannelSumsTest, SumsOfTaps) {
  for (Example& e : ChannelExamples()) {
    const Axes axes(e);
    const int64_t multiplier = e.out_channels / e.in_channels;
    const Floats filter = Numbers(e.window() * e.out_channels);
    ASSERT_TRUE(SumTapsByChannel<float>(axes.grid(), {e.image.data(), e.image_steps, e.in_channels},
                                        multiplier, filter.data(), TargetIn(e.output),
                                        e.output_steps, {0, 2 * e.dims[0].count})
                    .ok());
    Floats sums(e.output.size());
    e.ForEachMeeting([&](int64_t image, int64_t w, int64_t output) {
      for (int64_t out = 0; out < e.out_channels; ++out) {
        sums[output + out * e.output_steps.channel] +=
            e.image[image + out / multiplier * e.image_steps.channel] *
            filter[w * e.out_channels + out];
      }
    });
    EXPECT_EQ(e.output, sums);
  }
}

TEST(ChannelSumsTest, GradientsByTheImage) {
  for (Example& e : ChannelExamples()) {
    const int64_t multiplier = e.out_channels / e.in_channels;
    const Floats filter = Numbers(e.window() * e.out_channels);
    const Floats gradient = Numbers(static_cast<int64_t>(e.output.size()));
    const TapAxis plane;
    for (const TapAxis& rows : AxesOfGradient(e.dims[0])) {
      for (const TapAxis& columns : AxesOfGradient(e.dims[1])) {
        const TapGrid grid = {Example::kBatch, {&plane, &rows, &columns}};
        ASSERT_TRUE(SumGradientByChannel<float>(grid,
                                                {gradient.data(), e.output_steps, e.out_channels},
                                                multiplier, filter.data(), TargetIn(e.image),
                                                e.image_steps, {0, Example::kBatch * rows.rows})
                        .ok());
      }
    }
    Floats sums(e.image.size());
    e.ForEachMeeting([&](int64_t image, int64_t w, int64_t output) {
      for (int64_t out = 0; out < e.out_channels; ++out) {
        sums[image + out / multiplier * e.image_steps.channel] +=
            gradient[output + out * e.output_steps.channel] * filter[w * e.out_channels + out];
      }
    });
    EXPECT_EQ(e.image, sums);
  }
}

TEST(ChannelSumsTest, GradientsByTheFilter) {
  for (Example& e : ChannelExamples()) {
    const Axes axes(e);
    const int64_t multiplier = e.out_channels / e.in_channels;
    const Floats gradient = Numbers(static_cast<int64_t>(e.output.size()));
    Floats filter(static_cast<size_t>(e.window() * e.out_channels));
    ASSERT_TRUE(SumRowsByChannel<float>(
                    axes.grid(), {e.image.data(), e.image_steps, e.in_channels}, multiplier,
                    {gradient.data(), e.output_steps, e.out_channels}, TargetIn(filter))
                    .ok());
    Floats sums(filter.size());
    e.ForEachMeeting([&](int64_t image, int64_t w, int64_t output) {
      for (int64_t out = 0; out < e.out_channels; ++out) {
        sums[w * e.out_channels + out] +=
            e.image[image + out / multiplier * e.image_steps.channel] *
            gradient[output + out * e.output_steps.channel];
      }
    });
    EXPECT_EQ(filter, sums);
  }
}

TEST(SumsTargetTest, SumsAreNarrowed) {
  const TapAxis one;
  const TapGrid grid = {2, {&one, &one, &one}};
  const double sums[] = {1, 2, 3, 4};
  Half halves[8] = {};
  const SumsTarget target = {reinterpret_cast<char*>(halves), WidestWidening(DType::kHalf), 2};
  WriteRows<double>(grid, {sums, 2, {0, 2}, {0, 2}}, target, {1, {0, 0, 0}, 2});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ToFloat(halves[i]), (std::vector<float>{1, 3, 2, 4})[static_cast<size_t>(i)]);
  }
}

}  // namespace
}  // namespace tagflow::optimized
