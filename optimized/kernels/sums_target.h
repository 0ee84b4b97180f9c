#ifndef TAGFLOW_OPTIMIZED_KERNELS_SUMS_TARGET_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SUMS_TARGET_H_

// Where the sums of a convolution go: a tensor in any layout, whose elements may be narrower than
// the sums.

#include <cstdint>

#include "optimized/kernels/tap_grid.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

// Elements of the type of sums, or of a dtype that `narrowing` makes of it.
struct SumsTarget {
  char* data;  // of the first channels
  const Widening* narrowing;
  int64_t element_size;
};

// How far apart elements of a filter lie: from one element of the window to the next, from one
// channel of the source to the next, and from one channel of the sums.
struct FilterSteps {
  int64_t in_window;
  int64_t depth;
  int64_t column;
};

// Sums of some rows and columns; those of a row lie side by side.
template <typename T>
struct SumsTile {
  const T* sums;
  int64_t row_step;
  Span rows, columns;
};

// Writes a tile of rows of a grid and channels of what is computed.
// T: float, double or uint64_t
template <typename T>
void WriteRows(const TapGrid& grid, const SumsTile<T>& tile, const SumsTarget& target,
               const ImageSteps& steps);

// Writes a tile whose rows are taps and, of each, `channels` channels of the source.
template <typename T>
void WriteDepth(const TapGrid& grid, int64_t channels, const SumsTile<T>& tile,
                const SumsTarget& target, const FilterSteps& steps);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SUMS_TARGET_H_
