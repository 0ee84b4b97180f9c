// The products as the fake launches them: the same source, by another name.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define ProductLaunches FakeProductLaunches
#include "optimized/devices/gpu/kernels/product.cu"
