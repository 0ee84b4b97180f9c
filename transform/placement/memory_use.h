#ifndef TAGFLOW_TRANSFORM_PLACEMENT_MEMORY_USE_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_MEMORY_USE_H_

// How much memory a placement would take on each device, by a schedule of it: a tensor from when
// its task begins until the last that takes it has ended; on another device from when it was made
// until the last there has; and what tasks keep all the time.
//
// A loop's tensors count as those of one iteration: neither its histories nor iterations that
// overlap are seen. What one op hands on to the next as it is (Identity, Reshape) counts twice.
//
// Cost: (tensors + inputs) log of these, times devices that take a tensor.
// Tested by memory_use_test.cc.

#include <vector>

#include "transform/placement/simulate.h"
#include "transform/placement/task_graph.h"

namespace tagflow {

// device_of: by task; schedule: of it.   returns: by device
std::vector<double> PeakBytes(const TaskGraph& graph, const std::vector<int>& device_of,
                              const Schedule& schedule);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_MEMORY_USE_H_
