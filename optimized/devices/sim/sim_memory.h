#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_MEMORY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_MEMORY_H_

// The memory of a simulated device. It is on the host, and host code cannot get at it: one file in
// memory is mapped twice, the addresses that tensors hold are those of a mapping that nobody may
// read or write, and the device alone knows the other. So a kernel of another device, or a part of
// the executor, that touches a tensor of this device faults in a test, on any thread.
//
// A *block* is an allocation. It is resident, or its contents are on the host's side (swapped out)
// and it counts nothing against the limit; its address stays the same. The device pins a block for
// as long as a kernel uses it.
//
// *State* is what resources keep from firing to firing. It is counted here and lies in the host's
// memory, where the kernels of resources work on it; a tensor of it says that it is pinned.
//
// Invariant: bytes_resident is the sum of the sizes of state and of the blocks that are resident or
// being moved either way, and at most the limit.
//
// Thread safety: any thread. Tested by sim_memory_test.cc.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device.h"

namespace tagflow::optimized {

// Its owners are the memory and those who move it.
struct SimBlock {
  enum class Place : uint8_t { kResident, kMovingOut, kOut, kMovingIn, kFreed };
  SimBlock(char* block_address, size_t block_bytes) : address(block_address), bytes(block_bytes) {}

  char* const address;  // that tensors hold
  const size_t bytes;
  // Guarded by the memory's mutex:
  Place place = Place::kResident;
  int pins = 0;             // kernels that use it
  std::vector<char> saved;  // while it is out
  // Its place among what was pushed onto histories; kNone: it is in none. Of the step it lives in.
  static constexpr int64_t kNone = -1;
  int64_t history = kNone;
};
using SimBlockPtr = std::shared_ptr<SimBlock>;

class SimMemory : public DeviceMemory {
 public:
  // index: of the device; bytes_limit: 0 for none
  //   Errors: RESOURCE_EXHAUSTED when the host gives no addresses
  static Result<std::unique_ptr<SimMemory>> Create(int index, int64_t bytes_limit);
  ~SimMemory() override;

  void* Allocate(size_t bytes) override;  // an address of the device; null when there is no room
  void Deallocate(void* address, size_t bytes) override;
  int device() const override { return index_; }

  Allocator& state() override { return state_; }
  bool Holds(const Tensor& tensor) const override { return BlockOf(tensor) != nullptr; }
  // REQUIRES: BlockOf(tensor) is resident
  char* HostAddress(const Tensor& tensor) const override;
  // Wherever the block is.
  Status Read(const Tensor& tensor, void* to) const override;

  // The block that holds the elements of a tensor; null when they are not in this memory.
  SimBlockPtr BlockOf(const Tensor& tensor) const;

  // Keeps a block where it is, if it is resident or about to leave; whether it is.
  bool Pin(SimBlock& block);
  void Unpin(SimBlock& block);
  SimBlock::Place PlaceOf(const SimBlock& block) const;

  // Swapping, in two steps each way; in between the block counts as resident. Each says whether the
  // block was in the place for it: it may have been freed, or pinned, since.
  bool BeginMoveOut(SimBlock& block);
  bool EndMoveOut(SimBlock& block);   // its contents are on the host's side
  bool BeginMoveIn(SimBlock& block);  // or false where there is no room
  bool EndMoveIn(SimBlock& block);    // its contents are back

  // From now on, allocation `k`, counted from the next, 1, and all behind it fail as if there was
  // no room; 0: none.
  void FailAllocation(int64_t k);
  DeviceMemoryStats stats() const override;

 private:
  class State : public Allocator {
   public:
    explicit State(SimMemory& memory) : memory_(memory) {}
    void* Allocate(size_t bytes) override;
    void Deallocate(void* address, size_t bytes) override;
    MemoryKind memory_kind() const override { return MemoryKind::kPinned; }

   private:
    SimMemory& memory_;
  };

  SimMemory(int index, int64_t bytes_limit, int file, char* wall, char* inside);
  bool HasRoom(size_t bytes) const;
  bool MayAllocate(size_t bytes, size_t rounded);
  void NoteResident(size_t bytes);
  char* TakeAddress(size_t bytes);
  char* InsideOf(const char* address) const { return inside_ + (address - wall_); }

  const int index_;
  const int file_;
  char* const wall_;    // mapping of addresses that tensors hold
  char* const inside_;  // the same bytes, to be read and written
  State state_{*this};
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  DeviceMemoryStats stats_;
  size_t next_ = 0;  // offset of what was never given
  int64_t fails_at_ = 0;
  int64_t attempts_ = 0;                       // since that was said
  std::map<size_t, std::vector<char*>> free_;  // by size
  std::map<const char*, SimBlockPtr> blocks_;  // by address
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_MEMORY_H_
