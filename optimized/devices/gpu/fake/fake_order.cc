#include "optimized/devices/gpu/fake/fake_order.h"

#include <algorithm>
#include <mutex>

namespace tagflow::optimized::fake_cuda {
namespace {

// The last use by each stream.
struct Uses {
  Clock all;
  Clock writes;  // by copies
};

std::mutex mutex;
int num_streams = 0;  // guarded by mutex, as the rest
std::map<int, Clock> clocks;
Clock host;
std::map<const void*, Uses> blocks;

void Join(Clock& clock, const Clock& other) {
  for (const auto& [stream, number] : other) clock[stream] = std::max(clock[stream], number);
}

bool IsBehind(const Clock& clock, const Clock& uses) {
  return std::ranges::all_of(uses, [&clock](const auto& use) {
    const auto seen = clock.find(use.first);
    return seen != clock.end() && seen->second >= use.second;
  });
}

}  // namespace

int NewStreamNumber() {
  std::lock_guard lock(mutex);
  return num_streams++;
}

// It ends when all of it is done, and the host waits for that.
void ForgetStream(int stream) {
  std::lock_guard lock(mutex);
  clocks.erase(stream);
  host.erase(stream);
  for (auto& [other, clock] : clocks) clock.erase(stream);
  for (auto& [block, uses] : blocks) {
    uses.all.erase(stream);
    uses.writes.erase(stream);
  }
}

void ForgetBlock(const void* block) {
  std::lock_guard lock(mutex);
  blocks.erase(block);
}

Clock RecordOrder(int stream) {
  std::lock_guard lock(mutex);
  Clock& clock = clocks[stream];
  Join(clock, host);
  return clock;
}

void WaitInOrder(int stream, const Clock& recorded) {
  std::lock_guard lock(mutex);
  Join(clocks[stream], recorded);
}

void HostHasWaited(const Clock& recorded) {
  std::lock_guard lock(mutex);
  Join(host, recorded);
}

bool IsInOrder(int stream, const void* block, Use use) {
  if (block == nullptr) return true;
  std::lock_guard lock(mutex);
  Clock& clock = clocks[stream];
  Join(clock, host);
  Uses& uses = blocks[block];
  const bool is_in_order = IsBehind(clock, use == Use::kCopyWrites ? uses.all : uses.writes);
  const int64_t number = ++clock[stream];
  if (use == Use::kCopyWrites) uses = {{}, {{stream, number}}};
  uses.all[stream] = number;
  return is_in_order;
}

}  // namespace tagflow::optimized::fake_cuda
