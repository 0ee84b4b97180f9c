#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICE_STEP_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICE_STEP_H_

// What an executor asks of the devices of a step that are not the host's CPU: to run a kernel, to
// bring a tensor from one memory to another, and, where their time is virtual, to go on. Kernels
// and transfers complete by themselves (optimized/async_kernel.h).
//
// Thread safety: any thread. Advance, by one at a time, while no other call is made.

#include <cstddef>
#include <memory>

#include "graph/tensor.h"
#include "optimized/async_kernel.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// A node's kernel on a device.
struct DeviceKernel {
  int device = 0;
  BoundKernel kernel;  // as the host runs it
  size_t num_outputs = 0;
  // An input that is handed on as it is, and not read: what is pushed onto a list or stack; -1.
  int carried_input = -1;
  bool is_carrier = false;   // hands tensors on, from or to a list or stack, and computes nothing
  bool is_history = false;   // what it is given to carry may be swapped to the host
  bool keeps_state = false;  // what it is given, it may keep beyond the firing
};

class DeviceStep {
 public:
  virtual ~DeviceStep() = default;
  // Starts a kernel. Inputs are taken from the context before it returns; `kernel` outlives the
  // step, the context need not.
  virtual void Launch(const DeviceKernel& kernel, KernelContext& context,
                      std::shared_ptr<AsyncCall> call) = 0;
  // Brings a tensor to another device's memory; the call is done with that one tensor. It comes
  // from `from`, unless it is in the memory of yet another device.
  virtual void Transfer(int from, int to, Tensor value, std::shared_ptr<AsyncCall> call) = 0;
  // For a step that has nothing else to do: lets virtual time go on. False when nothing is left
  // that could happen.
  virtual bool Advance() = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICE_STEP_H_
