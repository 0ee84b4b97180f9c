// The programs that are timed, over the fake of CUDA.
// Tests: gpu_programs.cc

#include "conformance/gpu/gpu_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/compare.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(GpuPrograms, GiveWhatTheHostGives) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  constexpr double kScale = 0.02;
  for (const GpuProgram& program : GpuPrograms(kScale)) {
    SCOPED_TRACE(program.name);
    const Result<GpuRun> on_gpu = RunGpuProgram(program, true, 2);
    const Result<GpuRun> on_host = RunGpuProgram(program, false, 1);
    ASSERT_TRUE(on_gpu.ok()) << on_gpu.status().ToString();
    ASSERT_TRUE(on_host.ok()) << on_host.status().ToString();
    EXPECT_EQ(Difference(on_host->out, on_gpu->out, {}), "");
    EXPECT_THAT(on_gpu->about, StartsWith("straight code, over 2 devices"));
    const bool is_by_gpu = program.name.starts_with("predicate on the GPU");
    if (!is_by_gpu) continue;
    EXPECT_THAT(on_gpu->about, HasSubstr("'again' runs without the host"));
  }
}

}  // namespace
}  // namespace tagflow::conformance
