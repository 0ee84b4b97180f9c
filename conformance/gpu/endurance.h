#ifndef TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_
#define TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_

// Many steps on a GPU: none leaves more memory taken than the one before, and those after a
// cancelled one give what they gave.
//
// Tested by endurance_test.cc.

#include "conformance/gpu/suite_counts.h"

namespace tagflow::conformance {

// Of each program of gpu_programs.h, one test of `steps` steps.
SuiteCounts RunManySteps(int steps);

// Of each, one test of `steps` steps that are cancelled on their way. Short ones may end before,
// and so do those that are enqueued at once.
//   scale: of GpuPrograms
SuiteCounts CancelManySteps(int steps, double scale);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_ENDURANCE_H_
