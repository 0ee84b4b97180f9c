#ifndef TAGFLOW_CONFORMANCE_GPU_BAD_WRITE_H_
#define TAGFLOW_CONFORMANCE_GPU_BAD_WRITE_H_

// The fault by which a process loses its GPU.
//
// Tested by gpu_suite, on a GPU.

#include "graph/status.h"
#include "optimized/devices/device.h"

namespace tagflow::conformance {

// Enqueues a kernel that writes where there is no memory.
//   Errors: of the launch
// REQUIRES: the stream is a GPU's
Status WriteBadly(optimized::DeviceStream& stream);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_BAD_WRITE_H_
