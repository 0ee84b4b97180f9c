#ifndef TAGFLOW_OPTIMIZED_KERNELS_POOL_WALK_H_
#define TAGFLOW_OPTIMIZED_KERNELS_POOL_WALK_H_

// How the kernels of pooling go through images: row of windows by row of windows, and in each
// window place by place, with all channels of a place at once, which is where vectors come from.
//
// Tested by conformance/ops/pooling.ops.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "graph/ops/pool_grid.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// The part of a window that is in the image, along one dimension.
struct WindowSpan {
  int64_t begin, end;
};
inline WindowSpan SpanOf(const WindowDim& dim, int64_t window) {
  const int64_t begin = window * dim.stride - dim.padding_before;
  const int64_t end = begin + std::min(dim.image - begin, dim.window);
  const int64_t first = std::max<int64_t>(begin, 0);
  return {first, std::max(first, end)};
}

// Rows of windows along the last dimension, in all images.
inline int64_t RowsOf(const PoolGrid& grid) {
  return grid.images * grid.dims[0].count * grid.dims[1].count;
}
inline int64_t RowsOfImage(const PoolGrid& grid) { return grid.dims[0].count * grid.dims[1].count; }

// The elements of a window: for each of its places the first channel's.
class WindowPlaces {
 public:
  WindowPlaces(const PoolGrid& grid, int64_t row, int64_t column)
      : second_size_(grid.dims[1].image),
        third_size_(grid.dims[2].image),
        channels_(grid.channels),
        image_(row / RowsOfImage(grid) * grid.dims[0].image),
        first_(SpanOf(grid.dims[0], row % RowsOfImage(grid) / grid.dims[1].count)),
        second_(SpanOf(grid.dims[1], row % grid.dims[1].count)),
        third_(SpanOf(grid.dims[2], column)) {}

  int64_t count() const {
    return (first_.end - first_.begin) * (second_.end - second_.begin) *
           (third_.end - third_.begin);
  }

  // Calls visit(element) for each place, in order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (int64_t i = first_.begin; i < first_.end; ++i) {
      for (int64_t j = second_.begin; j < second_.end; ++j) {
        const int64_t line = ((image_ + i) * second_size_ + j) * third_size_;
        for (int64_t k = third_.begin; k < third_.end; ++k) visit((line + k) * channels_);
      }
    }
  }

 private:
  const int64_t second_size_, third_size_, channels_;
  const int64_t image_;  // where the image begins, along the first dimension
  const WindowSpan first_, second_, third_;
};

// About how long a row of windows takes, in nanoseconds.
inline double RowNs(const PoolGrid& grid) {
  constexpr double kElementNs = 0.2;
  double elements = static_cast<double>(grid.dims[2].count) * static_cast<double>(grid.channels);
  for (const WindowDim& dim : grid.dims) elements *= static_cast<double>(dim.window);
  return kElementNs * elements;
}

// Calls visit(first element of the output, places) for each window of rows [begin, end).
template <typename Visit>
void ForEachWindow(const PoolGrid& grid, int64_t begin, int64_t end, Visit visit) {
  const int64_t columns = grid.dims[2].count;
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      visit((row * columns + column) * grid.channels, WindowPlaces(grid, row, column));
    }
  }
}

// How a node pools, and where its sizes come from.
class PoolRule {
 public:
  //   Errors: of ReadPooling
  static Result<PoolRule> Of(const Node& node, int spatial_rank);

  // The windows over images of these dims; sizes that are no attrs are the last two inputs.
  //   Errors: of GridOf; INVALID_ARGUMENT for sizes that are no integers
  Result<PoolGrid> Grid(const KernelContext& context, DimsView image) const;

 private:
  Pooling pooling_;
  bool takes_sizes_ = false;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_POOL_WALK_H_
