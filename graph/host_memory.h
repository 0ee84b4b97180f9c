#ifndef TAGFLOW_GRAPH_HOST_MEMORY_H_
#define TAGFLOW_GRAPH_HOST_MEMORY_H_

// How much the host's allocator gives, for tests that ask for absurd sizes, let allocations fail,
// or count what is live.

#include <cstddef>

namespace tagflow {

// The most bytes that HostAllocator() gives at once; 0 stands for the machine's memory, as in the
// beginning. Returns what was set before.
size_t LimitHostAllocations(size_t bytes);

// Sees every allocation for a tensor: of 0 bytes where it is only for what describes it. Called
// from any thread.
class HostMemoryWatch {
 public:
  virtual ~HostMemoryWatch() = default;
  // Whether there is memory for these bytes.
  virtual bool Allocates(size_t bytes) = 0;
  // Of an allocation that succeeded, before or after the watch began.
  virtual void Frees(size_t bytes) = 0;
};
// From now on; null ends it. Returns what was set before. The watch outlives every allocation and
// release that began before it was taken away.
HostMemoryWatch* WatchHostMemory(HostMemoryWatch* watch);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HOST_MEMORY_H_
