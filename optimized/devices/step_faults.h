#ifndef TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_

// Which kernels of a step have failed on one device, after the step went on ([device.1]).
//
// Where a step is over several devices, a kernel of one may fail because of what one of another
// device has made, or not made. So kernels are counted over all devices of the step, in the order
// in which they were enqueued: the one that failed first is the one with the least number.
//
// Thread safety: any thread. Tested by step_faults_test.cc.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

class StepFaults : public DeviceFaults {
 public:
  using Count = std::atomic<uint64_t>;
  // kernels: the stream that they are enqueued on; count: of all devices of the step. Both outlive
  // this
  StepFaults(DeviceStream& kernels, Count& count) : kernels_(kernels), count_(count) {}

  Result<std::shared_ptr<const FaultPlace>> Add(Tell tell) override;
  // Waits for the kernels that were enqueued and may fail.
  //   Errors: of the first that failed, again and again; of the device
  Status First();
  // The number of the kernel whose error First has told, among those of all devices; kNone: of
  // none.
  uint64_t number_of_first();
  static constexpr uint64_t kNone = ~uint64_t{0};

 private:
  struct Kernel {
    std::shared_ptr<const FaultPlace> place;
    Tell tell;
    uint64_t number;  // among those of all devices
  };

  DeviceStream& kernels_;
  Count& count_;
  std::mutex mutex_;
  Tensor word_;  // uint64; guarded by mutex_, as the rest
  std::deque<Kernel> pending_;
  uint64_t num_told_ = 0;  // kernels that were before those pending
  Status first_;
  uint64_t number_of_first_ = kNone;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_
