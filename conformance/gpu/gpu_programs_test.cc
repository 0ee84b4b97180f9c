// The programs that are timed, over the fake of CUDA.
// Tests: gpu_branch.cc, gpu_lstm.cc, gpu_product.cc, gpu_programs.cc, gpu_training.cc

#include "conformance/gpu/gpu_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr double kScale = 0.02;

void ExpectRecorded(const GpuProgram& program, const std::string& about) {
  EXPECT_THAT(about, StartsWith("straight code, over 2 devices"));
  if (program.name.starts_with("predicate on the GPU")) {
    EXPECT_THAT(about, HasSubstr("a loop runs as long as the device says"));
    EXPECT_THAT(about, HasSubstr("'again' runs without the host"));
  } else if (program.name.starts_with("a branch on the GPU")) {
    EXPECT_THAT(about, HasSubstr("'while/LoopCond' runs without the host"));
    EXPECT_THAT(about, HasSubstr("'gradients/while_grad/LoopCond' runs without the host"));
  } else {
    EXPECT_THAT(about, HasSubstr("steps run at once"));
  }
}

TEST(GpuPrograms, GiveWhatTheHostGives) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const SuiteCounts counts = CompareGpuPrograms(kScale);
  EXPECT_GT(counts.passed, 20);
  EXPECT_EQ(counts.failed, 0);
}

TEST(GpuPrograms, RunAsTheyAreMeantTo) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  constexpr int kSteps = 4;
  const auto programs = GpuPrograms(kScale);
  ASSERT_TRUE(programs.ok()) << programs.status().ToString();
  for (const GpuProgram& program : *programs) {
    SCOPED_TRACE(program.name);
    const Result<GpuRun> run = RunGpuProgram(program, GpuWay::kFused, kSteps);
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    ExpectRecorded(program, run->about);
  }
}

}  // namespace
}  // namespace tagflow::conformance
