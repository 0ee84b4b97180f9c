// Tests: compare_elementwise.cc, compare_reducing.cc

#include "conformance/gpu/compare_kernels.h"

#include <gtest/gtest.h>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

TEST(CompareKernels, FindNothingOverTheFake) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  for (const SuiteCounts& counts : {CompareElementwiseKernels(), CompareReducingKernels()}) {
    EXPECT_EQ(counts.failed, 0);
    EXPECT_GT(counts.passed, 100);
  }
}

}  // namespace
}  // namespace tagflow::conformance
