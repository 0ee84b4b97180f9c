#ifndef TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_
#define TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_

// Runs the bound kernel of a call apart from the step's slots.
//
// Thread safety: any thread. Tested by host_kernel_test.cc, stream_step_test.cc.

#include <vector>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

// inputs: of the call, as the kernel is to see them; stream, faults: the KernelContext's, both null
// where the kernel is the host's
//   returns: its outputs.   Errors: those of the kernel
Result<std::vector<Tensor>> RunOnItsOwn(const DeviceCall& call, std::vector<Tensor> inputs,
                                        DeviceStream* stream, DeviceFaults* faults);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_OWN_CONTEXT_H_
