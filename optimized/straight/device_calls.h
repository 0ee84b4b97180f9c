#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CALLS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CALLS_H_

// Straight code over devices. One thread drives them all: the kernel of a device enqueues its work
// on the device's stream and returns, and only what the host reads waits for a device.
//
// A value is in one memory, and moves to another where it is read there: its slot then holds what
// came of it. So what a loop reads in each iteration crosses once, and what two calls on one device
// hand to each other never does.
//
// Tested by device_calls_test.cc, and by conformance/gpu/fake_gpu_test.cc over a fake of CUDA.

#include <memory>

#include "optimized/devices/device_kernel.h"
#include "optimized/kernel.h"
#include "optimized/straight/code.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

// A device's own kernel, for a step whose services have devices.
BoundKernel CallInOrder(std::shared_ptr<const DeviceKernel> kernel);

// Lets the host's kernels fetch what may be on a device when they are called: what device kernels
// read or write, and what that moves to. Those that have effects wait until it is known that no
// kernel of a device has failed before ([device.1]).
// REQUIRES: `values` bound the code's kernels
void ReadOnHost(const Graph& graph, const Values& values, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_DEVICE_CALLS_H_
