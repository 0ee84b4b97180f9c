#include "optimized/devices/gpu/block_cache.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tagflow::optimized {
namespace {

constexpr size_t kAlignment = 256;  // that of cudaMalloc

}  // namespace

size_t BlockSize(size_t bytes) {
  const size_t step = std::max(std::bit_floor(std::max(bytes, size_t{1})) / 4, kAlignment);
  return std::max((bytes + step - 1) / step * step, kAlignment);
}

BlockCache::BlockCache(BlockSource& source, int64_t bytes_limit) : source_(source) {
  stats_.bytes_limit = bytes_limit;
}

BlockCache::~BlockCache() { GiveUpKept(); }

void* BlockCache::Take(size_t bytes) {
  const size_t size = BlockSize(bytes);
  std::lock_guard lock(mutex_);
  ++stats_.allocations;
  void* block = TakeKept(size);
  if (block == nullptr) block = MakeNew(size);
  if (block == nullptr && !kept_.empty()) {
    GiveUpKept();
    block = MakeNew(size);
  }
  if (block == nullptr) {
    ++stats_.failures;
    return nullptr;
  }
  taken_.emplace(static_cast<const char*>(block), size);
  stats_.bytes_resident += static_cast<int64_t>(size);
  stats_.bytes_resident_max = std::max(stats_.bytes_resident_max, stats_.bytes_resident);
  return block;
}

void BlockCache::GiveBack(void* block) {
  std::lock_guard lock(mutex_);
  const auto found = taken_.find(static_cast<const char*>(block));
  if (found == taken_.end()) return;
  const size_t size = found->second;
  taken_.erase(found);
  stats_.bytes_resident -= static_cast<int64_t>(size);
  bytes_kept_ += static_cast<int64_t>(size);
  kept_[size].push_back(block);
}

bool BlockCache::Holds(const void* address) const {
  const auto* const at = static_cast<const char*>(address);
  std::lock_guard lock(mutex_);
  const auto after = taken_.upper_bound(at);
  return after != taken_.begin() && at < std::prev(after)->first + std::prev(after)->second;
}

DeviceMemoryStats BlockCache::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void* BlockCache::TakeKept(size_t size) {
  const auto found = kept_.find(size);
  if (found == kept_.end()) return nullptr;
  void* const block = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) kept_.erase(found);
  bytes_kept_ -= static_cast<int64_t>(size);
  return block;
}

void* BlockCache::MakeNew(size_t size) {
  const int64_t all = stats_.bytes_resident + bytes_kept_ + static_cast<int64_t>(size);
  if (stats_.bytes_limit != 0 && all > stats_.bytes_limit) return nullptr;
  return source_.New(size);
}

void BlockCache::GiveUpKept() {
  for (const auto& [size, blocks] : kept_) {
    for (void* const block : blocks) source_.Delete(block);
  }
  kept_.clear();
  bytes_kept_ = 0;
}

}  // namespace tagflow::optimized
