#include "optimized/kernels/gather_taps.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

// What a number of taps and channels is: a pair of taps along the outer axes, which name a line of
// the source, and the rest along that line.
struct LineTap {
  int64_t outer, middle;
  int64_t rest;
};
LineTap LineTapOf(const TapGrid& grid, int64_t k, int64_t line) {
  const auto middle = static_cast<int64_t>(grid.axes[1]->taps.size());
  return {k / line / middle, k / line % middle, k % line};
}

int64_t PlaceOn(const TapAxis& axis, int64_t row, int64_t tap) {
  return row * axis.step + axis.taps[static_cast<size_t>(tap)].offset;
}
bool IsOn(const TapAxis& axis, int64_t place) { return place >= 0 && place < axis.source; }

// The first channel of the line that a row looks at by these taps; null outside of the source.
template <typename T>
const T* LineOf(const TapGrid& grid, const ImageChannels<T>& source, const GridPlace& row,
                const LineTap& tap) {
  const int64_t outer = PlaceOn(*grid.axes[0], row.at[0], tap.outer);
  const int64_t middle = PlaceOn(*grid.axes[1], row.at[1], tap.middle);
  if (!IsOn(*grid.axes[0], outer) || !IsOn(*grid.axes[1], middle)) return nullptr;
  const ImageSteps& steps = source.steps;
  return source.data + row.batch * steps.batch + outer * steps.spatial[0] +
         middle * steps.spatial[1];
}

// Copies elements [begin, begin + count) of a line of `size`, zero outside of it.
template <typename T>
void CopyClipped(const T* line, int64_t size, int64_t begin, int64_t count, T* to) {
  const int64_t before = std::clamp<int64_t>(-begin, 0, count);
  const int64_t inside = std::clamp<int64_t>(size - begin, before, count);
  std::fill_n(to, before, T(0));
  if (inside > before) std::copy_n(line + begin + before, inside - before, to + before);
  std::fill_n(to + inside, count - inside, T(0));
}

// ---- Channels last ----

// Elements [begin, begin + count) of the taps along a line, at a row of it.
template <typename T>
void GatherOnLine(const TapAxis& axis, const ImageChannels<T>& source, const T* line, int64_t row,
                  Span rest, T* to) {
  const int64_t channels = source.channels, step = source.steps.spatial[2];
  if (step == channels && axis.IsConsecutive()) {
    return CopyClipped(line, axis.source * channels, PlaceOn(axis, row, 0) * channels + rest.begin,
                       rest.count, to);
  }
  while (rest.count > 0) {
    const int64_t channel = rest.begin % channels;
    const int64_t count = std::min(channels - channel, rest.count);
    const int64_t place = PlaceOn(axis, row, rest.begin / channels);
    if (IsOn(axis, place)) {
      std::copy_n(line + place * step + channel, count, to);
    } else {
      std::fill_n(to, count, T(0));
    }
    rest = {rest.begin + count, rest.count - count};
    to += count;
  }
}

template <typename T>
void GatherRow(const TapGrid& grid, const ImageChannels<T>& source, const GridPlace& row,
               Span depth, T* to) {
  const TapAxis& axis = *grid.axes[2];
  const int64_t along = static_cast<int64_t>(axis.taps.size()) * source.channels;
  while (depth.count > 0) {
    const LineTap tap = LineTapOf(grid, depth.begin, along);
    const int64_t count = std::min(along - tap.rest, depth.count);
    if (const T* line = LineOf(grid, source, row, tap)) {
      GatherOnLine(axis, source, line, row.at[2], {tap.rest, count}, to);
    } else {
      std::fill_n(to, count, T(0));
    }
    depth = {depth.begin + count, depth.count - count};
    to += count;
  }
}

// ---- Channels apart ----

// One element of taps and channels for `count` rows that follow one another along a line.
template <typename T>
void GatherColumn(const TapGrid& grid, const ImageChannels<T>& source, const GridPlace& row,
                  int64_t count, int64_t k, T* to, int64_t row_step) {
  const TapAxis& axis = *grid.axes[2];
  const int64_t along = static_cast<int64_t>(axis.taps.size()) * source.channels;
  const LineTap tap = LineTapOf(grid, k, along);
  const T* line = LineOf(grid, source, row, tap);
  int64_t place = PlaceOn(axis, row.at[2], tap.rest / source.channels);
  const int64_t channel = tap.rest % source.channels * source.steps.channel;
  for (int64_t i = 0; i < count; ++i, place += axis.step, to += row_step) {
    const bool is_inside = line != nullptr && IsOn(axis, place);
    *to = is_inside ? line[channel + place * source.steps.spatial[2]] : T(0);
  }
}

}  // namespace

template <typename T>
void GatherTaps(const TapGrid& grid, const ImageChannels<T>& source, Span rows, Span depth, T* to,
                int64_t row_step) {
  GridPlace row = GridPlace::Of(grid, rows.begin);
  if (source.steps.channel == 1) {
    for (int64_t i = 0; i < rows.count; ++i, row.Advance(grid), to += row_step) {
      GatherRow(grid, source, row, depth, to);
    }
    return;
  }
  for (int64_t done = 0; done < rows.count;) {
    const int64_t count = std::min(grid.axes[2]->rows - row.at[2], rows.count - done);
    for (int64_t i = 0; i < depth.count; ++i) {
      GatherColumn(grid, source, row, count, depth.begin + i, to + done * row_step + i, row_step);
    }
    done += count;
    row = GridPlace::Of(grid, std::min(rows.begin + done, grid.NumRows() - 1));
  }
}

template <typename T>
void GatherInside(const TapGrid& grid, const ImageChannels<T>& source, const T* ones, Span rows,
                  Span depth, T* to, int64_t row_step) {
  // Every place of it is the same one.
  GatherTaps<T>(grid, {ones, {0, {0, 0, 0}, 1}, source.channels}, rows, depth, to, row_step);
}

#define TAGFLOW_INSTANTIATE(T)                                                                  \
  template void GatherTaps(const TapGrid&, const ImageChannels<T>&, Span, Span, T*, int64_t);   \
  template void GatherInside(const TapGrid&, const ImageChannels<T>&, const T*, Span, Span, T*, \
                             int64_t)
TAGFLOW_INSTANTIATE(float);
TAGFLOW_INSTANTIATE(double);
TAGFLOW_INSTANTIATE(uint64_t);

}  // namespace tagflow::optimized
