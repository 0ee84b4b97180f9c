#include "optimized/kernels/tap_grid.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

// Drops the taps that look outside from every row.
void KeepUseful(TapAxis& axis) {
  const int64_t last = axis.rows == 0 ? 0 : (axis.rows - 1) * axis.step;
  std::erase_if(axis.taps, [&](const Tap& tap) {
    return axis.rows == 0 || tap.offset >= axis.source || tap.offset + last < 0;
  });
}

}  // namespace

bool TapAxis::IsConsecutive() const {
  for (size_t i = 1; i < taps.size(); ++i) {
    if (taps[i].offset != taps[i - 1].offset + 1) return false;
  }
  return true;
}

bool TapAxis::IsInside() const {
  return rows == 0 || taps.empty() ||
         (taps.front().offset >= 0 && taps.back().offset + (rows - 1) * step < source);
}

TapAxis AxisOfImage(const WindowDim& dim) {
  TapAxis axis = {.source = dim.image, .rows = dim.count, .step = dim.stride, .window = dim.window};
  axis.taps.clear();
  // Those before the image from the last row on are passed over: they may be more than memory has.
  const int64_t last = dim.count == 0 ? 0 : (dim.count - 1) * dim.stride;
  const int64_t ahead = dim.padding_before - last;
  const int64_t first = ahead > 0 ? (ahead - 1) / dim.dilation + 1 : 0;
  for (int64_t w = first; w < dim.window && w * dim.dilation - dim.padding_before < dim.image;
       ++w) {
    axis.taps.push_back({w * dim.dilation - dim.padding_before, w});
  }
  KeepUseful(axis);
  return axis;
}

std::vector<TapAxis> AxesOfGradient(const WindowDim& dim) {
  const int64_t phases = std::min(dim.stride, dim.image);
  std::vector<TapAxis> axes(static_cast<size_t>(phases));
  for (int64_t phase = 0; phase < phases; ++phase) {
    TapAxis& axis = axes[static_cast<size_t>(phase)];
    axis = {.source = dim.count,
            .rows = (dim.image - phase - 1) / dim.stride + 1,
            .window = dim.window,
            .first = phase,
            .stride = dim.stride};
    axis.taps.clear();
  }
  // From the last element of the window, whose offset is the least.
  for (int64_t w = dim.window - 1; w >= 0; --w) {
    const int64_t from_begin = w * dim.dilation - dim.padding_before;
    const int64_t rest = from_begin % dim.stride;
    const int64_t phase = rest < 0 ? rest + dim.stride : rest;
    if (phase >= phases) continue;
    axes[static_cast<size_t>(phase)].taps.push_back({(phase - from_begin) / dim.stride, w});
  }
  for (TapAxis& axis : axes) KeepUseful(axis);
  return axes;
}

int64_t TapGrid::NumRows() const {
  int64_t rows = batch;
  for (const TapAxis* axis : axes) rows *= axis->rows;
  return rows;
}

int64_t TapGrid::NumTaps() const {
  int64_t taps = 1;
  for (const TapAxis* axis : axes) taps *= static_cast<int64_t>(axis->taps.size());
  return taps;
}

int64_t TapGrid::InWindow(int64_t tap) const {
  int64_t in_window = 0, scale = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const auto taps = static_cast<int64_t>(axes[i]->taps.size());
    in_window += scale * axes[i]->taps[static_cast<size_t>(tap % taps)].in_window;
    scale *= axes[i]->window;
    tap /= taps;
  }
  return in_window;
}

GridPlace GridPlace::Of(const TapGrid& grid, int64_t row) {
  GridPlace place;
  for (size_t i = grid.axes.size(); i-- > 0;) {
    place.at[i] = row % grid.axes[i]->rows;
    row /= grid.axes[i]->rows;
  }
  place.batch = row;
  return place;
}

void GridPlace::Advance(const TapGrid& grid) {
  for (size_t i = grid.axes.size(); i-- > 0; at[i] = 0) {
    if (++at[i] < grid.axes[i]->rows) return;
  }
  ++batch;
}

ImageSteps ImageSteps::Of(const ImageLayout& layout, DimsView dims) {
  ImageSteps steps;
  // Without elements the other dimensions may be of any size.
  if (std::ranges::count(dims, 0) > 0) return steps;
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0; step *= dims[i]) {
    const int place = static_cast<int>(i);
    if (i == 0) {
      steps.batch = step;
    } else if (place == layout.channel()) {
      steps.channel = step;
    } else {
      const int spatial = place - layout.spatial(0);
      steps.spatial[static_cast<size_t>(spatial + kGridAxes - layout.spatial_rank())] = step;
    }
  }
  return steps;
}

int64_t ElementOf(const TapGrid& grid, const ImageSteps& steps, const GridPlace& row) {
  int64_t element = row.batch * steps.batch;
  for (size_t i = 0; i < grid.axes.size(); ++i) {
    element += (grid.axes[i]->first + row.at[i] * grid.axes[i]->stride) * steps.spatial[i];
  }
  return element;
}

}  // namespace tagflow::optimized
