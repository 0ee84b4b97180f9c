#ifndef TAGFLOW_OPTIMIZED_DEVICES_ELEMENT_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_ELEMENT_KERNEL_H_

// The elementwise work of several nodes as one kernel of a device, which is made while a program
// runs (native/element_program.h).
//
// Thread safety: any thread. Tested by gpu/gpu_device_test.cc.

#include <span>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/device.h"

namespace tagflow::optimized {

class ElementKernel {
 public:
  virtual ~ElementKernel() = default;
  // Enqueues it.
  //   inputs: of the program's types; those that are given are on the host, others in the memory
  //   of the stream's device
  //   outputs: there, too, apart from all inputs
  virtual Status Enqueue(DeviceStream& stream, std::span<const Tensor> inputs,
                         std::span<const Tensor> outputs) const = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_ELEMENT_KERNEL_H_
