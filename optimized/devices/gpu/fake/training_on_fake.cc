// The training steps as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define TrainingLaunches FakeTrainingLaunches
#include "optimized/devices/gpu/kernels/training.cu"
