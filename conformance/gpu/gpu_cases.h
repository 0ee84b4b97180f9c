#ifndef TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_
#define TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_

// The conformance cases over a GPU and the host.
//
// Tested by fake_gpu_test.cc.

#include <string>
#include <vector>

#include "conformance/result.h"
#include "graph/status.h"

namespace tagflow::conformance {

// Runs all cases under the folder, each node on the GPU that has a kernel there.
//   known: the file of cases that calls over two devices cannot do
Result<std::vector<CaseResult>> RunCasesOnGpu(const std::string& folder, const std::string& known);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_GPU_CASES_H_
