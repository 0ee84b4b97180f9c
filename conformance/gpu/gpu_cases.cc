#include "conformance/gpu/gpu_cases.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "conformance/optimized_servant.h"
#include "conformance/runner.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::conformance {

Result<std::vector<CaseResult>> RunCasesOnGpu(const std::string& folder, const std::string& known) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".textproto") files.push_back(file.path());
  }
  std::ranges::sort(files);
  const optimized::DeviceKinds kinds = {optimized::GpuDevices()};
  const auto make_engine = [&]() -> Result<std::unique_ptr<Engine>> {
    auto servant = MakeOptimizedServant({.device_kinds = &kinds},
                                        {.devices = {"/device:GPU:0", "/device:CPU:0"}});
    return {std::make_unique<InProcessEngine>(std::move(servant))};
  };
  TAGFLOW_ASSIGN_OR_RETURN(ExpectedFailures failures, ExpectedFailures::Read(known));
  return RunCases(files, make_engine,
                  {.expected_failures = std::move(failures), .on_result = nullptr});
}

}  // namespace tagflow::conformance
