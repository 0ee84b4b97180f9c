#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_RECORDER_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_RECORDER_H_

// Instructions recorded as a program of a device: kernels, the loops whose predicate the device
// has, as loops, and the branches, as branches. A loop or branch whose predicate the host has is
// what it comes to with the values that the host has now: a loop of three iterations is recorded
// thrice.
//
// Tested by device_programs_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <vector>

#include "optimized/straight/device_loops.h"
#include "optimized/straight/recorded_calls.h"

namespace tagflow::optimized {

// One iteration of a loop, from its test on.
//   slots: as the step's at the test; what the loop writes is in tensors of the program's own, and
//   afterwards again; but what the split has, which is the host's
//   Errors: FAILED_PRECONDITION where the host would have to read something between the iterations,
//   a shape changes from iteration to iteration, or there are too many kernels; those of the device
Status RecordLoop(const DeviceLoop& loop, const RecorderParts& parts);
// All of the code, without loops whose predicate the device has.
//   results: by fetch; a result is the program's, or on the host; none of one that is dead
//   Errors: as above
Status RecordStep(const RecorderParts& parts, std::vector<Tensor>& results);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_RECORDER_H_
