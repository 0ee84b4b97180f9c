#ifndef TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_DEVICES_H_

// Devices of kind SIM: simulated accelerators. Each has a memory of its own that host code cannot
// touch, with a limit; streams of kernels and of copies, in order and beside each other; and a
// virtual clock, which all of a step share. Their kernels are the CPU's, run behind that wall
// (sim_memory.h, sim_step.h).
//
// Thread safety: const access from any thread. Tested by sim_session_test.cc.

#include <memory>

#include "optimized/devices/device.h"
#include "optimized/devices/sim/sim_options.h"

namespace tagflow::optimized {

std::shared_ptr<const DeviceKind> SimDevices(const SimOptions& options = {});

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_SIM_SIM_DEVICES_H_
