#ifndef TAGFLOW_OPTIMIZED_LIVE_MEMORY_H_
#define TAGFLOW_OPTIMIZED_LIVE_MEMORY_H_

// For tests: what tensors hold at the moment, how much that was at most, and an allocation that
// fails. While one of these lives, it watches the host's allocator.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "graph/host_memory.h"

namespace tagflow::optimized {

class LiveMemory : public HostMemoryWatch {
 public:
  LiveMemory() { WatchHostMemory(this); }
  ~LiveMemory() override { WatchHostMemory(nullptr); }

  bool Allocates(size_t bytes) override {
    if (countdown_.load() > 0 && countdown_.fetch_sub(1) == 1) {
      has_failed_ = true;
      return false;
    }
    const int64_t now = bytes_ += static_cast<int64_t>(bytes);
    int64_t most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    return true;
  }
  void Frees(size_t bytes) override { bytes_ -= static_cast<int64_t>(bytes); }

  int64_t bytes() const { return bytes_; }
  // At once, since the last call.
  int64_t TakeMost() { return most_.exchange(bytes_); }
  // The k-th allocation from now on fails, from 1 on; 0: none.
  void FailAt(int64_t k) {
    has_failed_ = false;
    countdown_ = k;
  }
  bool has_failed() const { return has_failed_; }

 private:
  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> most_{0};
  std::atomic<int64_t> countdown_{0};
  std::atomic<bool> has_failed_{false};
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_LIVE_MEMORY_H_
