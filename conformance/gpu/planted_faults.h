#ifndef TAGFLOW_CONFORMANCE_GPU_PLANTED_FAULTS_H_
#define TAGFLOW_CONFORMANCE_GPU_PLANTED_FAULTS_H_

// Faults that are planted, and what must come after them. Each is planted in a process of its own:
// some end CUDA for the process, and one has to be there before CUDA begins.
//
// Tested by planted_faults_test.cc.

#include <chrono>
#include <functional>
#include <string>

#include "conformance/gpu/suite_counts.h"
#include "graph/status.h"
#include "optimized/devices/device.h"

namespace tagflow::conformance {

// Enqueues on a stream of a GPU what loses the GPU (bad_write.h).
using BadWrite = std::function<Status(optimized::DeviceStream&)>;

// In the child: plants the fault of that name, and prints what is wrong with what comes after.
//   returns: the exit code; 0: nothing is
int PlantFault(const std::string& name, const BadWrite& write_badly);

// Runs `program fault NAME` for each fault, which is to call PlantFault; counts one test for each.
// A child that is not over by then is killed, and has failed.
SuiteCounts PlantFaults(const std::string& program,
                        std::chrono::seconds limit = std::chrono::seconds(60));

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_PLANTED_FAULTS_H_
