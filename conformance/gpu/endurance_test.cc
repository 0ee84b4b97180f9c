// Many steps over the fake of CUDA.
// Tests: endurance.cc

#include "conformance/gpu/endurance.h"

#include <gtest/gtest.h>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

TEST(Endurance, StepsLeaveNothingBehind) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const SuiteCounts counts = RunManySteps(5);
  EXPECT_GT(counts.passed, 5);
  EXPECT_EQ(counts.failed, 0);
}

TEST(Endurance, CancelledStepsLeaveNothingBehind) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const SuiteCounts counts = CancelManySteps(20, 0.02);
  EXPECT_GT(counts.passed, 5);
  EXPECT_EQ(counts.failed, 0);
}

}  // namespace
}  // namespace tagflow::conformance
