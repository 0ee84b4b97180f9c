#ifndef TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_

// Which kernels of a step have failed on one device, after the step went on ([device.1]).
//
// Thread safety: any thread. Tested by step_faults_test.cc.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

class StepFaults : public DeviceFaults {
 public:
  // kernels: the stream that they are enqueued on; outlives this
  explicit StepFaults(DeviceStream& kernels) : kernels_(kernels) {}

  Result<std::shared_ptr<const FaultPlace>> Add(Tell tell) override;
  // Waits for the kernels that were enqueued and may fail.
  //   Errors: of the first that failed, again and again; of the device
  Status First();

 private:
  struct Kernel {
    std::shared_ptr<const FaultPlace> place;
    Tell tell;
  };

  DeviceStream& kernels_;
  std::mutex mutex_;
  Tensor word_;  // uint64; guarded by mutex_, as the rest
  std::deque<Kernel> pending_;
  uint64_t num_told_ = 0;  // kernels that were before those pending
  Status first_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_STEP_FAULTS_H_
