// The training steps of rows as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define RowTrainingLaunches FakeRowTrainingLaunches
#include "optimized/devices/gpu/kernels/row_training.cu"
