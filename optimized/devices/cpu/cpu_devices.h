#ifndef TAGFLOW_OPTIMIZED_DEVICES_CPU_CPU_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_CPU_CPU_DEVICES_H_

// Devices of kind CPU: places for nodes on the host. Their memory is the host's, and the session's
// threads run their kernels, of which every op's first kernel is one; so there is nothing to start,
// to copy or to report.
//
// Thread safety: const access from any thread. Tested by cpu_devices_test.cc.

#include <memory>

#include "optimized/devices/device.h"

namespace tagflow::optimized {

std::shared_ptr<const DeviceKind> CpuDevices();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_CPU_CPU_DEVICES_H_
