#ifndef TAGFLOW_OPTIMIZED_DEVICES_VIEWS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_VIEWS_H_

// Tensors of a device as host code sees them that may reach its memory, and copies both ways.
//
// Thread safety: as Tensor. Tested by views_test.cc.

#include <functional>
#include <vector>

#include "graph/tensor.h"
#include "optimized/devices/device.h"

namespace tagflow::optimized {

// Calls change(element) for every tensor of plain elements that is in this one: itself, or what the
// lists in it hold, however deep. The tensor with what that gives in their places; the same one
// where nothing was changed.
//   Errors: those of change
using ChangeTensor = std::function<Result<Tensor>(const Tensor& tensor)>;
Result<Tensor> WithTensors(const Tensor& tensor, const ChangeTensor& change);

// Calls visit for each of the same tensors.
void VisitTensors(const Tensor& tensor, const std::function<void(const Tensor& tensor)>& visit);

// The same elements at the address where the host reads them: a host tensor that keeps the other
// alive. Writing through it is writing to the device.
// REQUIRES: memory.HostAddress(tensor), which stays as long as the view is used
Tensor ViewOf(const Tensor& tensor, const DeviceMemory& memory);
// A copy of a host tensor on the device; scalars are in no memory, and stay as they are.
//   Errors: RESOURCE_EXHAUSTED, UNAVAILABLE
Result<Tensor> DeviceCopyOf(const Tensor& tensor, DeviceMemory& memory);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_VIEWS_H_
