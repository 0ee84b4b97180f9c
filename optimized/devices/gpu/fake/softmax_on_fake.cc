// The softmax kernels as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define SoftmaxLaunches FakeSoftmaxLaunches
#include "optimized/devices/gpu/kernels/softmax.cu"
