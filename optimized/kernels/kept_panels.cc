#include "optimized/kernels/kept_panels.h"

#include <algorithm>
#include <atomic>

#include "graph/machine_memory.h"
#include "optimized/limits.h"

namespace tagflow::optimized {
namespace {

// Bytes that are kept of all factors of the process.
std::atomic<size_t> kept_bytes{0};

}  // namespace

bool KeptPanels::IsOf(const Tensor& factor, const std::vector<int64_t>& key, size_t part) {
  constexpr int64_t kFirst = 2;
  if (part == 0 && firings_ < kFirst && ++firings_ == kFirst) {
    factor_ = factor;
    key_ = key;
  }
  return factor_.has_value() && factor.raw_data() == factor_.raw_data() &&
         std::ranges::equal(factor.dims(), factor_.dims()) && key == key_;
}

CopiedPanelsPtr KeptPanels::Bounded(const Result<CopiedPanels>& panels) {
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
