#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_KERNEL_H_

// One firing of a kernel on a simulated device: one of the host's (host_kernel.h), which begins
// when its inputs are in the memory, takes its time, and has ended when there is room for its
// outputs.
//
// Thread safety: none; SimStep guards it. Tested by sim_session_test.cc.

#include <vector>

#include "optimized/devices/host_kernel.h"
#include "optimized/devices/sim/pins.h"
#include "optimized/devices/sim/sim_step.h"

namespace tagflow::optimized {

class SimKernel : public StreamJob {
 public:
  // step and side outlive it.
  SimKernel(SimStep& step, SimSide& side, DeviceCall call);

  bool Begin() override;
  int64_t duration_ns() override;
  bool End() override;
  void GiveUp() override;

 private:
  const DeviceKernel& kernel() const { return host_.kernel(); }
  void FindBlocks();
  void NoteHistories(const std::vector<Tensor>& outputs);

  SimStep& step_;
  SimSide& side_;
  HostKernel host_;
  Pins read_{side_.memory, side_.swapper};
  SimBlockPtr carried_;  // of the input that is carried, if it is on the device
  bool has_run_ = false;
  Status status_;  // of the run
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_KERNEL_H_
