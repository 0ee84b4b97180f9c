#ifndef TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_GRID_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_GRID_H_

// Passes over images that know of each element which channel it is of: sums for every channel, and
// maps. Terms and formulas are in double and are called as formula(element, channel).
//
// Where the channels are last, vectors are of neighbouring channels; where they come second, of
// neighbouring elements of one channel. All passes are made of rows [begin, end), and sums of sums
// of a fixed number of rows, so that the bits do not depend on who makes which rows.
//
// Tested by conformance/ops/normalization.ops.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "optimized/kernels/clones.h"
#include "optimized/kernels/formula.h"

namespace tagflow::optimized {

// Elements as [rows, channels, inner].
struct ChannelGrid {
  int64_t rows = 0;
  int64_t channels = 0;
  int64_t inner = 1;

  int64_t row_size() const { return channels * inner; }
  int64_t per_channel() const { return rows * inner; }
};

// REQUIRES: dims.size() == layout.rank
inline ChannelGrid GridOf(const ImageLayout& layout, DimsView dims) {
  ChannelGrid grid{dims[0], dims[static_cast<size_t>(layout.channel())], 1};
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    (layout.channels_second ? grid.inner : grid.rows) *=
        dims[static_cast<size_t>(layout.spatial(i))];
  }
  return grid;
}

// kSums numbers for each channel.
template <size_t kSums>
using ChannelSums = std::array<std::vector<double>, kSums>;

// The sums of term(i, channel) over elements [begin, end) of one channel.
template <size_t kSums, typename Term>
inline std::array<double, kSums> SumOfPlane(const Term& term, int64_t begin, int64_t end,
                                            int64_t channel) {
  constexpr int64_t kLanes = 8;
  double lanes[kSums][kLanes] = {};
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const std::array<double, kSums> terms = term(i + lane, channel);
      for (size_t k = 0; k < kSums; ++k) lanes[k][lane] += terms[k];
    }
  }
  for (; i < end; ++i) {
    const std::array<double, kSums> terms = term(i, channel);
    for (size_t k = 0; k < kSums; ++k) lanes[k][0] += terms[k];
  }
  std::array<double, kSums> sums = {};
  for (size_t k = 0; k < kSums; ++k) {
    for (const double lane : lanes[k]) sums[k] += lane;
  }
  return sums;
}

// Adds the terms of rows [begin, end) to sums[k][channel].
template <size_t kSums, typename Term>
TAGFLOW_CLONES void AddRowsOfChannels(const ChannelGrid& grid, const Term& term, int64_t begin,
                                      int64_t end, double* const* sums) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = row * grid.row_size();
    if (grid.inner == 1) {
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < grid.channels; ++c) {
        const std::array<double, kSums> terms = term(first + c, c);
        for (size_t k = 0; k < kSums; ++k) sums[k][c] += terms[k];
      }
      continue;
    }
    for (int64_t c = 0; c < grid.channels; ++c) {
      const int64_t plane = first + c * grid.inner;
      const auto terms = SumOfPlane<kSums>(term, plane, plane + grid.inner, c);
      for (size_t k = 0; k < kSums; ++k) sums[k][c] += terms[k];
    }
  }
}

template <size_t kSums, typename Term>
ChannelSums<kSums> SumChannels(const ChannelGrid& grid, const Term& term) {
  constexpr int64_t kBlockElements = 1 << 15;
  const auto channels = static_cast<size_t>(grid.channels);
  const int64_t block =
      std::max<int64_t>(1, kBlockElements / std::max<int64_t>(1, grid.row_size()));
  ChannelSums<kSums> sums, parts;
  for (std::vector<double>& sum : sums) sum.assign(channels, 0.0);
  for (int64_t begin = 0; begin < grid.rows; begin += block) {
    double* to[kSums];
    for (size_t k = 0; k < kSums; ++k) {
      parts[k].assign(channels, 0.0);
      to[k] = parts[k].data();
    }
    AddRowsOfChannels<kSums>(grid, term, begin, std::min(grid.rows, begin + block), to);
    for (size_t k = 0; k < kSums; ++k) {
      for (size_t c = 0; c < channels; ++c) sums[k][c] += parts[k][c];
    }
  }
  return sums;
}

// out[i] = formula(i, channel) for the elements of rows [begin, end). `out` may be what the formula
// reads element i of.
template <typename Formula, typename X>
TAGFLOW_CLONES void MapChannels(const ChannelGrid& grid, const Formula& formula, int64_t begin,
                                int64_t end, X* out) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = row * grid.row_size();
    if (grid.inner == 1) {
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < grid.channels; ++c) {
        out[first + c] = static_cast<X>(formula(first + c, c));
      }
      continue;
    }
    for (int64_t c = 0; c < grid.channels; ++c) {
      const int64_t plane = first + c * grid.inner;
      TAGFLOW_INDEPENDENT
      for (int64_t i = plane; i < plane + grid.inner; ++i) out[i] = static_cast<X>(formula(i, c));
    }
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_GRID_H_
