#include "conformance/gpu/gpu_cases.h"

#include <memory>
#include <utility>

#include "conformance/case_file.h"
#include "conformance/optimized_servant.h"
#include "conformance/runner.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::conformance {

Result<std::vector<CaseResult>> RunCasesOnGpu(const std::string& folder, const std::string& known) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> files, FindCases({folder}));
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
