#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_

// The conformance cases over GPUs and the host.
//
// Tested by fake_gpu_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/result.h"
#include "graph/status.h"
#include "optimized/session.h"

namespace tagflow::conformance {

// Runs all cases under root/conformance/cases, each node on the GPU that has a kernel there. What
// calls over two devices cannot do is listed in over_devices.txt and over_devices_by_tokens.txt.
//   native: kAlways: calls that follow each other are one kernel where they can be
Result<std::vector<CaseResult>> RunCasesOnGpu(
    const std::string& root, optimized::ExecutorChoice executor,
    optimized::NativeChoice native = optimized::NativeChoice::kAuto);
// The same over two GPUs and the host: each node on one that has a kernel for it, as the seed has
// it (conformance/scatter.h).
//   seed: not 0.   Errors: where there is one GPU alone
Result<std::vector<CaseResult>> RunCasesOnGpus(const std::string& root,
                                               optimized::ExecutorChoice executor, uint64_t seed);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_
