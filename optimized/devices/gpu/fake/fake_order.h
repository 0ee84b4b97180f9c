#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_ORDER_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_ORDER_H_

// Whether uses of a GPU's memory are in order, by streams, events and what the host has waited for,
// and not by chance: vector clocks, kept as work is enqueued (Mattern, 1988).
//
//   stream 1   write b   record e
//   stream 2             wait e     read b     in order: what 2 has seen of 1 is behind the write
//   stream 3             read b                not in order, though the write may be over
//
// The fake does not know what kernels do with the memory that they are given. A copy that writes
// must be behind all uses, and whatever uses memory behind the last copy that wrote it; a kernel
// that writes what a copy still reads is not noticed. What the host has waited for, all of its
// threads know.
//
// Thread safety: any thread. Tested by fake_cuda_test.cc.

#include <cstdint>
#include <map>

namespace tagflow::optimized::fake_cuda {

// By stream: how much of what was enqueued there is behind.
using Clock = std::map<int, int64_t>;

enum class Use : uint8_t { kCopyReads, kCopyWrites, kKernel };

int NewStreamNumber();
void ForgetStream(int stream);
// A block that is no more.
void ForgetBlock(const void* block);

// The clock of a moment at which the stream has done all that was enqueued so far.
Clock RecordOrder(int stream);
void WaitInOrder(int stream, const Clock& recorded);
void HostHasWaited(const Clock& recorded);
// Whether what is enqueued now may use the block. Null, memory of the host, is never asked about.
bool IsInOrder(int stream, const void* block, Use use);

}  // namespace tagflow::optimized::fake_cuda

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_ORDER_H_
