// The programs that are timed, over the fake of CUDA.
// Tests: gpu_lstm.cc, gpu_product.cc, gpu_programs.cc

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
  const auto programs = GpuPrograms(kScale);
  ASSERT_TRUE(programs.ok()) << programs.status().ToString();
  for (const GpuProgram& program : *programs) {
    SCOPED_TRACE(program.name);
    const Result<GpuRun> on_gpu = RunGpuProgram(program, true, 3);
    const Result<GpuRun> on_host = RunGpuProgram(program, false, 1);
    ASSERT_TRUE(on_gpu.ok()) << on_gpu.status().ToString();
    ASSERT_TRUE(on_host.ok()) << on_host.status().ToString();
    for (size_t i = 0; i < program.fetches.size(); ++i) {
      EXPECT_EQ(Difference(on_host->values[i], on_gpu->values[i],
                           {.magnitude_relative = program.error_max, .magnitude = 1}),
                "");
    }
    EXPECT_THAT(on_gpu->about, StartsWith("straight code, over 2 devices"));
    const bool is_by_gpu = program.name.starts_with("predicate on the GPU");
    EXPECT_THAT(on_gpu->about, HasSubstr(is_by_gpu ? "a loop runs as long as the device says"
                                                   : "steps run at once"));
    if (!is_by_gpu) continue;
    EXPECT_THAT(on_gpu->about, HasSubstr("'again' runs without the host"));
  }
}

}  // namespace
}  // namespace tagflow::conformance
