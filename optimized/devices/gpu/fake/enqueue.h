#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_ENQUEUE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_ENQUEUE_H_

// The fake launches a kernel: it looks at what the kernel is given, and enqueues it.
//
// Tested by fake_cuda_test.cc.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tagflow::optimized::fake_cuda {

// words: of what the kernel is launched with. Those that are addresses in the memory of a GPU must
// be in that of the stream's, or of one that it reaches.
cudaError_t Launch(cudaStream_t stream, const std::vector<uint64_t>& words,
                   std::function<void()> work);

// The words of the work itself: what it has captured is what the kernel is given.
template <typename Work>
cudaError_t Enqueue(cudaStream_t stream, Work work) {
  std::vector<uint64_t> words;
  if constexpr (std::is_trivially_copyable_v<Work>) {
    words.resize(sizeof(Work) / sizeof(uint64_t));
    if (!words.empty()) std::memcpy(words.data(), &work, words.size() * sizeof(uint64_t));
  }
  return Launch(stream, words, std::move(work));
}

}  // namespace tagflow::optimized::fake_cuda

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_ENQUEUE_H_
