#ifndef TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_
#define TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_

// Runs a bound kernel apart from the step's slots.
//
// Thread safety: any thread. Tested by host_kernel_test.cc, stream_step_test.cc.

#include <cstdint>
#include <vector>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

// A firing with slots of its own.
class OwnContext : public KernelContext {
 public:
  // may_change: by input, whether nobody else reads it; empty: none
  OwnContext(std::vector<Tensor> inputs, const std::vector<bool>& may_change, size_t num_outputs,
             const StepServices& services);
  //   Errors: those of the kernel
  Result<std::vector<Tensor>> Run(const BoundKernel& kernel);

 private:
  std::vector<Tensor> values_;  // of the inputs, and behind them of the outputs
  std::vector<Arg> args_;
  std::vector<uint32_t> outputs_;
};

// inputs: of the call, as the kernel is to see them; stream, faults: the KernelContext's, both null
// where the kernel is the host's
//   returns: its outputs.   Errors: those of the kernel
Result<std::vector<Tensor>> RunOnItsOwn(const DeviceCall& call, std::vector<Tensor> inputs,
                                        DeviceStream* stream, DeviceFaults* faults);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_
