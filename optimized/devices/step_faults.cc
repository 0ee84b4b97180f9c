#include "optimized/devices/step_faults.h"

#include <utility>

#include "graph/device_access.h"

namespace tagflow::optimized {
namespace {

// More are not remembered: the next one waits for them.
constexpr size_t kPendingMax = 4096;

// Where the device's kernels write it: host code, on a device that is simulated.
uint64_t* AddressOf(const Tensor& word, const DeviceMemory& memory) {
  if (char* const on_host = memory.HostAddress(word)) return reinterpret_cast<uint64_t*>(on_host);
  const DeviceAccess access;
  return static_cast<uint64_t*>(const_cast<void*>(word.raw_data()));
}

}  // namespace

Result<std::shared_ptr<const FaultPlace>> StepFaults::Add(Tell tell) {
  {
    std::unique_lock lock(mutex_);
    if (pending_.size() >= kPendingMax) {
      lock.unlock();
      TAGFLOW_RETURN_IF_ERROR(First());
    }
  }
  std::lock_guard lock(mutex_);
  if (!word_.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(
        word_, Tensor::AllocateUninitialized(DType::kUInt64, Dims{1}, kernels_.memory()));
    kernels_.CopyIn(Tensor::Vector<uint64_t>({FaultPlace::kNone}), word_);
  }
  auto place = std::make_shared<const FaultPlace>(
      FaultPlace{AddressOf(word_, kernels_.memory()), num_told_ + pending_.size()});
  // Only to tell which is less: who enqueues what comes behind another kernel knows of that.
  pending_.push_back({place, std::move(tell), count_.fetch_add(1, std::memory_order_relaxed)});
  return place;
}

Status StepFaults::First() {
  std::lock_guard lock(mutex_);
  if (!first_.ok() || pending_.empty()) return first_;
  // A kernel whose place somebody else still has is perhaps not enqueued yet.
  size_t enqueued = 0;
  while (enqueued < pending_.size() && pending_[enqueued].place.use_count() == 1) ++enqueued;
  TAGFLOW_RETURN_IF_ERROR(kernels_.Record()->Await());
  uint64_t noted = FaultPlace::kNone;
  TAGFLOW_RETURN_IF_ERROR(kernels_.memory().Read(word_, &noted));
  if (noted != FaultPlace::kNone) {
    const uint64_t number = noted >> FaultPlace::kIndexBits;
    const auto index = static_cast<int64_t>(noted & FaultPlace::kIndexMax);
    const Kernel& failed = pending_[number - num_told_];
    number_of_first_ = failed.number;
    first_ = failed.tell(index);
    if (first_.ok())
      first_ = Internal("a kernel failed on a device, and not when it was asked why");
    return first_;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(enqueued));
  num_told_ += enqueued;
  return Status();
}

uint64_t StepFaults::number_of_first() {
  std::lock_guard lock(mutex_);
  return number_of_first_;
}

}  // namespace tagflow::optimized
