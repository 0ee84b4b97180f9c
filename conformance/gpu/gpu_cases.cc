#include "conformance/gpu/gpu_cases.h"

#include <memory>
#include <utility>

#include "conformance/case_file.h"
#include "conformance/optimized_servant.h"
#include "conformance/runner.h"
#include "graph/io/parse.h"
#include "optimized/devices/gpu/gpu_devices.h"

namespace tagflow::conformance {

namespace {

Result<ExpectedFailures> Known(const std::string& root, optimized::ExecutorChoice executor) {
  const std::string folder = root + "/conformance/gpu/";
  TAGFLOW_ASSIGN_OR_RETURN(std::string known, ReadFile(folder + "over_devices.txt"));
  if (executor == optimized::ExecutorChoice::kTokens) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string more,
                             ReadFile(folder + "over_devices_by_tokens.txt"));
    known += more;
  }
  return ExpectedFailures::Parse(known, folder);
}

}  // namespace

Result<std::vector<CaseResult>> RunCasesOnGpu(const std::string& root,
                                              optimized::ExecutorChoice executor,
                                              optimized::NativeChoice native) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                           FindCases({root + "/conformance/cases"}));
  const optimized::DeviceKinds kinds = {optimized::GpuDevices()};
  const auto make_engine = [&]() -> Result<std::unique_ptr<Engine>> {
    auto servant = MakeOptimizedServant({.device_kinds = &kinds},
                                        {.executor = executor,
                                         .native = {native},
                                         .threads = 1,
                                         .devices = {"/device:GPU:0", "/device:CPU:0"}});
    return {std::make_unique<InProcessEngine>(std::move(servant))};
  };
  TAGFLOW_ASSIGN_OR_RETURN(ExpectedFailures failures, Known(root, executor));
  return RunCases(files, make_engine,
                  {.expected_failures = std::move(failures), .on_result = nullptr});
}

}  // namespace tagflow::conformance
