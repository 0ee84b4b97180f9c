// Updates and reductions of segments as the fake launches them: the same source, by other names.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define RowUpdateLaunches FakeRowUpdateLaunches
#define ScatterLaunches FakeScatterLaunches
#define SegmentLaunches FakeSegmentLaunches
#include "optimized/devices/gpu/kernels/scatter.cu"
