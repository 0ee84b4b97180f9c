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

// A call that is cut over devices cannot do all that a whole one does. The verdict says so in these
// words; which cases come to that hangs on where they are cut.
struct Limit {
  const char* said;
  const char* reason;
};
constexpr Limit kLimits[] = {
    {"rule partition.3", "a frame without one LoopCond that ends all of it is on one device alone"},
    {"starved: nothing can run any more", "a loop that starves is noticed by its devices"},
    {"expected FAILED_PRECONDITION saying 'starved'",
     "a loop that starves is noticed by its devices"},
    {"in the memory of a device, is not compared",
     "what lies in the memory of a device is not compared"},
    {"/_send_to_", "the parts of a call have not the Merge that the advice would name"},
};

void ExpectLimits(std::vector<CaseResult>& results) {
  for (CaseResult& result : results) {
    for (const Limit& limit : kLimits) {
      const bool is_it = result.verdict == Verdict::kFail && result.expected.empty() &&
                         result.why.find(limit.said) != std::string::npos;
      if (is_it) result.expected = limit.reason;
    }
  }
}

Result<std::vector<CaseResult>> RunAll(const std::string& root, const OptimizedOptions& options,
                                       ExpectedFailures failures) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                           FindCases({root + "/conformance/cases"}));
  const optimized::DeviceKinds kinds = {optimized::GpuDevices()};
  const auto make_engine = [&]() -> Result<std::unique_ptr<Engine>> {
    return {
        std::make_unique<InProcessEngine>(MakeOptimizedServant({.device_kinds = &kinds}, options))};
  };
  return RunCases(files, make_engine,
                  {.expected_failures = std::move(failures), .on_result = nullptr});
}

}  // namespace

Result<std::vector<CaseResult>> RunCasesOnGpu(const std::string& root,
                                              optimized::ExecutorChoice executor,
                                              optimized::NativeChoice native) {
  TAGFLOW_ASSIGN_OR_RETURN(ExpectedFailures failures, Known(root, executor));
  return RunAll(root,
                {.executor = executor,
                 .native = {native},
                 .threads = 1,
                 .devices = {"/device:GPU:0", "/device:CPU:0"}},
                std::move(failures));
}

Result<std::vector<CaseResult>> RunCasesOnGpus(const std::string& root,
                                               optimized::ExecutorChoice executor, uint64_t seed) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<CaseResult> results,
                           RunAll(root,
                                  {.executor = executor,
                                   .threads = 1,
                                   .devices = {"/device:GPU:0", "/device:GPU:1", "/device:CPU:0"},
                                   .scatter_seed = seed},
                                  ExpectedFailures()));
  ExpectLimits(results);
  return results;
}

}  // namespace tagflow::conformance
