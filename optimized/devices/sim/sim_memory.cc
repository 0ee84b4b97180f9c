#include "optimized/devices/sim/sim_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

namespace tagflow::optimized {
namespace {

// Of addresses: memory is taken where something is written.
constexpr size_t kAddressBytes = size_t{1} << 34;
constexpr size_t kAlignment = 64;
// What is in memory that was given back or swapped out.
constexpr int kPoison = 0xDB;

size_t Rounded(size_t bytes) {
  return std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
}

}  // namespace

Result<std::unique_ptr<SimMemory>> SimMemory::Create(int index, int64_t bytes_limit) {
  const int file = memfd_create("sim", MFD_CLOEXEC);
  void* wall = MAP_FAILED;
  void* inside = MAP_FAILED;
  if (file >= 0 && ftruncate(file, static_cast<off_t>(kAddressBytes)) == 0) {
    wall = mmap(nullptr, kAddressBytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    inside =
        mmap(nullptr, kAddressBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  }
  if (wall == MAP_FAILED || inside == MAP_FAILED) {
    if (wall != MAP_FAILED) munmap(wall, kAddressBytes);
    if (file >= 0) close(file);
    return ResourceExhausted("the host gives no addresses for the memory of a simulated device: " +
                             std::string(std::strerror(errno)));
  }
  return std::unique_ptr<SimMemory>(new SimMemory(
      index, bytes_limit, file, static_cast<char*>(wall), static_cast<char*>(inside)));
}

SimMemory::SimMemory(int index, int64_t bytes_limit, int file, char* wall, char* inside)
    : index_(index), file_(file), wall_(wall), inside_(inside) {
  stats_.bytes_limit = bytes_limit;
}

SimMemory::~SimMemory() {
  munmap(wall_, kAddressBytes);
  munmap(inside_, kAddressBytes);
  close(file_);
}

bool SimMemory::HasRoom(size_t bytes) const {
  return stats_.bytes_limit == 0 ||
         stats_.bytes_resident + static_cast<int64_t>(bytes) <= stats_.bytes_limit;
}

char* SimMemory::TakeAddress(size_t bytes) {
  std::vector<char*>& free = free_[bytes];
  if (!free.empty()) {
    char* const address = free.back();
    free.pop_back();
    return address;
  }
  if (bytes > kAddressBytes - next_) return nullptr;
  char* const address = wall_ + next_;
  next_ += bytes;
  return address;
}

// rounded: less than `bytes` where these are too many
bool SimMemory::MayAllocate(size_t bytes, size_t rounded) {
  const bool is_to_fail = fails_at_ > 0 && ++attempts_ >= fails_at_;
  return !is_to_fail && rounded >= bytes && HasRoom(rounded);
}

void* SimMemory::Allocate(size_t bytes) {
  const size_t rounded = Rounded(bytes);
  std::lock_guard lock(mutex_);
  char* address = nullptr;
  if (MayAllocate(bytes, rounded)) address = TakeAddress(rounded);
  if (address == nullptr) {
    ++stats_.failures;
    return nullptr;
  }
  blocks_.emplace(address, std::make_shared<SimBlock>(address, rounded));
  ++stats_.allocations;
  NoteResident(rounded);
  return address;
}

void SimMemory::NoteResident(size_t bytes) {
  stats_.bytes_resident += static_cast<int64_t>(bytes);
  stats_.bytes_resident_max = std::max(stats_.bytes_resident_max, stats_.bytes_resident);
}

void SimMemory::Deallocate(void* address, size_t) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(static_cast<char*>(address));
  TAGFLOW_CHECK(found != blocks_.end());
  SimBlock& block = *found->second;
  const auto bytes = static_cast<int64_t>(block.bytes);
  if (block.place == SimBlock::Place::kOut) {
    stats_.bytes_out -= bytes;
  } else {
    std::memset(InsideOf(block.address), kPoison, block.bytes);
    stats_.bytes_resident -= bytes;
  }
  block.place = SimBlock::Place::kFreed;
  free_[block.bytes].push_back(block.address);
  blocks_.erase(found);
}

void* SimMemory::State::Allocate(size_t bytes) {
  const size_t rounded = Rounded(bytes);
  std::lock_guard lock(memory_.mutex_);
  void* address = nullptr;
  if (memory_.MayAllocate(bytes, rounded)) address = HostAllocator().Allocate(rounded);
  if (address == nullptr) {
    ++memory_.stats_.failures;
    return nullptr;
  }
  ++memory_.stats_.allocations;
  memory_.stats_.bytes_state += static_cast<int64_t>(rounded);
  memory_.NoteResident(rounded);
  return address;
}

void SimMemory::State::Deallocate(void* address, size_t bytes) {
  const size_t rounded = Rounded(bytes);
  HostAllocator().Deallocate(address, rounded);
  std::lock_guard lock(memory_.mutex_);
  memory_.stats_.bytes_state -= static_cast<int64_t>(rounded);
  memory_.stats_.bytes_resident -= static_cast<int64_t>(rounded);
}

SimBlockPtr SimMemory::BlockOf(const Tensor& tensor) const {
  if (tensor.memory_kind() != MemoryKind::kDevice) return nullptr;
  const char* const address = AddressOf(tensor);
  std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const SimBlockPtr& block = std::prev(after)->second;
  return address < block->address + block->bytes ? block : nullptr;
}

char* SimMemory::HostAddress(const Tensor& tensor) const { return InsideOf(AddressOf(tensor)); }

Status SimMemory::Read(const Tensor& tensor, void* to) const {
  const SimBlockPtr block = BlockOf(tensor);
  const char* const address = AddressOf(tensor);
  std::lock_guard lock(mutex_);
  const bool is_here =
      block->place == SimBlock::Place::kResident || block->place == SimBlock::Place::kMovingOut;
  const char* const from =
      is_here ? InsideOf(address) : block->saved.data() + (address - block->address);
  std::memcpy(to, from, tensor.byte_size());
  return Status();
}

bool SimMemory::Pin(SimBlock& block) {
  std::lock_guard lock(mutex_);
  if (block.place == SimBlock::Place::kMovingOut) block.place = SimBlock::Place::kResident;
  if (block.place != SimBlock::Place::kResident) return false;
  ++block.pins;
  return true;
}

void SimMemory::Unpin(SimBlock& block) {
  std::lock_guard lock(mutex_);
  --block.pins;
}

SimBlock::Place SimMemory::PlaceOf(const SimBlock& block) const {
  std::lock_guard lock(mutex_);
  return block.place;
}

bool SimMemory::BeginMoveOut(SimBlock& block) {
  std::lock_guard lock(mutex_);
  if (block.place != SimBlock::Place::kResident || block.pins > 0) return false;
  block.place = SimBlock::Place::kMovingOut;
  return true;
}

bool SimMemory::EndMoveOut(SimBlock& block) {
  std::lock_guard lock(mutex_);
  if (block.place != SimBlock::Place::kMovingOut) return false;
  char* const inside = InsideOf(block.address);
  block.saved.assign(inside, inside + block.bytes);
  std::memset(inside, kPoison, block.bytes);
  block.place = SimBlock::Place::kOut;
  stats_.bytes_resident -= static_cast<int64_t>(block.bytes);
  stats_.bytes_out += static_cast<int64_t>(block.bytes);
  return true;
}

bool SimMemory::BeginMoveIn(SimBlock& block) {
  std::lock_guard lock(mutex_);
  if (block.place != SimBlock::Place::kOut || !HasRoom(block.bytes)) return false;
  block.place = SimBlock::Place::kMovingIn;
  stats_.bytes_out -= static_cast<int64_t>(block.bytes);
  NoteResident(block.bytes);
  return true;
}

bool SimMemory::EndMoveIn(SimBlock& block) {
  std::lock_guard lock(mutex_);
  if (block.place != SimBlock::Place::kMovingIn) return false;
  std::memcpy(InsideOf(block.address), block.saved.data(), block.bytes);
  block.saved = {};
  block.place = SimBlock::Place::kResident;
  return true;
}

void SimMemory::FailAllocation(int64_t k) {
  std::lock_guard lock(mutex_);
  fails_at_ = k;
  attempts_ = 0;
}

DeviceMemoryStats SimMemory::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace tagflow::optimized
