#include "optimized/devices/gpu/cuda_memory.h"

#include <cuda_runtime.h>

#include <utility>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_status.h"

namespace tagflow::optimized {

void* PinnedSource::New(size_t bytes) {
  void* block = nullptr;
  const cudaError_t error = Cuda().host_alloc(&block, bytes, cudaHostAllocPortable);
  if (error == cudaSuccess) return block;
  (void)Cuda().get_last_error();  // else the next call of a kernel would tell it
  return nullptr;
}

void PinnedSource::Delete(void* block) { (void)Cuda().free_host(block); }

void* CudaMemory::Source::New(size_t bytes) {
  void* block = nullptr;
  if (Cuda().set_device(ordinal) == cudaSuccess && Cuda().malloc(&block, bytes) == cudaSuccess) {
    return block;
  }
  (void)Cuda().get_last_error();  // else the next call of a kernel would tell it
  return nullptr;
}

void CudaMemory::Source::Delete(void* block) {
  (void)Cuda().set_device(ordinal);
  (void)Cuda().free(block);
}

void* CudaMemory::Allocate(size_t bytes) {
  bool has_waited = false;
  while (true) {
    const int64_t num_let_go = swaps_ == nullptr ? 0 : swaps_->num_let_go();
    if (void* const block = blocks_.Take(bytes)) return block;
    if (swaps_ != nullptr && swaps_->MakeRoom(num_let_go)) continue;
    if (std::exchange(has_waited, true)) return nullptr;
    for (DeviceStream* const reader : readers_) reader->Settle();
  }
}

bool CudaMemory::Holds(const Tensor& tensor) const {
  return tensor.memory_kind() == MemoryKind::kDevice && blocks_.Holds(AddressOf(tensor));
}

// Behind what is enqueued, which may still use the memory.
Status CudaMemory::CopyNow(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) const {
  cudaError_t error = Cuda().set_device(ordinal());
  if (error == cudaSuccess) error = Cuda().memcpy_async(to, from, bytes, kind, kernels_);
  if (error == cudaSuccess) error = Cuda().stream_synchronize(kernels_);
  return CudaStatus(error, "copying between the host and a GPU");
}

Status CudaMemory::Read(const Tensor& tensor, void* to) const {
  return CopyNow(to, AddressOf(tensor), tensor.byte_size(), cudaMemcpyDeviceToHost);
}

Status CudaMemory::Write(const void* from, const Tensor& tensor) {
  return CopyNow(AddressOf(tensor), from, tensor.byte_size(), cudaMemcpyHostToDevice);
}

BlockCache& PinnedBlocks() {
  static auto& source = *new PinnedSource;
  static auto& blocks = *new BlockCache(source, 0);
  return blocks;
}

}  // namespace tagflow::optimized
