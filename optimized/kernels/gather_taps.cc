#include "optimized/kernels/gather_taps.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tagflow::optimized {
namespace {

// Neighbours among taps and channels along one line of the source: a pair of taps along the outer
// axes, which name the line, and a span of the taps and channels along it.
struct Segment {
  int64_t outer, middle;
  Span rest;
};
// The first of those that make up `depth`.
Segment FirstSegment(const TapGrid& grid, int64_t channels, Span depth) {
  const int64_t along = static_cast<int64_t>(grid.axes[2]->taps.size()) * channels;
  const auto middle = static_cast<int64_t>(grid.axes[1]->taps.size());
  const int64_t line = depth.begin / along, rest = depth.begin % along;
  return {line / middle, line % middle, {rest, std::min(along - rest, depth.count)}};
}
std::vector<Segment> SegmentsOf(const TapGrid& grid, int64_t channels, Span depth) {
  std::vector<Segment> segments;
  while (depth.count > 0) {
    segments.push_back(FirstSegment(grid, channels, depth));
    const int64_t count = segments.back().rest.count;
    depth = {depth.begin + count, depth.count - count};
  }
  return segments;
}

int64_t PlaceOn(const TapAxis& axis, int64_t row, int64_t tap) {
  return row * axis.step + axis.taps[static_cast<size_t>(tap)].offset;
}
bool IsOn(const TapAxis& axis, int64_t place) { return place >= 0 && place < axis.source; }

// The first channel of the line that a row looks at by these taps; null outside of the source.
template <typename T>
const T* LineOf(const TapGrid& grid, const ImageChannels<T>& source, const GridPlace& row,
                const Segment& tap) {
  const int64_t outer = PlaceOn(*grid.axes[0], row.at[0], tap.outer);
  const int64_t middle = PlaceOn(*grid.axes[1], row.at[1], tap.middle);
  if (!IsOn(*grid.axes[0], outer) || !IsOn(*grid.axes[1], middle)) return nullptr;
  const ImageSteps& steps = source.steps;
  return source.data + row.batch * steps.batch + outer * steps.spatial[0] +
         middle * steps.spatial[1];
}

template <int64_t kCount, typename T>
void CopyExactly(const T* from, T* to) {
  std::memcpy(to, from, kCount * sizeof(T));
}

// As std::copy_n, which is a call, for the few elements that a tap or two have.
template <typename T>
void CopyFew(const T* from, int64_t count, T* to) {
  constexpr int64_t kMany = 256;
  if (count >= kMany) {
    std::copy_n(from, count, to);
  } else if (count >= 8) {
    for (int64_t i = 0; i + 8 <= count; i += 8) CopyExactly<8>(from + i, to + i);
    CopyExactly<8>(from + count - 8, to + count - 8);
  } else if (count >= 4) {
    CopyExactly<4>(from, to);
    CopyExactly<4>(from + count - 4, to + count - 4);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

// Copies elements [begin, begin + count) of a line of `size`, zero outside of it.
template <typename T>
void CopyClipped(const T* line, int64_t size, int64_t begin, int64_t count, T* to) {
  if (begin >= 0 && begin + count <= size) return CopyFew(line + begin, count, to);
  const int64_t before = std::clamp<int64_t>(-begin, 0, count);
  const int64_t inside = std::clamp<int64_t>(size - begin, before, count);
  std::fill_n(to, before, T(0));
  if (inside > before) std::copy_n(line + begin + before, inside - before, to + before);
  std::fill_n(to + inside, count - inside, T(0));
}

// ---- Channels last ----

// Some of the taps and channels along a line, at a row of it, which are apart.
template <typename T>
void GatherApart(const TapAxis& axis, const ImageChannels<T>& source, const T* line, int64_t row,
                 Span rest, T* to) {
  const int64_t channels = source.channels, step = source.steps.spatial[2];
  while (rest.count > 0) {
    const int64_t channel = rest.begin % channels;
    const int64_t count = std::min(channels - channel, rest.count);
    const int64_t place = PlaceOn(axis, row, rest.begin / channels);
    if (IsOn(axis, place)) {
      CopyFew(line + place * step + channel, count, to);
    } else {
      std::fill_n(to, count, T(0));
    }
    rest = {rest.begin + count, rest.count - count};
    to += count;
  }
}

// Rows of a grid, one after the other.
template <typename T>
void GatherRows(const TapGrid& grid, const ImageChannels<T>& source, Span rows, Span depth, T* to,
                int64_t row_step) {
  const TapAxis& axis = *grid.axes[2];
  const int64_t channels = source.channels;
  const std::vector<Segment> segments = SegmentsOf(grid, channels, depth);
  const bool is_run = source.steps.spatial[2] == channels && axis.IsConsecutive();
  GridPlace row = GridPlace::Of(grid, rows.begin);
  for (int64_t i = 0; i < rows.count; ++i, row.Advance(grid)) {
    T* next = to + i * row_step;
    for (const Segment& segment : segments) {
      const T* const line = LineOf(grid, source, row, segment);
      const auto [begin, count] = segment.rest;
      if (line == nullptr) {
        std::fill_n(next, count, T(0));
      } else if (is_run) {
        const int64_t first = PlaceOn(axis, row.at[2], 0) * channels + begin;
        CopyClipped(line, axis.source * channels, first, count, next);
      } else {
        GatherApart(axis, source, line, row.at[2], segment.rest, next);
      }
      next += count;
    }
  }
}

// ---- Channels apart ----

// One element of taps and channels for `count` rows that follow one another along a line.
template <typename T>
void GatherColumn(const TapGrid& grid, const ImageChannels<T>& source, const GridPlace& row,
                  int64_t count, const Segment& tap, T* to, int64_t row_step) {
  const TapAxis& axis = *grid.axes[2];
  const T* line = LineOf(grid, source, row, tap);
  int64_t place = PlaceOn(axis, row.at[2], tap.rest.begin / source.channels);
  const int64_t channel = tap.rest.begin % source.channels * source.steps.channel;
  for (int64_t i = 0; i < count; ++i, place += axis.step, to += row_step) {
    const bool is_inside = line != nullptr && IsOn(axis, place);
    *to = is_inside ? line[channel + place * source.steps.spatial[2]] : T(0);
  }
}

}  // namespace

template <typename T>
void GatherTaps(const TapGrid& grid, const ImageChannels<T>& source, Span rows, Span depth, T* to,
                int64_t row_step) {
  if (source.steps.channel == 1) return GatherRows(grid, source, rows, depth, to, row_step);
  GridPlace row = GridPlace::Of(grid, rows.begin);
  for (int64_t done = 0; done < rows.count;) {
    const int64_t count = std::min(grid.axes[2]->rows - row.at[2], rows.count - done);
    for (int64_t i = 0; i < depth.count; ++i) {
      const Segment tap = FirstSegment(grid, source.channels, {depth.begin + i, 1});
      GatherColumn(grid, source, row, count, tap, to + done * row_step + i, row_step);
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
