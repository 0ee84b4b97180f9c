#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_MEMORY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_MEMORY_H_

// The memory of a GPU, and the page-locked memory of the host that copies go through.
//
// Thread safety: any thread. Tested by gpu_device_test.cc.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimized/devices/device.h"
#include "optimized/devices/gpu/block_cache.h"
#include "optimized/devices/history_swaps.h"

namespace tagflow::optimized {

class CudaMemory : public DeviceMemory {
 public:
  // ordinal: CUDA's number of the GPU; device: the index in the session; bytes_limit: 0 for none;
  // kernels: the stream of kernels, in whose order blocks are used again. It outlives this.
  CudaMemory(int ordinal, int device, int64_t bytes_limit, cudaStream_t kernels)
      : device_(device), kernels_(kernels), source_(ordinal), blocks_(source_, bytes_limit) {}

  void* Allocate(size_t bytes) override;
  // As Allocate, for a program, which nothing can be swapped of: room is left for steps beside it.
  void* AllocateForProgram(size_t bytes) {
    return swaps_ == nullptr || swaps_->HasRoomFor(bytes) ? Allocate(bytes) : nullptr;
  }
  void Deallocate(void* pointer, size_t) override { blocks_.GiveBack(pointer); }
  int device() const override { return device_; }
  DeviceMemoryStats stats() const override { return blocks_.stats(); }
  bool HasRoomToStay(int64_t bytes) const override {
    return swaps_ == nullptr || swaps_->MayStay(bytes);
  }
  bool Holds(const Tensor& tensor) const override;
  char* HostAddress(const Tensor&) const override { return nullptr; }
  Status Read(const Tensor& tensor, void* to) const override;
  Status Write(const void* from, const Tensor& tensor) override;

  // Where the elements are, for kernels and copies.
  // REQUIRES: the tensor is in the memory of some GPU
  static char* Address(const Tensor& tensor) { return AddressOf(tensor); }
  int ordinal() const { return source_.ordinal; }
  // An allocation that finds no memory asks the swaps for some; they outlive the last of them.
  void set_swaps(HistorySwaps* swaps) { swaps_ = swaps; }
  // And then waits once for what these keep: streams that copy from here to other GPUs.
  void add_reader(DeviceStream& reader) { readers_.push_back(&reader); }

 private:
  struct Source : BlockSource {
    explicit Source(int number) : ordinal(number) {}
    void* New(size_t bytes) override;
    void Delete(void* block) override;
    const int ordinal;
  };

  Status CopyNow(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) const;

  const int device_;
  const cudaStream_t kernels_;
  Source source_;
  BlockCache blocks_;
  HistorySwaps* swaps_ = nullptr;
  std::vector<DeviceStream*> readers_;
};

// Page-locked memory of the host, which GPUs copy from and to by themselves.
struct PinnedSource : BlockSource {
  void* New(size_t bytes) override;
  void Delete(void* block) override;
};
// Blocks of it, of the whole process: what copies go through.
BlockCache& PinnedBlocks();

// The memory that histories of a GPU are swapped to.
class PinnedMemory : public Allocator {
 public:
  void* Allocate(size_t bytes) override { return blocks_.Take(bytes); }
  void Deallocate(void* pointer, size_t) override { blocks_.GiveBack(pointer); }
  MemoryKind memory_kind() const override { return MemoryKind::kPinned; }

 private:
  PinnedSource source_;
  BlockCache blocks_{source_, 0};
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_MEMORY_H_
