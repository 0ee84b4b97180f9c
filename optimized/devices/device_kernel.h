#ifndef TAGFLOW_OPTIMIZED_DEVICES_DEVICE_KERNEL_H_
#define TAGFLOW_OPTIMIZED_DEVICES_DEVICE_KERNEL_H_

// A node's kernel on a device that is not the host's CPU, and what the device has to know of it.
//
// Thread safety: a value. Tested by device_kernel_test.cc.

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "graph/op_def.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

struct DeviceKernel {
  int device = 0;
  BoundKernel kernel;
  // It is the kind's own and only enqueues; else it is the host's, and runs where host code reads
  // the device's memory.
  bool is_own = false;
  std::vector<bool> reads_on_host;  // of an own one, by input
  size_t num_outputs = 0;
  // An input that is handed on as it is, and not read: what is pushed onto a list or stack; -1.
  int carried_input = -1;
  bool is_carrier = false;  // hands tensors on, from or to a list, stack or array; computes nothing
  bool joins = false;       // makes one tensor of those in a list or array
  bool is_history = false;  // what it is given to carry may be swapped to the host
  bool keeps_state = false;  // what it is given, it may keep beyond the firing
  bool is_seen = false;      // it changes what others can see
};

// Sizes and indices have these dtypes: the host often reads them, whoever else does.
inline bool IsIndexDType(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

// Whether its kernels do more than compute: they have state, or are given a handle or a reference.
bool HasEffects(const OpDef& op);

// Which inputs a kernel of a device's own reads on the host.
//   entry: of the kernel
std::vector<bool> ReadsOnHost(const Node& node, const Signature& signature,
                              const KernelEntry& entry);

// entry: what `bound` was bound from; is_own: as above
DeviceKernel MakeDeviceKernel(int device, const Node& node, const Signature& signature,
                              const KernelEntry& entry, BoundKernel bound, bool is_own);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_DEVICE_KERNEL_H_
