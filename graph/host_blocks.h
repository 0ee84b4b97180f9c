#ifndef TAGFLOW_GRAPH_HOST_BLOCKS_H_
#define TAGFLOW_GRAPH_HOST_BLOCKS_H_

// Blocks of host memory for tensors, aligned to 64 bytes. A block that is given back is kept for
// the next that asks for one of its size, by the thread that gave it: a loop over tensors then
// works in a few blocks that the processor's caches know, and neither asks the system for pages nor
// pays for aligned_alloc, which costs more than most kernels of small tensors.
//
// Sizes are rounded up to classes, four to each power of two. A thread keeps kKeptBytesMax at most;
// what would be more makes it let go of all that it keeps, so that sizes which nobody asks for any
// more do not stay. That is room for the history of a training step, which is given back at its end
// and asked for again by the next (bench: lstm_b64_grad). Larger blocks, and those of a thread that
// ends, go back to the system. Under AddressSanitizer and ThreadSanitizer nothing is kept, so that
// they see each block's end.
//
// Thread safety: any thread may give back what any thread took.
// Cost: a few nanoseconds for a block that is kept; aligned_alloc and free take tens, and page
// faults where glibc gives memory back to the system in between.

#include <cstddef>

namespace tagflow {

inline constexpr size_t kKeptBlockMax = size_t{1} << 22;  // a larger block is not kept
inline constexpr size_t kKeptBytesMax = size_t{1} << 27;  // by one thread

// At least `bytes` bytes, not initialized; null when there are none to be had.
void* TakeBlock(size_t bytes);
// REQUIRES: `block` came from TakeBlock(bytes) and was not given back since, or is null
void GiveBlock(void* block, size_t bytes);

// How many bytes this thread keeps.
size_t KeptBlockBytes();

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HOST_BLOCKS_H_
