#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_RECORDER_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_RECORDER_H_

// One iteration of a loop, recorded as a program of a device: its kernels, the loops in it whose
// predicate the device has, as loops, and the branches, as branches. A loop or branch whose
// predicate the host has is the same in every iteration: what it comes to is recorded.
//
// Tested by device_loops_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <algorithm>
#include <vector>

#include "optimized/devices/device.h"
#include "optimized/straight/device_loops.h"

namespace tagflow::optimized {

inline bool HasShapeOf(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.dims(), b.dims());
}

// Whether a program can be given it.
inline bool IsThere(const Tensor& value) {
  return value.is_inline() || value.memory_kind() == MemoryKind::kDevice;
}

// slots: as the step's at the loop's test; what the loop writes is in tensors of the program's own,
// and afterwards again
//   Errors: FAILED_PRECONDITION where the host would have to read something, a shape changes from
//   iteration to iteration, or there are too many kernels; those of the device
Status RecordLoop(const DeviceLoops& loops, const Code& code, const DeviceLoop& loop,
                  std::vector<Tensor>& slots, const StepServices& services, DeviceProgram& program);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_LOOP_RECORDER_H_
