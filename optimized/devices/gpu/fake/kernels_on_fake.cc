// The kernels as the fake launches them: the same source, by other names.

#include "optimized/devices/gpu/fake/fake_cuda.h"

#define CastLaunches FakeCastLaunches
#define IndexedKernels FakeIndexedKernels
#define LaunchBox FakeLaunchBox
#define LaunchCommit FakeLaunchCommit
#define LaunchGather FakeLaunchGather
#define LaunchSelect FakeLaunchSelect
#define MapLaunches FakeMapLaunches
#define PairLaunches FakePairLaunches
#define SamePairLaunches FakeSamePairLaunches
#define ScanLaunches FakeScanLaunches
#define SumLaunches FakeSumLaunches
#include "optimized/devices/gpu/kernels/casts.cu"
#include "optimized/devices/gpu/kernels/commit.cu"
#include "optimized/devices/gpu/kernels/elementwise.cu"
#include "optimized/devices/gpu/kernels/indexed.cu"
#include "optimized/devices/gpu/kernels/moves.cu"
#include "optimized/devices/gpu/kernels/scans.cu"
#include "optimized/devices/gpu/kernels/sums.cu"
