#include "tools/allocations/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "graph/host_memory.h"
#include "graph/io/protobuf_call.h"

namespace tagflow::allocations {
namespace {

std::atomic<bool> is_on{false};
std::atomic<int64_t> count{0};
std::atomic<int64_t> failures{0};
thread_local int spared = 0;
int64_t first_failure = 0;  // written while it is off
bool fails_all_after = false;

// Whether the allocation asked for is to succeed.
bool Allow() {
  if (!is_on.load(std::memory_order_acquire) || spared > 0 || ProtobufCall::IsUnderWay()) {
    return true;
  }
  const int64_t number = count.fetch_add(1) + 1;
  const bool fails = fails_all_after ? number >= first_failure : number == first_failure;
  if (fails) failures.fetch_add(1);
  return !fails;
}

class TensorMemory : public HostMemoryWatch {
 public:
  bool Allocates(size_t) override { return Allow(); }
  void Frees(size_t) override {}
};

}  // namespace

FailingNew::FailingNew(int64_t first, bool all_after) {
  first_failure = first;
  fails_all_after = all_after;
  count = 0;
  failures = 0;
  static TensorMemory tensors;
  WatchHostMemory(&tensors);
  is_on.store(true, std::memory_order_release);
}

FailingNew::~FailingNew() {
  is_on = false;
  WatchHostMemory(nullptr);
}

int64_t FailingNew::failed() const { return failures; }

Sparing::Sparing() { ++spared; }
Sparing::~Sparing() { --spared; }

}  // namespace tagflow::allocations

namespace {

void* AllocatedOrNull(size_t size, size_t alignment) {
  if (!tagflow::allocations::Allow()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* Allocated(size_t size, size_t alignment = 1) {
  void* const block = AllocatedOrNull(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(size_t size) { return Allocated(size); }
void* operator new[](size_t size) { return Allocated(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocated(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return Allocated(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return AllocatedOrNull(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return AllocatedOrNull(size, 1);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { std::free(block); }
