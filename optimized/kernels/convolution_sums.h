#ifndef TAGFLOW_OPTIMIZED_KERNELS_CONVOLUTION_SUMS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_CONVOLUTION_SUMS_H_

// Convolutions as products of matrices, for any grid of taps (tap_grid.h).
//
// What a row looks at, tap after tap and channel after channel, is a row of the first factor; the
// filter is the second. The first factor of a whole image is many times the image, so it is never
// made: a tile of kTileRows by kTileDepth of it, which stays in the second cache, is gathered, is
// multiplied with all of the filter's columns, and is forgotten. A convolution by windows of one
// element reads the image where it lies.
//
// Padding is gathered as zeros, and is no term: where the other factor has NaN or infinities, of
// which zero times makes NaN, a slow loop leaves it out.
//
// Gradients by the filter are the products of the first factor, transposed, with the gradient: the
// same tiles.
//
// An element of the result is a sum in order of the first factor's columns (of its rows, for the
// filter) in blocks, whatever rows are computed in a call: rows may be shared among threads.
//
// Tested by convolution_sums_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernels/gather_taps.h"
#include "optimized/kernels/kept_panels.h"
#include "optimized/kernels/sums_target.h"
#include "optimized/kernels/tap_grid.h"

namespace tagflow::optimized {

template <typename T>
struct FilterChannels {
  const T* data;  // of the first channels
  FilterSteps steps;
  int64_t columns;  // channels of the sums
};

// The filter in panels, for a grid: copied beforehand, which is worth it where there are several
// tiles of rows, and else panel by panel as they are used.
template <typename T>
class FilterPanels {
 public:
  //   channels: of the source
  //   copied: what Copied() gave, for a grid with the same taps, for a filter of which this is the
  //   part from panel `first` on; null: copies here where that is worth it Errors:
  //   RESOURCE_EXHAUSTED
  static Result<FilterPanels> Of(const TapGrid& grid, int64_t channels,
                                 const FilterChannels<T>& filter, CopiedPanelsPtr copied = nullptr,
                                 int64_t first = 0);
  //   Errors: RESOURCE_EXHAUSTED
  static Result<CopiedPanels> Copied(const TapGrid& grid, int64_t channels,
                                     const FilterChannels<T>& filter);

  int64_t columns() const { return filter_.columns; }
  int64_t depth() const { return depth_; }  // taps and channels
  bool are_kept() const { return copied_ != nullptr; }
  bool are_finite() const { return copied_->are_finite; }  // REQUIRES: are_kept()
  // A panel of some rows. REQUIRES: are_kept(); the rows are a block
  const T* Kept(Span rows, int64_t panel) const;
  // The first elements of some rows of the filter, and a panel of them.
  void FindRows(Span rows, const T** from) const;
  void Copy(Span rows, const T* const* from, int64_t panel, T* to) const;

 private:
  FilterPanels(const TapGrid& grid, int64_t channels, const FilterChannels<T>& filter);

  const TapGrid& grid_;
  int64_t channels_;
  FilterChannels<T> filter_;
  int64_t depth_;
  CopiedPanelsPtr copied_;
  int64_t first_ = 0;  // panel, of those copied
};

// Rows [begin, end) of the grid: for each the sums over taps and channels.
//   steps: of what is computed
//   Errors: RESOURCE_EXHAUSTED
template <typename T>
Status SumTaps(const TapGrid& grid, const ImageChannels<T>& source, const FilterPanels<T>& filter,
               const SumsTarget& target, const ImageSteps& steps, Span rows);

// The gradient by the filter: for elements `depth` of taps and channels, the sums over all rows of
// what they look at times the row's gradient.
//   steps: of the gradient by the filter
//   Errors: RESOURCE_EXHAUSTED
template <typename T>
Status SumRows(const TapGrid& grid, const ImageChannels<T>& source,
               const ImageChannels<T>& gradient, const SumsTarget& target, const FilterSteps& steps,
               Span depth);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_CONVOLUTION_SUMS_H_
