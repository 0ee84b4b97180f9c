#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_TRAINING_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_TRAINING_H_

// Steps that train a network: 256 inputs, two layers of 1,024 units, 10 classes, by Adam. Its
// variables are on the device of the step.
//
// Tested by gpu_programs_test.cc.

#include "conformance/gpu/gpu_programs.h"

namespace tagflow::conformance {

// batch: rows of the input
Result<GpuProgram> TrainingProgram(int64_t batch);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_TRAINING_H_
