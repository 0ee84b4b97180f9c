#ifndef TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_SUMS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_SUMS_H_

// Depthwise convolutions: as those of convolution_sums.h, where each channel of the sums looks at
// one channel of the source. There is no product of matrices in them; channels side by side make
// the vectors.
//
// `multiplier` channels of the output look at the same channel of the image: a line of the image
// is copied with each channel so often, and so is one whose channels are apart. Sums of the
// gradient by the image are those of as many channels, added up.
//
// Tested by convolution_sums_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "optimized/kernels/convolution_sums.h"

namespace tagflow::optimized {

// Lines [begin, begin + count) of the grid, which are rows along the last axis: for each row and
// channel of the output the sum over taps.
//   filter: [element of the window, channel of the output]
//   steps: of what is computed
//   Errors: RESOURCE_EXHAUSTED
// REQUIRES: filter.columns = source.channels * multiplier
template <typename T>
Status SumTapsByChannel(const TapGrid& grid, const ImageChannels<T>& image, int64_t multiplier,
                        const T* filter, const SumsTarget& target, const ImageSteps& steps,
                        Span lines);

// The gradient by the image: as above, where `gradient` is of the output's channels.
template <typename T>
Status SumGradientByChannel(const TapGrid& grid, const ImageChannels<T>& gradient,
                            int64_t multiplier, const T* filter, const SumsTarget& target,
                            const ImageSteps& steps, Span lines);

// The gradient by the filter, of all taps.
//   target: [element of the window, channel of the output]
template <typename T>
Status SumRowsByChannel(const TapGrid& grid, const ImageChannels<T>& image, int64_t multiplier,
                        const ImageChannels<T>& gradient, const SumsTarget& target);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CHANNEL_SUMS_H_
