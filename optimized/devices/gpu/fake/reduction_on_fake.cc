// The reductions as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define ReductionLaunches FakeReductionLaunches
#include "optimized/devices/gpu/kernels/reduction.cu"
