#ifndef TAGFLOW_FUZZ_HARNESS_SLOTS_H_
#define TAGFLOW_FUZZ_HARNESS_SLOTS_H_

// What a worker is at, in memory that it shares with its parent: written before each sample, so
// that it is still there when the worker is not.

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

#include "graph/status.h"

namespace tagflow::fuzz {

inline int64_t NowNs() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Written by one worker, read by the parent, each number by itself; all accesses are relaxed but
// those of began_ns, whose release by the worker pairs with the parent's acquire: index is the
// sample that began then.
struct alignas(64) Slot {
  std::atomic<uint64_t> index{0};    // of the sample
  std::atomic<int64_t> began_ns{0};  // when it, or an examination, began; 0: nothing runs
  std::atomic<uint64_t> programs{0};
  std::atomic<uint64_t> unsupported{0};
  std::atomic<uint64_t> firings{0};
  std::atomic<uint64_t> busy_ns{0};

  void Begin(uint64_t sample) {
    index.store(sample, std::memory_order_relaxed);
    began_ns.store(NowNs(), std::memory_order_release);
  }
  void End() { began_ns.store(0, std::memory_order_release); }
};

class Slots {
 public:
  static Result<Slots> Make(size_t count) {
    void* const memory = mmap(nullptr, count * sizeof(Slot), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return ResourceExhausted("there is no memory to share");
    Slots slots;
    slots.slots_ = static_cast<Slot*>(memory);
    slots.count_ = count;
    for (size_t i = 0; i < count; ++i) new (&slots.slots_[i]) Slot;
    return slots;
  }
  Slots(Slots&& other) noexcept
      : slots_(std::exchange(other.slots_, nullptr)), count_(other.count_) {}
  ~Slots() {
    if (slots_ != nullptr) munmap(slots_, count_ * sizeof(Slot));
  }
  Slot& operator[](size_t i) const { return slots_[i]; }
  size_t size() const { return count_; }

 private:
  Slots() = default;
  Slot* slots_ = nullptr;
  size_t count_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_SLOTS_H_
