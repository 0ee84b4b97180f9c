// The kernels as the fake launches them: the same source, by other names.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define PairLaunches FakePairLaunches
#define MapLaunches FakeMapLaunches
#include "optimized/devices/gpu/kernels/elementwise.cu"
