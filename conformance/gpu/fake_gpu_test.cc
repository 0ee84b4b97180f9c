// The GPU device over a fake of CUDA (fake_cuda.h): streams that are threads, kernels that are
// loops.
// Tests: gpu_cases.cc

#include <gtest/gtest.h>

#include "conformance/gpu/gpu_cases.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using optimized::ExecutorChoice;
using optimized::NativeChoice;

void RunTheCases(ExecutorChoice executor, NativeChoice native) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const auto results = RunCasesOnGpu(".", executor, native);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_GT(results->size(), 100u);
  for (const auto& result : *results) {
    EXPECT_FALSE(IsBad(result)) << result.name << ": " << result.why;
    EXPECT_NE(result.verdict, Verdict::kUnsupported) << result.name << ": " << result.why;
  }
}

TEST(FakeGpu, RunsTheCasesInOrderWhereItCan) {
  RunTheCases(ExecutorChoice::kAuto, NativeChoice::kOff);
}
TEST(FakeGpu, RunsTheCasesWithKernelsOfSeveralNodes) {
  RunTheCases(ExecutorChoice::kAuto, NativeChoice::kAlways);
}
TEST(FakeGpu, RunsTheCasesByTokens) { RunTheCases(ExecutorChoice::kTokens, NativeChoice::kOff); }

}  // namespace
}  // namespace tagflow::conformance
