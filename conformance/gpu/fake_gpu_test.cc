// The GPU device over a fake of CUDA (fake_cuda.h): streams that are threads, kernels that are
// loops.
// Tests: gpu_cases.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "conformance/gpu/gpu_cases.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using optimized::ExecutorChoice;
using optimized::NativeChoice;

void ExpectGood(const Result<std::vector<CaseResult>>& results) {
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_GT(results->size(), 100u);
  for (const auto& result : *results) {
    EXPECT_FALSE(IsBad(result)) << result.name << ": " << result.why;
    EXPECT_NE(result.verdict, Verdict::kUnsupported) << result.name << ": " << result.why;
  }
}

void RunTheCases(ExecutorChoice executor, NativeChoice native) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  ExpectGood(RunCasesOnGpu(".", executor, native));
}

// On GPUs that do not reach each other's memory, so that a kernel that is given another's is seen.
void RunTheCasesOnTwo(ExecutorChoice executor, uint64_t seed) {
  using namespace optimized::fake_cuda;
  optimized::SetCuda(Api());
  LetGpusReach(0, 1, false);
  const int before = CountPeerCopies().staged;
  const auto results = RunCasesOnGpus(".", executor, seed);
  ExpectGood(results);
  EXPECT_GT(CountPeerCopies().staged, before);
  const auto is_limited = [](const CaseResult& result) { return !result.expected.empty(); };
  EXPECT_LT(std::ranges::count_if(*results, is_limited), std::ssize(*results) / 10);
  LetGpusReach(0, 1, true);
}

TEST(FakeGpu, RunsTheCasesInOrderWhereItCan) {
  RunTheCases(ExecutorChoice::kAuto, NativeChoice::kOff);
}
TEST(FakeGpu, RunsTheCasesWithKernelsOfSeveralNodes) {
  RunTheCases(ExecutorChoice::kAuto, NativeChoice::kAlways);
}
TEST(FakeGpu, RunsTheCasesByTokens) { RunTheCases(ExecutorChoice::kTokens, NativeChoice::kOff); }
TEST(FakeGpu, TwoRunTheCasesInOrderWhereTheyCan) { RunTheCasesOnTwo(ExecutorChoice::kAuto, 1); }
TEST(FakeGpu, TwoRunTheCasesByTokens) { RunTheCasesOnTwo(ExecutorChoice::kTokens, 2); }

}  // namespace
}  // namespace tagflow::conformance
