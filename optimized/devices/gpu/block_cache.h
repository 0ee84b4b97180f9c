#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_BLOCK_CACHE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_BLOCK_CACHE_H_

// Blocks of a device's memory, kept when they are given back and given out again: cudaMalloc and
// cudaFree wait for the whole device, which a step must not.
//
// A block that was given back may be given out at once, although kernels that use it have not run
// yet: whoever gets it writes it behind them, on the stream of kernels or on one that waits for it
// (DeviceMemory, StreamStep). So blocks need no events.
//
// Sizes are rounded up, so that a loop whose tensors differ a little finds its blocks again: to a
// multiple of 256 bytes, or to one of four sizes between two powers of two where these are further
// apart. At most a fifth of a block is lost.
//
// Thread safety: any thread. Tested by block_cache_test.cc.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

// How many bytes are taken for so many.
size_t BlockSize(size_t bytes);

// Where blocks come from: cudaMalloc, or the memory of a test.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual void* New(size_t bytes) = 0;  // null: there is no more
  virtual void Delete(void* block) = 0;
};

class BlockCache {
 public:
  // bytes_limit: 0 for none. The source must outlive the cache, and blocks go back before it ends.
  BlockCache(BlockSource& source, int64_t bytes_limit);
  ~BlockCache();

  // Null where there is no room, also after all that is kept was given up.
  void* Take(size_t bytes);
  void GiveBack(void* block);
  // Whether the address is in a block that was taken.
  bool Holds(const void* address) const;
  DeviceMemoryStats stats() const;

 private:
  // Guarded by mutex_, as they are called.
  void* TakeKept(size_t size);
  void* MakeNew(size_t size);
  void GiveUpKept();

  BlockSource& source_;
  mutable std::mutex mutex_;
  std::map<const char*, size_t> taken_;        // guarded by mutex_
  std::map<size_t, std::vector<void*>> kept_;  // by size; guarded by mutex_
  int64_t bytes_kept_ = 0;                     // guarded by mutex_
  DeviceMemoryStats stats_;                    // guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_BLOCK_CACHE_H_
