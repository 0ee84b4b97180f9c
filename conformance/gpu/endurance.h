#ifndef TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_
#define TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_

// Many steps on a GPU: none leaves more memory taken than the one before, and those after a
// cancelled one give what they gave.
//
// Tested by endurance_test.cc.

#include "conformance/gpu/suite_counts.h"

namespace tagflow::conformance {

// Runs `steps` steps of each program of gpu_programs.h; counts one test for each program.
SuiteCounts RunManySteps(int steps);

// Cancels `steps` steps of each program on their way; counts one test for each program. A short
// step may end before it is cancelled, and so may one whose work is enqueued at once.
//   scale: of GpuPrograms
SuiteCounts CancelManySteps(int steps, double scale);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_
