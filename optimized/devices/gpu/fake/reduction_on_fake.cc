// The reductions as the fake launches them: the same source, by other names.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define ReductionLaunches FakeReductionLaunches
#define ArgBestLaunches FakeArgBestLaunches
#include "optimized/devices/gpu/kernels/reduction.cu"
