#include "graph/host_blocks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace tagflow {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif
#else
constexpr bool kKeeps = true;
#endif

constexpr size_t kAlignment = 64;

// Sizes in units of the alignment. Up to 8 units each is a class; from there on, those are that
// have three significant bits: 10, 12, 14, 16, 20, ...
struct SizeClass {
  size_t index;
  size_t bytes;
};
constexpr SizeClass ClassOf(size_t bytes) {
  const size_t units = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment);
  if (units <= 8) return {units - 1, units * kAlignment};
  const auto shift = static_cast<size_t>(std::bit_width(units - 1)) - 3;
  const size_t steps = ((units - 1) >> shift) + 1;  // 5 to 8
  return {8 + (shift - 1) * 4 + (steps - 5), (steps << shift) * kAlignment};
}
constexpr size_t kClasses = ClassOf(kKeptBlockMax).index + 1;
static_assert(ClassOf(0).bytes == 64 && ClassOf(513).bytes == 640 && ClassOf(641).bytes == 768 &&
              ClassOf(640).index == 8 && ClassOf(1024).index + 1 == ClassOf(1025).index);

struct FreeBlock {
  FreeBlock* next;
};

// Without constructor and destructor, so that it is there from a thread's beginning to its end.
struct Kept {
  FreeBlock* blocks[kClasses];
  size_t bytes;
  bool is_watched;  // by a Watch
  bool has_ended;
};
constinit thread_local Kept kept = {};

void LetGo() {
  for (FreeBlock*& list : kept.blocks) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
  kept.bytes = 0;
}

// Lets go of what a thread keeps when it ends. Objects that are destroyed later give blocks back to
// the system.
struct Watch {
  ~Watch() {
    LetGo();
    kept.has_ended = true;
  }
  void Start() { kept.is_watched = true; }
};

void StartWatch() {
  thread_local Watch watch;
  watch.Start();
}

}  // namespace

void* TakeBlock(size_t bytes) {
  if (!kKeeps || bytes > kKeptBlockMax) {
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return rounded < bytes ? nullptr : std::aligned_alloc(kAlignment, rounded);
  }
  const SizeClass size = ClassOf(bytes);
  FreeBlock*& list = kept.blocks[size.index];
  if (list == nullptr) return std::aligned_alloc(kAlignment, size.bytes);
  kept.bytes -= size.bytes;
  return std::exchange(list, list->next);
}

void GiveBlock(void* block, size_t bytes) {
  if (!kKeeps || block == nullptr || bytes > kKeptBlockMax || kept.has_ended) {
    return std::free(block);
  }
  const SizeClass size = ClassOf(bytes);
  if (!kept.is_watched) [[unlikely]]
    StartWatch();
  if (kept.bytes + size.bytes > kKeptBytesMax) [[unlikely]]
    LetGo();
  FreeBlock*& list = kept.blocks[size.index];
  list = new (block) FreeBlock{list};
  kept.bytes += size.bytes;
}

size_t KeptBlockBytes() { return kept.bytes; }

}  // namespace tagflow
