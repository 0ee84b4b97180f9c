#ifndef TAGFLOW_CONFORMANCE_GPU_OPS_ON_GPU_H_
#define TAGFLOW_CONFORMANCE_GPU_OPS_ON_GPU_H_

// For tests: the ops of a GPU, one at a time, as an engine that op scripts (ops/op_script.h) can be
// run on.
//
// Tested by fake_gpu_ops_test.cc.

#include <string>

#include "conformance/ops/op_runner.h"

namespace tagflow::conformance {

// Each call is a step of a session of its own, but where a node with state is called again. An op
// without a kernel for the GPU, in general or for the dtypes of a call, runs on the host.
OpEngine OpsOnGpu();

// Whether the GPU has a kernel of the op.
bool IsOpOfGpu(const std::string& op);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_OPS_ON_GPU_H_
