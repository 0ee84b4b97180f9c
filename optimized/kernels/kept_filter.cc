#include "optimized/kernels/kept_filter.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "graph/machine_memory.h"
#include "optimized/limits.h"

namespace tagflow::optimized {
namespace {

// Bytes that are kept of all filters of the process.
std::atomic<size_t> kept_bytes{0};

// The elements of the window that taps meet, in order.
std::vector<int64_t> TapsOf(const TapGrid& grid) {
  std::vector<int64_t> taps(static_cast<size_t>(grid.NumTaps()));
  for (size_t i = 0; i < taps.size(); ++i) taps[i] = grid.InWindow(static_cast<int64_t>(i));
  return taps;
}

}  // namespace

bool KeptFilter::IsOf(const Tensor& filter, const TapGrid& grid, size_t group) {
  constexpr int64_t kFirst = 2;
  if (group == 0 && firings_ < kFirst && ++firings_ == kFirst) {
    filter_ = filter;
    taps_ = TapsOf(grid);
  }
  return filter_.has_value() && filter.raw_data() == filter_.raw_data() &&
         std::ranges::equal(filter.dims(), filter_.dims()) && taps_ == TapsOf(grid);
}

CopiedPanelsPtr KeptFilter::Bounded(const Result<CopiedPanels>& panels) {
  if (!panels.ok()) return nullptr;
  const size_t bytes = panels->elements.byte_size();
  if (kept_bytes.fetch_add(bytes) + bytes > MachineMemoryBytes() / kConstantsShareOfMemory) {
    kept_bytes.fetch_sub(bytes);
    return nullptr;
  }
  return {new CopiedPanels(*panels), [bytes](const CopiedPanels* kept) {
            delete kept;
            kept_bytes.fetch_sub(bytes);
          }};
}

}  // namespace tagflow::optimized
