// The programs that are timed, over the fake of CUDA.
// Tests: gpu_lstm.cc, gpu_product.cc, gpu_programs.cc, gpu_training.cc

#include "conformance/gpu/gpu_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/compare.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::conformance {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void ExpectSame(const GpuProgram& program, const GpuRun& on_host, const GpuRun& on_gpu) {
  for (size_t i = 0; i < program.fetches.size(); ++i) {
    EXPECT_EQ(Difference(on_host.values[i], on_gpu.values[i],
                         {.magnitude_relative = program.error_max, .magnitude = 1}),
              "");
  }
}

void ExpectRecorded(const GpuProgram& program, const std::string& about) {
  EXPECT_THAT(about, StartsWith("straight code, over 2 devices"));
  const bool is_by_gpu = program.name.starts_with("predicate on the GPU");
  EXPECT_THAT(
      about, HasSubstr(is_by_gpu ? "a loop runs as long as the device says" : "steps run at once"));
  EXPECT_THAT(about, HasSubstr(is_by_gpu ? "'again' runs without the host" : ""));
}

TEST(GpuPrograms, GiveWhatTheHostGives) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  constexpr double kScale = 0.02;
  constexpr int kSteps = 4;
  const auto programs = GpuPrograms(kScale);
  ASSERT_TRUE(programs.ok()) << programs.status().ToString();
  for (const GpuProgram& program : *programs) {
    SCOPED_TRACE(program.name);
    const Result<GpuRun> on_host = RunGpuProgram(program, GpuWay::kHost, kSteps);
    ASSERT_TRUE(on_host.ok()) << on_host.status().ToString();
    for (const GpuWay way : {GpuWay::kOneByOne, GpuWay::kFused}) {
      const Result<GpuRun> on_gpu = RunGpuProgram(program, way, kSteps);
      ASSERT_TRUE(on_gpu.ok()) << on_gpu.status().ToString();
      ExpectSame(program, *on_host, *on_gpu);
      ExpectRecorded(program, on_gpu->about);
    }
  }
}

}  // namespace
}  // namespace tagflow::conformance
