#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_EACH_INDEX_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_EACH_INDEX_H_

// A kernel is a body that is called once for each index, in any order: on a GPU by a thread of its
// own, on the host by a loop. So what a kernel computes, and where it reads and writes, is tested
// on machines without a GPU, over all of its indices.

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include <algorithm>
#elif defined(TAGFLOW_FAKE_CUDA)
#include "optimized/devices/gpu/fake/enqueue.h"
#endif

namespace tagflow::optimized {

template <typename Body>
void OnHost(const Body& body, int64_t count) {
  for (int64_t i = 0; i < count; ++i) body(i);
}

#if defined(__CUDACC__)
// Threads read the body where the launch has put it: of one whose arrays they index, each would
// have a copy of its own otherwise.
template <typename Body>
__global__ void EachIndex(const __grid_constant__ Body body, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < count; i += step) body(i);
}

template <typename Body>
cudaError_t OnGpu(const Body& body, int64_t count, cudaStream_t stream) {
  constexpr int64_t kThreads = 256, kBlocksMax = 4096;  // enough to fill any GPU several times
  if (count == 0) return cudaSuccess;
  const int64_t blocks = std::min((count + kThreads - 1) / kThreads, kBlocksMax);
  EachIndex<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(body, count);
  return cudaGetLastError();
}
#elif defined(TAGFLOW_FAKE_CUDA)
// Another function than the one that nvcc compiles, which the same program may hold.
inline namespace on_fake {
template <typename Body>
cudaError_t OnGpu(const Body& body, int64_t count, cudaStream_t stream) {
  return fake_cuda::Enqueue(stream, [body, count] { OnHost(body, count); });
}
}  // namespace on_fake
#endif

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_EACH_INDEX_H_
