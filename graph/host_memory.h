#ifndef TAGFLOW_GRAPH_HOST_MEMORY_H_
#define TAGFLOW_GRAPH_HOST_MEMORY_H_

// How much the host's allocator gives, for tests that ask for absurd sizes.

#include <cstddef>

namespace tagflow {

// The most bytes that HostAllocator() gives at once; 0 stands for the machine's memory, as in the
// beginning. Returns what was set before.
size_t LimitHostAllocations(size_t bytes);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HOST_MEMORY_H_
