// The GPU device over a fake of CUDA (fake_cuda.h): streams that are threads, kernels that are
// loops. All cases run on it, each node on the GPU that has a kernel there.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/optimized_servant.h"
#include "conformance/runner.h"
#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::optimized {
namespace {

constexpr char kGpu[] = "/device:GPU:0";

TEST(FakeGpu, RunsTheCases) {
  SetCuda(fake_cuda::Api());
  conformance::OptimizedOptions options;
  options.devices = {kGpu, "/device:CPU:0"};
  const DeviceKinds kinds = {GpuDevices()};
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator("conformance/cases")) {
    if (file.path().extension() == ".textproto") files.push_back(file.path());
  }
  const auto make_engine = [&]() -> Result<std::unique_ptr<conformance::Engine>> {
    auto servant = conformance::MakeOptimizedServant({.device_kinds = &kinds}, options);
    return {std::make_unique<conformance::InProcessEngine>(std::move(servant))};
  };
  const auto known = conformance::ExpectedFailures::Read("conformance/gpu/fake_gpu.txt");
  ASSERT_TRUE(known.ok());
  const auto results = conformance::RunCases(files, make_engine,
                                             {.expected_failures = *known, .on_result = nullptr});
  ASSERT_TRUE(results.ok() && results->size() > 100);
  for (const auto& result : *results) EXPECT_FALSE(IsBad(result)) << result.name << result.why;
}

}  // namespace
}  // namespace tagflow::optimized
