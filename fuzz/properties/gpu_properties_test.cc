// Properties of programs hold for the engine over a GPU and the host, by a fake of CUDA; the bundle
// (//tools:gpu_bundle) asks the same of a GPU: tagflow fuzz --engine optimized-gpu.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/optimized_engine.h"
#include "fuzz/generate/generate.h"
#include "fuzz/program/text.h"
#include "fuzz/properties/properties.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kPrograms = 150;

class GpuPropertiesTest : public testing::TestWithParam<const char*> {};

TEST_P(GpuPropertiesTest, Holds) {
  optimized::SetCuda(optimized::fake_cuda::Api());
  const auto& all = ProgramProperties();
  const auto property =
      std::ranges::find(all, std::string_view(GetParam()), &ProgramProperty::name);
  ASSERT_NE(property, all.end());
  const Result<Profile> profile = ProfileOf(property->profile);
  ASSERT_TRUE(profile.ok());
  using optimized::ExecutorChoice;
  using optimized::NativeChoice;
  constexpr std::pair<ExecutorChoice, NativeChoice> kWays[] = {
      {ExecutorChoice::kAuto, NativeChoice::kOff},
      {ExecutorChoice::kAuto, NativeChoice::kAlways},
      {ExecutorChoice::kTokens, NativeChoice::kOff}};
  for (const auto& [executor, native] : kWays) {
    optimized::SessionOptions options;
    options.devices = {"/device:GPU:0", "/device:CPU:0"};
    options.device_kinds = {optimized::GpuDevices()};
    options.executor = executor;
    options.native.choice = native;
    options.threads = 1;
    const auto engine = OptimizedEngine(options);
    for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
      Choices choices = Choices::FromSeed(seed);
      const Program program = GenerateProgram(choices, *profile);
      const Violation violation = property->check(program, choices, *engine);
      ASSERT_FALSE(violation) << "seed " << seed << ": " << *violation << "\n" << ToText(program);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Some, GpuPropertiesTest, testing::Values("direct", "runs", "fetches"));

}  // namespace
}  // namespace tagflow::fuzz
