#ifndef TAGFLOW_FUZZ_GRAPHS_LITTLE_MEMORY_H_
#define TAGFLOW_FUZZ_GRAPHS_LITTLE_MEMORY_H_

#include <cstddef>

#include "graph/host_memory.h"

namespace tagflow::fuzz {

// While it lives, a tensor of more bytes than these is refused with RESOURCE_EXHAUSTED: a drawn
// loop may double its tensor in each iteration.
class LittleMemory {
 public:
  explicit LittleMemory(size_t most) : before_(LimitHostAllocations(most)) {}
  ~LittleMemory() { LimitHostAllocations(before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  const size_t before_;
};

constexpr size_t kMemoryOfCalls = size_t{2} << 20;    // of calls of single ops
constexpr size_t kMemoryOfGraphs = size_t{16} << 20;  // of graphs, whose loops may add up

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_LITTLE_MEMORY_H_
