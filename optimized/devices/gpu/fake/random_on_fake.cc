// The random numbers as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define RandomLaunches FakeRandomLaunches
#include "optimized/devices/gpu/kernels/random.cu"
