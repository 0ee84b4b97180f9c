#ifndef TAGFLOW_OPTIMIZED_KERNELS_GATHER_TAPS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_GATHER_TAPS_H_

// A tile of what rows of a grid look at, side by side (convolution_sums.h).
//
// Tested by convolution_sums_test.cc.

#include <cstdint>

#include "optimized/kernels/tap_grid.h"

namespace tagflow::optimized {

// Channels of an image in the type that is computed with: float, double or uint64_t.
template <typename T>
struct ImageChannels {
  const T* data;  // of the first channel
  ImageSteps steps;
  int64_t channels;
};

// to[r * row_step + i] = what row rows.begin + r sees as element number depth.begin + i of its taps
// and channels; zero outside of the source.
template <typename T>
void GatherTaps(const TapGrid& grid, const ImageChannels<T>& source, Span rows, Span depth, T* to,
                int64_t row_step);

// The same of an image of ones: what is inside of the source. `ones`: as many as the source's
// channels
template <typename T>
void GatherInside(const TapGrid& grid, const ImageChannels<T>& source, const T* ones, Span rows,
                  Span depth, T* to, int64_t row_step);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_GATHER_TAPS_H_
