#include "optimized/kernels/sums_target.h"

#include <algorithm>

namespace tagflow::optimized {
namespace {

// Sums that lie side by side, to elements from `to.begin` on that are `step` apart.
template <typename T>
void WriteSums(const SumsTarget& target, const T* sums, Span to, int64_t step) {
  const auto store = [&](const T* from, int64_t element, int64_t count) {
    char* const at = target.data + element * target.element_size;
    if (target.narrowing != nullptr) return target.narrowing->store(from, at, count);
    std::copy_n(from, count, reinterpret_cast<T*>(at));
  };
  if (step == 1) return store(sums, to.begin, to.count);
  for (int64_t i = 0; i < to.count; ++i) store(sums + i, to.begin + i * step, 1);
}

}  // namespace

template <typename T>
void WriteRows(const TapGrid& grid, const SumsTile<T>& tile, const SumsTarget& target,
               const ImageSteps& steps) {
  GridPlace row = GridPlace::Of(grid, tile.rows.begin);
  for (int64_t i = 0; i < tile.rows.count; ++i, row.Advance(grid)) {
    const int64_t element = ElementOf(grid, steps, row) + tile.columns.begin * steps.channel;
    WriteSums(target, tile.sums + i * tile.row_step, {element, tile.columns.count}, steps.channel);
  }
}

template <typename T>
void WriteDepth(const TapGrid& grid, int64_t channels, const SumsTile<T>& tile,
                const SumsTarget& target, const FilterSteps& steps) {
  for (int64_t i = 0; i < tile.rows.count; ++i) {
    const int64_t tap = (tile.rows.begin + i) / channels,
                  channel = (tile.rows.begin + i) % channels;
    const int64_t element = grid.InWindow(tap) * steps.in_window + channel * steps.depth +
                            tile.columns.begin * steps.column;
    WriteSums(target, tile.sums + i * tile.row_step, {element, tile.columns.count}, steps.column);
  }
}

#define TAGFLOW_INSTANTIATE(T)                                                             \
  template void WriteRows(const TapGrid&, const SumsTile<T>&, const SumsTarget&,           \
                          const ImageSteps&);                                              \
  template void WriteDepth(const TapGrid&, int64_t, const SumsTile<T>&, const SumsTarget&, \
                           const FilterSteps&)
TAGFLOW_INSTANTIATE(float);
TAGFLOW_INSTANTIATE(double);
TAGFLOW_INSTANTIATE(uint64_t);

}  // namespace tagflow::optimized
