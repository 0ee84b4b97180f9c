// The GPU device over a fake of CUDA (fake_cuda.h): streams that are threads, kernels that are
// loops.
// Tests: gpu_cases.cc

#include <gtest/gtest.h>

#include "conformance/gpu/gpu_cases.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

TEST(FakeGpu, RunsTheCases) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const auto results = RunCasesOnGpu("conformance/cases", "conformance/gpu/over_devices.txt");
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_GT(results->size(), 100u);
  for (const auto& result : *results) EXPECT_FALSE(IsBad(result)) << result.name << result.why;
}

}  // namespace
}  // namespace tagflow::conformance
