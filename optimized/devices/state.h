#ifndef TAGFLOW_OPTIMIZED_DEVICES_STATE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_STATE_H_

// What the resources of a device keep, counted against its memory.
//
// Kernels that keep state are given copies in the host's memory, and may make tensors of their own.
// So what a resource holds is looked at behind each kernel that had its handle, and what is not yet
// state of the memory is put there. From then on it is counted until nobody holds it.
//
// Thread safety: any thread. Tested by host_kernel_test.cc, sim/sim_state_test.cc.

#include "graph/tensor.h"
#include "optimized/devices/device.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// handle: of a variable or an object of the step, or a reference
//   returns: the bytes for which there was no room; 0: all of it is counted
size_t CountState(const Tensor& handle, SessionState& session, DeviceMemory& memory);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_STATE_H_
