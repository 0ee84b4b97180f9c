#include "optimized/devices/gpu/fake/fake_devices.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::optimized::fake_cuda {
namespace {

struct Block {
  size_t bytes;
  int device;
};

std::mutex mutex;
int num_devices = 2;                       // guarded by mutex, as the rest
std::map<const char*, Block> blocks;       // of all devices
std::set<std::pair<int, int>> apart;       // that cannot reach each other; the lesser first
std::set<std::pair<int, int>> has_access;  // who, and to whom
thread_local int selected = 0;

bool AreApart(int one, int other) { return apart.contains(std::minmax(one, other)); }

// The block that the address is in, or the end.  REQUIRES: mutex
auto Find(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  auto found = blocks.upper_bound(at);
  if (found == blocks.begin()) return blocks.end();
  --found;
  return at < found->first + found->second.bytes ? found : blocks.end();
}

}  // namespace

int SelectedDevice() { return selected; }

void AddBlock(const void* block, size_t bytes) {
  std::lock_guard lock(mutex);
  blocks[static_cast<const char*>(block)] = {bytes, selected};
}

void RemoveBlock(const void* block) {
  std::lock_guard lock(mutex);
  blocks.erase(static_cast<const char*>(block));
}

int DeviceOf(const void* address) {
  std::lock_guard lock(mutex);
  const auto found = Find(address);
  return found == blocks.end() ? kHost : found->second.device;
}

const void* BlockOf(const void* address) {
  std::lock_guard lock(mutex);
  const auto found = Find(address);
  return found == blocks.end() ? nullptr : found->first;
}

bool Reaches(int device, const void* address) {
  const int of = DeviceOf(address);
  return of == kHost || of == device || ReachesPeer(device, of);
}

bool ReachesPeer(int device, int peer) {
  std::lock_guard lock(mutex);
  return has_access.contains({device, peer});
}

int NumDevices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool is_hidden = visible != nullptr && *visible == '\0';
  std::lock_guard lock(mutex);
  return is_hidden ? 0 : num_devices;
}

cudaError_t SelectDevice(int device) {
  if (device < 0 || device >= NumDevices()) return cudaErrorInvalidDevice;
  selected = device;
  return cudaSuccess;
}

cudaError_t CanAccessPeer(int* can, int device, int peer) {
  const int most = NumDevices();
  const bool are_two = device != peer && device >= 0 && peer >= 0 && device < most && peer < most;
  if (!are_two) return cudaErrorInvalidDevice;
  std::lock_guard lock(mutex);
  *can = AreApart(device, peer) ? 0 : 1;
  return cudaSuccess;
}

cudaError_t EnablePeerAccess(int peer) {
  int can = 0;
  const cudaError_t error = CanAccessPeer(&can, selected, peer);
  if (error != cudaSuccess) return error;
  if (can == 0) return cudaErrorPeerAccessUnsupported;
  std::lock_guard lock(mutex);
  const bool is_new = has_access.insert({selected, peer}).second;
  return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}

void ShowGpus(int count) {
  std::lock_guard lock(mutex);
  num_devices = count;
}

void LetGpusReach(int one, int other, bool can) {
  std::lock_guard lock(mutex);
  has_access.erase({one, other});
  has_access.erase({other, one});
  if (can) {
    apart.erase(std::minmax(one, other));
  } else {
    apart.insert(std::minmax(one, other));
  }
}

}  // namespace tagflow::optimized::fake_cuda
